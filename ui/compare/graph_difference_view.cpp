#include "ui/compare/graph_difference_view.h"

#include "ui/compare/run_colors.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/graph_scene.h"
#include "ui/graph/node_item.h"
#include "ui/graph/node_text.h"
#include "ui/theme/theme.h"

#include <QComboBox>
#include <QGraphicsPathItem>
#include <QGraphicsSimpleTextItem>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QScrollBar>
#include <QSplitter>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <cmath>

namespace athanor {
namespace {

constexpr double kMargin = 24; // canvas units around the graph
constexpr double kOutline = 5; // from the node's box
constexpr double kPenWidth = 2.5;
constexpr double kMaximumZoom = 2;
constexpr double kSmallestZoom = 0.05;
constexpr double kZoomPerNotch = 1.2;
constexpr double kNotch = 120;
constexpr int kListWidth = 300;

ColorRole roleOf(NodeChange change)
{
    switch (change) {
    case NodeChange::Added:
        return ColorRole::Good;
    case NodeChange::Removed:
        return ColorRole::Bad;
    default:
        return ColorRole::Warn;
    }
}

/// Not the colour alone says it.
QString signOf(NodeChange change)
{
    switch (change) {
    case NodeChange::Added:
        return QStringLiteral("+");
    case NodeChange::Removed:
        return QStringLiteral("−");
    case NodeChange::Renamed:
        return QStringLiteral("→");
    case NodeChange::Changed:
        break;
    }
    return QStringLiteral("≠");
}

QString valueText(const std::optional<Json>& value)
{
    return value ? QString::fromStdString(value->is_string() ? value->get<std::string>() : value->dump())
                 : QStringLiteral("–");
}

QPen penOf(const QColor& color, NodeChange change)
{
    return {color, kPenWidth, change == NodeChange::Removed ? Qt::DashLine : Qt::SolidLine};
}

} // namespace

DifferenceCanvas::DifferenceCanvas(QWidget* parent) : QGraphicsView(parent)
{
    setObjectName(QStringLiteral("differenceCanvas"));
    setInteractive(false);
    setDragMode(ScrollHandDrag);
    setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
    setTransformationAnchor(AnchorUnderMouse);
    setFrameShape(NoFrame);
    setAccessibleDescription(tr("Plus and minus zoom, arrow keys move, F shows everything."));
}

void DifferenceCanvas::fit()
{
    m_isFitted = true;
    if (scene() == nullptr || scene()->sceneRect().isEmpty())
        return;
    resetTransform();
    fitInView(sceneRect(), Qt::KeepAspectRatio);
    if (transform().m11() > 1)
        resetTransform(); // never larger than on the canvas
}

void DifferenceCanvas::wheelEvent(QWheelEvent* event)
{
    const double factor = std::pow(kZoomPerNotch, event->angleDelta().y() / kNotch);
    const double zoom = transform().m11() * factor;
    if (zoom > kSmallestZoom && zoom < kMaximumZoom) {
        m_isFitted = false;
        scale(factor, factor);
    }
    event->accept();
}

void DifferenceCanvas::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_F) {
        fit();
    } else if (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Minus) {
        m_isFitted = false;
        const double factor = event->key() == Qt::Key_Plus ? kZoomPerNotch : 1 / kZoomPerNotch;
        scale(factor, factor);
    } else {
        QGraphicsView::keyPressEvent(event);
    }
}

void DifferenceCanvas::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    if (m_isFitted)
        fit();
}

GraphDifferenceView::GraphDifferenceView(GraphPart part, Theme& theme, QWidget* parent)
    : QWidget(parent), m_part(part), m_theme(theme), m_before(new QComboBox), m_after(new QComboBox),
      m_summary(new QLabel), m_list(new QListWidget), m_canvas(new DifferenceCanvas),
      m_splitter(new QSplitter), m_selection(std::make_unique<Selection>())
{
    m_before->setObjectName(QStringLiteral("differenceBefore"));
    m_before->setAccessibleName(tr("From this run"));
    m_after->setObjectName(QStringLiteral("differenceAfter"));
    m_after->setAccessibleName(tr("To this run"));
    m_summary->setObjectName(QStringLiteral("differenceSummary"));
    m_summary->setProperty("look", QStringLiteral("muted"));
    m_list->setObjectName(QStringLiteral("differenceList"));
    m_list->setAccessibleName(tr("What differs"));
    m_list->setProperty("look", QStringLiteral("bare"));
    m_list->setWordWrap(true);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, spacing::kBetween, spacing::kBetween, spacing::kBetween);
    row->setSpacing(spacing::kBetween);
    row->addWidget(new QLabel(tr("From")));
    row->addWidget(m_before);
    row->addWidget(new QLabel(tr("to")));
    row->addWidget(m_after);
    row->addStretch(1);
    row->addWidget(m_summary);
    m_splitter->addWidget(m_list);
    m_splitter->addWidget(m_canvas);
    m_splitter->setStretchFactor(1, 1);
    m_splitter->setSizes({kListWidth, 3 * kListWidth});
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(row);
    layout->addWidget(m_splitter, 1);
    for (QComboBox* box : {m_before, m_after})
        connect(box, &QComboBox::currentIndexChanged, this, &GraphDifferenceView::compare);
    connect(m_list, &QListWidget::currentRowChanged, this, &GraphDifferenceView::goTo);
    connect(&theme, &Theme::changed, this, &GraphDifferenceView::compare);
}

GraphDifferenceView::~GraphDifferenceView()
{
    m_canvas->setScene(nullptr);
}

void GraphDifferenceView::show(std::shared_ptr<const Comparison> comparison)
{
    m_comparison = std::move(comparison);
    for (QComboBox* box : {m_before, m_after}) {
        const QSignalBlocker blocked(box);
        box->clear();
        for (std::size_t run = 0; run < m_comparison->runs.size(); ++run)
            box->addItem(colorIcon(runColor(m_theme, *m_comparison, run)),
                         QString::fromStdString(m_comparison->runs[run].info.name));
        box->setCurrentIndex(box == m_before ? 0 : box->count() > 1 ? 1 : 0);
    }
    compare();
}

const Graph& GraphDifferenceView::graphOf(const Project& project) const
{
    return m_part == GraphPart::Network ? project.network : project.data;
}

void GraphDifferenceView::compare()
{
    const int before = m_before->currentIndex();
    const int after = m_after->currentIndex();
    if (m_comparison == nullptr || before < 0 || after < 0)
        return;
    const auto& from = m_comparison->runs[static_cast<std::size_t>(before)].project;
    const auto& to = m_comparison->runs[static_cast<std::size_t>(after)].project;
    m_canvas->setScene(nullptr);
    m_scene.reset();
    m_difference = {};
    m_list->clear();
    if (!from || !to) {
        m_summary->setText(tr("One of the runs has no project, as imported runs have none"));
        return;
    }
    m_difference = graphDifference(graphOf(*from), graphOf(*to), catalogOf(m_part));
    m_merged = mergedGraph(graphOf(*from), graphOf(*to), m_difference);
    const auto edges = static_cast<int>(m_difference.addedEdges.size() + m_difference.removedEdges.size());
    const auto nodes = static_cast<int>(m_difference.nodes.size());
    m_summary->setText(m_difference.empty()
                           ? tr("The two are the same")
                           : tr("%1, %2 differ", "1 node, 2 edges differ")
                                 .arg(nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(nodes),
                                      edges == 1 ? tr("1 edge") : tr("%1 edges").arg(edges)));
    fillList();
    draw(m_merged);
}

void GraphDifferenceView::draw(const MergedGraph& merged)
{
    Project project;
    project.name = "difference";
    (m_part == GraphPart::Network ? project.network : project.data) = merged.graph;
    m_document = std::make_unique<ProjectDocument>();
    // Two networks in one need not make sense; nothing is said about that.
    m_document->setCheckFunction([](const Project&, const std::function<bool()>&) { return ProjectCheck{}; });
    m_document->setProject(std::move(project));
    m_scene = std::make_unique<GraphScene>(*m_document, *m_selection, m_part, m_theme);
    addOverlays(merged);
    m_scene->setSceneRect(m_scene->nodesRect().adjusted(-kMargin, -kMargin, kMargin, kMargin));
    m_canvas->setScene(m_scene.get());
    m_canvas->fit();
}

void GraphDifferenceView::addOverlays(const MergedGraph& merged)
{
    for (const auto& [id, change] : merged.changes) {
        const NodeItem* item = m_scene->nodeItem(id);
        if (item == nullptr)
            continue;
        const QColor color = m_theme.color(roleOf(change.change));
        const QRectF box = item->box().adjusted(-kOutline, -kOutline, kOutline, kOutline);
        QPainterPath path;
        path.addRoundedRect(box, 2 * spacing::kRadius, 2 * spacing::kRadius);
        m_scene->addPath(path, penOf(color, change.change));
        auto* sign = m_scene->addSimpleText(signOf(change.change), m_theme.font(FontRole::Title));
        sign->setBrush(color);
        sign->setPos(box.right() - sign->boundingRect().width() - spacing::kBetween,
                     box.top() + spacing::kInside);
        sign->setZValue(10);
    }
    const QPointF direction = m_scene->style().isSideways() ? QPointF(1, 0) : QPointF(0, 1);
    const auto mark = [&](const std::set<Edge>& edges, NodeChange change) {
        for (const Edge& edge : edges) {
            EdgeItem* item = m_scene->edgeItem(edge);
            if (item == nullptr)
                continue;
            const QPen pen = penOf(m_theme.color(roleOf(change)), change);
            m_scene->addPath(wireCurve(item->start(), item->end(), direction), pen)
                ->setZValue(item->zValue());
            item->hide();
        }
    };
    mark(merged.added, NodeChange::Added);
    mark(merged.removed, NodeChange::Removed);
}

void GraphDifferenceView::fillList()
{
    const auto changeText = [](NodeChange change) {
        switch (change) {
        case NodeChange::Added:
            return tr("added");
        case NodeChange::Removed:
            return tr("removed");
        case NodeChange::Renamed:
            return tr("renamed");
        case NodeChange::Changed:
            break;
        }
        return tr("changed");
    };
    const QSignalBlocker blocked(m_list);
    for (const NodeDifference& node : m_difference.nodes) {
        const QString name = QString::fromStdString(node.after.empty() ? node.before : node.after);
        const QString kind =
            QString::fromStdString(node.kindAfter.empty() ? node.kindBefore : node.kindAfter);
        QString text = tr("%1 %2 (%3) %4").arg(signOf(node.change), name, kind, changeText(node.change));
        if (!node.before.empty() && !node.after.empty() && node.before != node.after)
            text += tr("\n    was called %1").arg(QString::fromStdString(node.before));
        if (!node.kindBefore.empty() && !node.kindAfter.empty() && node.kindBefore != node.kindAfter)
            text += tr("\n    was %1").arg(QString::fromStdString(node.kindBefore));
        for (const ParameterDifference& parameter : node.parameters)
            text += QStringLiteral("\n    %1: %2 → %3")
                        .arg(QString::fromStdString(parameter.name), valueText(parameter.before),
                             valueText(parameter.after));
        auto* item = new QListWidgetItem(text);
        item->setForeground(m_theme.color(roleOf(node.change)));
        m_list->addItem(item);
    }
    const auto addEdges = [this](const std::vector<Edge>& edges, NodeChange change, const QString& word) {
        for (const Edge& edge : edges) {
            auto* item =
                new QListWidgetItem(tr("%1 edge %2 → %3 %4")
                                        .arg(signOf(change), QString::fromStdString(edge.from.text()),
                                             QString::fromStdString(edge.to.text()), word));
            item->setForeground(m_theme.color(roleOf(change)));
            m_list->addItem(item);
        }
    };
    addEdges(m_difference.addedEdges, NodeChange::Added, tr("added"));
    addEdges(m_difference.removedEdges, NodeChange::Removed, tr("removed"));
}

void GraphDifferenceView::goTo(int row)
{
    if (m_scene == nullptr || row < 0 || row >= static_cast<int>(m_difference.nodes.size()))
        return;
    const NodeDifference& node = m_difference.nodes[static_cast<std::size_t>(row)];
    if (const NodeItem* item = m_scene->nodeItem(node.after.empty() ? node.before : node.after))
        m_canvas->centerOn(item->box().center());
}

} // namespace athanor
