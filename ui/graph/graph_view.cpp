#include "ui/graph/graph_view.h"

#include "ui/graph/find_bar.h"
#include "ui/graph/minimap.h"
#include "ui/graph/node_item.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kZoomStep = 1.2;       ///< per wheel notch or key
constexpr double kSmallestZoom = 0.1;   ///< unless fitting needs less
constexpr double kReadableZoom = 0.8;   ///< texts of 11 px stay legible
constexpr double kLeastZoom = 1e-3;     ///< a view of no size asks for none at all
constexpr double kFitMargin = 24;
constexpr int kShownMargin = 40; ///< px kept around a node that is scrolled to

} // namespace

GraphView::GraphView(GraphScene& scene, QWidget* parent) : QGraphicsView(parent), m_scene(scene)
{
    const bool data = scene.part() == GraphPart::Data;
    setObjectName(data ? QStringLiteral("dataCanvas") : QStringLiteral("networkCanvas"));
    setAccessibleName(data ? tr("Data canvas") : tr("Network canvas"));
    setScene(&scene);
    setFrameShape(QFrame::NoFrame);
    setDragMode(RubberBandDrag);
    setRenderHint(QPainter::Antialiasing);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setViewportUpdateMode(SmartViewportUpdate);
    setOptimizationFlag(DontAdjustForAntialiasing); // items leave room for their outlines themselves
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true); // where something new goes
    m_minimap = new Minimap(*this);
    makeEmptyNote();
    makeEditing();
    connect(&scene, &GraphScene::rebuilt, this, [this] {
        updateEmptyNote();
        showStart();
    });
    connect(&scene, &GraphScene::contentChanged, this, [this] {
        updateSceneRect();
        updateEmptyNote();
        m_minimap->markChanged();
    });
    connect(this, &GraphView::viewChanged, m_minimap, &Minimap::markChanged);
    updateEmptyNote();
}

void GraphView::makeEmptyNote()
{
    m_emptyNote = new QWidget(this);
    m_emptyNote->setObjectName(QStringLiteral("emptyNote"));
    auto* column = new QVBoxLayout(m_emptyNote);
    column->setSpacing(spacing::kAround);
    m_emptyText = new QLabel(m_emptyNote);
    m_emptyText->setObjectName(QStringLiteral("emptyText"));
    m_emptyText->setProperty("look", QStringLiteral("muted"));
    m_emptyText->setAlignment(Qt::AlignCenter);
    m_emptyText->setWordWrap(true);
    m_emptyText->setMinimumWidth(360);
    m_openButton = new QPushButton(tr("Open a project…"), m_emptyNote);
    m_openButton->setObjectName(QStringLiteral("emptyOpenButton"));
    column->addWidget(m_emptyText);
    column->addWidget(m_openButton, 0, Qt::AlignHCenter);
    connect(m_openButton, &QPushButton::clicked, this, &GraphView::openRequested);
}

void GraphView::updateEmptyNote()
{
    const bool empty = m_scene.isEmpty();
    m_emptyNote->setVisible(empty);
    m_emptyNote->setAttribute(Qt::WA_TransparentForMouseEvents, m_scene.projectIsOpen()); // a kind can be dropped on it
    m_openButton->setVisible(!m_scene.projectIsOpen());
    m_minimap->setVisible(!empty);
    if (!empty) {
        return;
    }
    const bool data = m_scene.part() == GraphPart::Data;
    if (!m_scene.projectIsOpen()) {
        m_emptyText->setText(data ? tr("No project is open, so there is no data to show.")
                                  : tr("No project is open, so there is no network to show."));
    } else {
        m_emptyText->setText(data ? tr("This project has no data yet. Type the name of a source, such as MnistIdx, double "
                                       "click, or drag one here from the palette.")
                                  : tr("This project has no network yet. Type the name of a layer, such as Input or Conv2d, "
                                       "double click, or drag one here from the palette."));
    }
    placeOverlays();
}

void GraphView::placeOverlays()
{
    const QRect area = viewport()->geometry();
    m_minimap->move(area.right() - m_minimap->width() - spacing::kBetween,
                    area.bottom() - m_minimap->height() - spacing::kBetween);
    m_findBar->move(area.right() - m_findBar->width() - spacing::kBetween, area.top() + spacing::kBetween);
    m_hint->move(area.center().x() - m_hint->width() / 2, area.bottom() - m_hint->height() - spacing::kAround);
    m_emptyNote->adjustSize();
    m_emptyNote->move(area.center() - m_emptyNote->rect().center());
}

/// A view's width of free ground around the nodes, so that every node can be brought to the middle.
void GraphView::updateSceneRect()
{
    const double width = viewport()->width() / zoom();
    const double height = viewport()->height() / zoom();
    setSceneRect(m_scene.nodesRect().adjusted(-width, -height, width, height));
}

double GraphView::smallestZoom() const
{
    const QRectF all = m_scene.nodesRect();
    if (all.isEmpty()) {
        return kSmallestZoom;
    }
    const double width = (viewport()->width() - 2 * kFitMargin) / all.width();
    const double height = (viewport()->height() - 2 * kFitMargin) / all.height();
    return std::min(kSmallestZoom, std::max(kLeastZoom, std::min(width, height)));
}

/// The scene point under `anchor` (viewport px) stays where it is. Qt's own anchors go by the pointer of the
/// system, which is not always where the wheel was turned.
void GraphView::applyZoom(double wish, const QPoint& anchor)
{
    const double target = std::clamp(wish, smallestZoom(), kMaximumZoom);
    if (std::abs(target - zoom()) < 1e-9) {
        return;
    }
    m_framing = Framing::Free;
    const QPointF kept = mapToScene(anchor);
    setTransformationAnchor(NoAnchor);
    setTransform(QTransform::fromScale(target, target));
    updateSceneRect();
    const QPoint moved = mapFromScene(kept) - anchor;
    horizontalScrollBar()->setValue(horizontalScrollBar()->value() + moved.x());
    verticalScrollBar()->setValue(verticalScrollBar()->value() + moved.y());
    Q_EMIT zoomChanged(zoom());
    Q_EMIT viewChanged();
}

void GraphView::setZoom(double zoom)
{
    applyZoom(zoom, viewport()->rect().center());
}

void GraphView::zoomIn()
{
    setZoom(zoom() * kZoomStep);
}

void GraphView::zoomOut()
{
    setZoom(zoom() / kZoomStep);
}

void GraphView::centreAt(const QPointF& scenePoint)
{
    m_framing = Framing::Free;
    centerOn(scenePoint);
}

void GraphView::fit()
{
    frame(Framing::All);
}

void GraphView::showStart()
{
    frame(Framing::Start);
}

/// Shows the part that is asked for, now and after every change of size: a view that is not laid out yet
/// has some other size first.
void GraphView::frame(Framing framing)
{
    if (framing == Framing::All) {
        frameAll();
    } else if (framing == Framing::Start) {
        frameStart();
    }
    m_framing = framing;
}

void GraphView::frameAll()
{
    const QRectF all = m_scene.nodesRect();
    if (all.isEmpty()) {
        return;
    }
    const double width = (viewport()->width() - 2 * kFitMargin) / all.width();
    const double height = (viewport()->height() - 2 * kFitMargin) / all.height();
    setZoom(std::min({width, height, 1.0}));
    centerOn(all.center());
}

void GraphView::frameStart()
{
    frameAll();
    if (m_scene.isEmpty() || zoom() >= kReadableZoom) {
        return;
    }
    setZoom(kReadableZoom);
    const QRectF all = m_scene.nodesRect();
    const double margin = kFitMargin / kReadableZoom;
    const double halfWidth = viewport()->width() / kReadableZoom / 2;
    const double halfHeight = viewport()->height() / kReadableZoom / 2;
    const bool wide = all.width() + 2 * margin > 2 * halfWidth;
    const bool tall = all.height() + 2 * margin > 2 * halfHeight;
    centerOn(wide ? all.left() - margin + halfWidth : all.center().x(),
             tall ? all.top() - margin + halfHeight : all.center().y());
}

void GraphView::layOut()
{
    m_scene.layOut(direction());
    showStart();
}

void GraphView::showNode(const NodeId& id)
{
    if (const NodeItem* item = m_scene.nodeItem(id)) {
        m_framing = Framing::Free;
        ensureVisible(item->box(), kShownMargin, kShownMargin);
    }
}

void GraphView::resizeEvent(QResizeEvent* event)
{
    QGraphicsView::resizeEvent(event);
    updateSceneRect();
    frame(m_framing);
    placeOverlays();
    Q_EMIT viewChanged();
}

void GraphView::showEvent(QShowEvent* event)
{
    QGraphicsView::showEvent(event);
    m_minimap->markChanged();
}

void GraphView::scrollContentsBy(int dx, int dy)
{
    QGraphicsView::scrollContentsBy(dx, dy);
    Q_EMIT viewChanged();
}

} // namespace athanor
