#include "ui/graph/build_view.h"

#include "ui/bridge/text_format.h"
#include "ui/graph/canvas_actions.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/group_bar.h"
#include "ui/graph/node_item.h"
#include "ui/graph/node_palette.h"
#include "ui/graph/node_text.h"

#include <QAction>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QSplitter>
#include <QTabBar>
#include <QToolButton>
#include <QUndoView>
#include <QVBoxLayout>
#include <QWidgetAction>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

GraphPart partOfTab(int tab)
{
    return tab == 0 ? GraphPart::Data : GraphPart::Network;
}

QString partTitle(GraphPart part)
{
    return part == GraphPart::Data ? BuildView::tr("Data") : BuildView::tr("Network");
}

} // namespace

BuildView::BuildView(ProjectDocument& document, Selection& selection, const Theme& theme, QWidget* parent)
    : QWidget(parent), m_document(document), m_selection(selection), m_theme(theme)
{
    setObjectName(QStringLiteral("buildView"));
    selection.follow(document);
    m_splitter = new QSplitter(Qt::Horizontal, this);
    m_splitter->setObjectName(QStringLiteral("canvases"));
    m_splitter->setChildrenCollapsible(false);
    makePane(GraphPart::Data);
    makePane(GraphPart::Network);
    m_summary = new QLabel(this);
    m_summary->setObjectName(QStringLiteral("summary"));
    m_summary->setProperty("look", QStringLiteral("muted"));
    m_summary->setMargin(spacing::kInside);
    m_summary->setIndent(spacing::kBetween);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(makeTools());
    column->addWidget(m_splitter, 1);
    column->addWidget(m_summary);

    connect(&document, &ProjectDocument::loaded, this, &BuildView::updateSummary);
    connect(&document, &ProjectDocument::graphChanged, this, &BuildView::updateSummary);
    connect(&document, &ProjectDocument::trainingChanged, this, &BuildView::updateSummary);
    connect(&document, &ProjectDocument::checked, this, &BuildView::updateSummary);
    connect(&document, &ProjectDocument::placeChanged, this, &BuildView::updateSummary);
    connect(&selection, &Selection::changed, this, &BuildView::followSelection);
    arrange();
    updateTools();
    updateSummary();
}

BuildView::~BuildView() = default;

void BuildView::makePane(GraphPart part)
{
    Pane& pane = m_panes[index(part)];
    pane.widget = new QWidget(m_splitter);
    auto* column = new QVBoxLayout(pane.widget);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    pane.heading = new QLabel(partTitle(part), pane.widget);
    pane.heading->setProperty("look", QStringLiteral("heading"));
    pane.heading->setMargin(spacing::kInside);
    pane.heading->setIndent(spacing::kBetween);
    pane.scene = new GraphScene(m_document, m_selection, part, m_theme, this);
    pane.view = new GraphView(*pane.scene, pane.widget);
    pane.view->setShelf(m_shelf);
    column->addWidget(pane.heading);
    if (part == GraphPart::Network) {
        column->addWidget(new GroupBar(m_document, m_theme, pane.widget));
    }
    column->addWidget(pane.view, 1);
    m_splitter->addWidget(pane.widget);
    connect(pane.view, &GraphView::zoomChanged, this, &BuildView::updateTools);
    connect(pane.scene, &GraphScene::flowChanged, this, &BuildView::updateTools);
    connect(pane.view, &GraphView::openRequested, this, &BuildView::openRequested);
    connect(pane.view, &GraphView::fixRequested, this, &BuildView::fixRequested);
    connect(pane.view, &GraphView::focused, this, [this, part] { setActive(part); });
}

QToolButton* BuildView::addTool(QHBoxLayout* row, const char* name, const char* icon, const QString& toolTip)
{
    auto* button = new QToolButton(this);
    button->setObjectName(QString::fromLatin1(name));
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setFocusPolicy(Qt::TabFocus);
    if (icon) {
        button->setIcon(m_theme.icon(QString::fromLatin1(icon)));
    }
    row->addWidget(button);
    return button;
}

QHBoxLayout* BuildView::makeTools()
{
    auto* row = new QHBoxLayout;
    row->setContentsMargins(spacing::kBetween, 0, spacing::kBetween, 0);
    row->setSpacing(spacing::kInside);
    m_tabs = new QTabBar(this);
    m_tabs->setObjectName(QStringLiteral("canvasTabs"));
    m_tabs->setAccessibleName(tr("Canvas"));
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->addTab(partTitle(GraphPart::Data));
    m_tabs->addTab(partTitle(GraphPart::Network));
    m_tabs->setCurrentIndex(static_cast<int>(index(m_active)));
    row->addWidget(m_tabs);
    row->addStretch(1);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int tab) { setActive(partOfTab(tab)); });

    // The shortcuts of undo and redo are the window's; here they are only buttons.
    for (const bool redo : {false, true}) {
        QAction* action = redo ? m_document.undoStack()->createRedoAction(this) : m_document.undoStack()->createUndoAction(this);
        action->setIcon(m_theme.icon(redo ? QStringLiteral("redo") : QStringLiteral("undo")));
        QToolButton* button = addTool(row, redo ? "redoButton" : "undoButton", nullptr, redo ? tr("Redo") : tr("Undo"));
        button->setDefaultAction(action);
    }
    m_historyButton = addTool(row, "historyButton", "history", tr("All steps: go back to any of them"));
    connect(m_historyButton, &QToolButton::clicked, this, &BuildView::showHistory);
    QToolButton* fit = addTool(row, "fitButton", "fit", tr("Show the whole graph (Ctrl+9)"));
    connect(fit, &QToolButton::clicked, this, [this] { active().fit(); });
    m_zoomButton = addTool(row, "zoomButton", nullptr, tr("Zoom: click for 100 % (Ctrl+0)"));
    connect(m_zoomButton, &QToolButton::clicked, this, [this] { active().setZoom(1); });
    QToolButton* layout = addTool(row, "layoutButton", "layout", tr("Lay the graph out (Ctrl+L)"));
    connect(layout, &QToolButton::clicked, this, [this] { active().layOut(); });
    m_directionButton = addTool(row, "directionButton", nullptr, tr("Direction of the layout"));
    connect(m_directionButton, &QToolButton::clicked, this, &BuildView::toggleDirection);
    m_sideButton = addTool(row, "sideBySideButton", nullptr, tr("Show both canvases side by side"));
    m_sideButton->setText(tr("Side by side"));
    m_sideButton->setCheckable(true);
    connect(m_sideButton, &QToolButton::toggled, this, &BuildView::setSideBySide);
    return row;
}

/// The undo stack as a list; a click goes to the state after that step.
void BuildView::showHistory()
{
    constexpr QSize kSize(300, 320);
    auto* list = new QUndoView(m_document.undoStack());
    list->setObjectName(QStringLiteral("historyList"));
    list->setAccessibleName(tr("Steps"));
    list->setEmptyLabel(tr("As opened"));
    list->setCleanIcon(m_theme.icon(QStringLiteral("save")));
    list->setProperty("look", QStringLiteral("bare"));
    list->setFixedSize(kSize);
    auto* menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("historyMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    auto* holder = new QWidgetAction(menu);
    holder->setDefaultWidget(list);
    menu->addAction(holder);
    menu->popup(m_historyButton->mapToGlobal(m_historyButton->rect().bottomLeft()));
    list->setFocus();
}

void BuildView::usePalette(NodePalette& palette)
{
    palette.setPart(m_active);
    connect(this, &BuildView::activePartChanged, &palette, &NodePalette::setPart);
    connect(&palette, &NodePalette::kindActivated, this, [this](const QString& kind) { active().addKind(kind); });
    connect(&palette, &NodePalette::groupActivated, this, [this](const QString& key) {
        view(GraphPart::Network).addGroup(key, view(GraphPart::Network).insertPoint());
    });
    if (m_groups) {
        palette.setGroups(m_document, *m_groups);
    }
}

void BuildView::useGroups(GroupStore& store)
{
    m_groups = &store;
    view(GraphPart::Network).setGroups(store);
}

QList<QAction*> BuildView::editActions() const
{
    active().actions().refresh();
    return active().actions().editActions();
}

void BuildView::toggleDirection()
{
    GraphView& shown = active();
    shown.setDirection(shown.direction() == LayoutDirection::LeftToRight ? LayoutDirection::TopToBottom
                                                                         : LayoutDirection::LeftToRight);
    shown.layOut();
    updateTools();
}

void BuildView::setActive(GraphPart part)
{
    if (part == m_active) {
        return;
    }
    m_active = part;
    m_tabs->setCurrentIndex(static_cast<int>(index(part)));
    arrange();
    updateTools();
    updateSummary();
    Q_EMIT activePartChanged(part);
}

/// Whatever selects a node, it can be seen here. One that is in view stays where it is: it may be under the
/// mouse, about to be dragged.
void BuildView::followSelection()
{
    const auto& nodes = m_selection.nodes();
    if (nodes.empty()) {
        return;
    }
    showPart(m_selection.part());
    GraphView& shown = active();
    const NodeItem* item = nodes.size() == 1 ? shown.graphScene()->nodeItem(*nodes.begin()) : nullptr;
    if (item && !shown.mapToScene(shown.viewport()->rect()).boundingRect().intersects(item->box())) {
        shown.showNode(item->id());
    }
}

void BuildView::showPart(GraphPart part)
{
    setActive(part);
}

void BuildView::setSideBySide(bool on)
{
    if (on == m_sideBySide) {
        return;
    }
    m_sideBySide = on;
    m_sideButton->setChecked(on);
    arrange();
    Q_EMIT sideBySideChanged(on);
}

void BuildView::arrange()
{
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        Pane& pane = m_panes[index(part)];
        pane.widget->setVisible(m_sideBySide || part == m_active);
        pane.heading->setVisible(m_sideBySide);
    }
    setFocusProxy(&active());
}

void BuildView::updateTools()
{
    m_zoomButton->setText(tr("%1 %").arg(std::lround(active().zoom() * 100)));
    const bool sideways = active().direction() == LayoutDirection::LeftToRight;
    m_directionButton->setText(sideways ? QStringLiteral("→") : QStringLiteral("↓"));
    m_directionButton->setToolTip(sideways ? tr("Laid out left to right; click for top to bottom")
                                           : tr("Laid out top to bottom; click for left to right"));
}

void BuildView::showNode(GraphPart part, const NodeId& id)
{
    showPart(part);
    m_selection.select(part, {id});
    view(part).showNode(id);
}

void BuildView::setActivity(const std::map<NodeId, double>& gradientNorms)
{
    m_panes[index(GraphPart::Network)].scene->setActivity(gradientNorms);
}

/// Of what the network's canvas shows: all of it, or the group that is open.
NodeCheck BuildView::shownSums() const
{
    NodeCheck sums;
    const GraphCheck& check = m_document.check().network;
    if (m_document.place().path.empty()) {
        sums.parameters = check.parameters;
        sums.macs = check.macs;
        return sums;
    }
    for (const auto& [id, node] : m_document.shownNodes()) {
        sums.parameters += node.parameters;
        sums.macs += node.macs;
    }
    return sums;
}

void BuildView::updateSummary()
{
    if (!m_document.isOpen()) {
        m_summary->clear();
        return;
    }
    const ProjectCheck& check = m_document.check();
    QStringList parts;
    const auto nodes = static_cast<std::int64_t>(m_document.graph(m_active).nodes().size());
    parts << (nodes == 1 ? tr("1 node") : tr("%1 nodes").arg(countText(nodes)));
    if (m_active == GraphPart::Network && !check.network.nodes.empty()) {
        const NodeCheck shown = shownSums();
        parts << tr("%1 parameters").arg(countText(shown.parameters))
              << tr("%1 MACs per sample").arg(shortCountText(shown.macs));
    }
    const auto count = [&](Severity severity) {
        return std::count_if(check.problems.begin(), check.problems.end(),
                             [&](const Problem& problem) { return problem.severity == severity; });
    };
    const auto errors = count(Severity::Error);
    const auto warnings = count(Severity::Warning);
    if (m_document.isChecking()) {
        parts << tr("checking…");
    } else if (errors + warnings == 0) {
        parts << tr("no problems");
    }
    if (errors > 0) {
        parts << (errors == 1 ? tr("1 error") : tr("%1 errors").arg(errors));
    }
    if (warnings > 0) {
        parts << (warnings == 1 ? tr("1 warning") : tr("%1 warnings").arg(warnings));
    }
    m_summary->setText(parts.join(QStringLiteral("  ·  ")));
}

} // namespace athanor
