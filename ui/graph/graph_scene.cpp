#include "ui/graph/graph_scene.h"

#include "engine/graph/resolved_kind.h"
#include "ui/bridge/graph_placement.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/node_looks.h"
#include "ui/graph/node_text.h"

#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kSnap = 4;      ///< moved nodes end on the 4 px grid
constexpr double kDotStep = 24;  ///< of the background's dots
constexpr double kDotZoom = 0.7; ///< dots are drawn from here on

double snapped(double value)
{
    return std::round(value / kSnap) * kSnap;
}

const QString kNudgeKey = QStringLiteral("nudge");

} // namespace

GraphScene::GraphScene(ProjectDocument& document, Selection& selection, GraphPart part, const Theme& theme,
                       QObject* parent)
    : QGraphicsScene(parent), m_document(document), m_selection(selection), m_part(part), m_style(theme)
{
    connect(&document, &ProjectDocument::loaded, this, &GraphScene::rebuild);
    connect(&document, &ProjectDocument::graphChanged, this, &GraphScene::followChange);
    connect(&document, &ProjectDocument::trainingChanged, this, &GraphScene::refreshLooks);
    connect(&document, &ProjectDocument::checked, this, &GraphScene::refreshLooks);
    connect(&selection, &Selection::changed, this, &GraphScene::syncSelection);
    connect(this, &QGraphicsScene::selectionChanged, this, &GraphScene::reportSelection);
    connect(&theme, &Theme::changed, this, &GraphScene::restyle);
    rebuild();
}

GraphScene::~GraphScene()
{
    m_syncing = true; // going items deselect themselves; that is not the user's wish
}

NodeItem* GraphScene::nodeItem(const NodeId& id) const
{
    const auto found = m_nodes.find(id);
    return found == m_nodes.end() ? nullptr : found->second;
}

EdgeItem* GraphScene::edgeItem(const Edge& edge) const
{
    const auto found = m_edges.find(edge);
    return found == m_edges.end() ? nullptr : found->second;
}

QRectF GraphScene::nodesRect() const
{
    QRectF rect;
    for (const auto& [id, item] : m_nodes) {
        rect |= item->box();
    }
    return rect;
}

void GraphScene::rebuild()
{
    const QScopedValueRollback guard(m_syncing, true);
    m_edges.clear();
    m_edgesOf.clear();
    m_nodes.clear();
    clear();
    syncItems();
    refreshLooks();
    syncSelection();
    Q_EMIT rebuilt();
}

void GraphScene::followChange(GraphPart part, const std::set<std::string>& touched, bool semantic)
{
    if (part != m_part) {
        return;
    }
    const QScopedValueRollback guard(m_syncing, true);
    if (semantic) {
        syncItems();
        refreshLooks();
        syncSelection();
    }
    for (const std::string& id : touched) {
        placeNode(id);
    }
    Q_EMIT contentChanged();
}

/// Makes the items that are missing and removes those whose node or edge is gone.
void GraphScene::syncItems()
{
    const std::set<Edge> edges(graph().edges().begin(), graph().edges().end());
    for (auto entry = m_edges.begin(); entry != m_edges.end();) {
        if (edges.contains(entry->first)) {
            ++entry;
        } else {
            delete entry->second;
            entry = m_edges.erase(entry);
        }
    }
    std::set<NodeId> ids;
    for (const Node& node : graph().nodes()) {
        ids.insert(node.id);
    }
    for (auto entry = m_nodes.begin(); entry != m_nodes.end();) {
        if (ids.contains(entry->first)) {
            ++entry;
        } else {
            delete entry->second;
            entry = m_nodes.erase(entry);
        }
    }
    for (const Node& node : graph().nodes()) {
        if (!m_nodes.contains(node.id)) {
            addNode(node.id);
        }
    }
    for (const Edge& edge : graph().edges()) {
        const NodeItem* from = nodeItem(edge.from.node);
        const NodeItem* to = nodeItem(edge.to.node);
        if (from && to && !m_edges.contains(edge)) { // a damaged file may name nodes that are not there
            auto* item = new EdgeItem(edge, *from, *to, m_style);
            addItem(item);
            m_edges[edge] = item;
        }
    }
    syncLanes();
}

void GraphScene::addNode(const NodeId& id)
{
    auto* item = new NodeItem(id, m_style);
    m_nodes[id] = item;
    placeNode(id);
    addItem(item);
    item->onMoved([this, id] { rerouteEdgesOf(id); });
}

void GraphScene::placeNode(const NodeId& id)
{
    NodeItem* item = nodeItem(id);
    const auto position = graph().positions().find(id);
    if (item && position != graph().positions().end()) {
        item->setPos(position->second.x, position->second.y);
    }
}

void GraphScene::rerouteEdgesOf(const NodeId& id)
{
    const auto found = m_edgesOf.find(id);
    if (found == m_edgesOf.end()) {
        return;
    }
    for (EdgeItem* edge : found->second) {
        edge->reroute();
    }
}

/// Gives the edges into a node places side by side, in the order of its ports, and those out of it one
/// place per output.
void GraphScene::syncLanes()
{
    m_edgesOf.clear();
    std::unordered_map<NodeId, KindPtr> kinds;
    for (const Node& node : graph().nodes()) {
        kinds[node.id] = resolveKind(graph(), node, catalogOf(m_part));
    }
    const auto inputPlace = [&](const Edge& edge) -> std::ptrdiff_t {
        const KindPtr& kind = kinds[edge.to.node];
        if (!kind || edge.to.port.empty()) {
            return 0;
        }
        const auto port = std::find_if(kind->inputs.begin(), kind->inputs.end(),
                                       [&](const PortSpec& spec) { return spec.name == edge.to.port; });
        return port - kind->inputs.begin();
    };
    std::unordered_map<NodeId, std::vector<EdgeItem*>> into;
    for (const Edge& edge : graph().edges()) {
        if (EdgeItem* item = edgeItem(edge)) {
            into[edge.to.node].push_back(item);
            m_edgesOf[edge.from.node].push_back(item);
            m_edgesOf[edge.to.node].push_back(item);
        }
    }
    for (auto& [id, edges] : into) {
        std::stable_sort(edges.begin(), edges.end(), [&](const EdgeItem* a, const EdgeItem* b) {
            return inputPlace(a->edge()) < inputPlace(b->edge());
        });
        for (std::size_t i = 0; i < edges.size(); ++i) {
            const Edge& edge = edges[i]->edge();
            const KindPtr& source = kinds[edge.from.node];
            const int outputs = source ? std::max(1, static_cast<int>(source->outputs.size())) : 1;
            edges[i]->setLanes({std::max(0, outputIndex(source.get(), edge.from.port)), outputs},
                               {static_cast<int>(i), static_cast<int>(edges.size())});
        }
    }
}

void GraphScene::refreshLooks()
{
    const NodeLooks looks(m_document, m_part);
    for (const Node& node : graph().nodes()) {
        nodeItem(node.id)->setLook(looks.node(node));
    }
    for (const auto& [edge, item] : m_edges) {
        item->setLook(looks.edge(edge));
    }
    Q_EMIT contentChanged();
}

void GraphScene::restyle()
{
    m_style.refresh();
    update();
    Q_EMIT contentChanged();
}

std::optional<NodeId> GraphScene::current() const
{
    if (m_selection.part() != m_part || m_selection.nodes().empty()) {
        return std::nullopt;
    }
    return *m_selection.nodes().begin();
}

void GraphScene::selectOnly(const NodeId& id)
{
    m_selection.select(m_part, {id});
}

void GraphScene::selectAll()
{
    std::set<NodeId> ids;
    for (const Node& node : graph().nodes()) {
        ids.insert(node.id);
    }
    m_selection.select(m_part, std::move(ids));
}

void GraphScene::syncSelection()
{
    const QScopedValueRollback guard(m_syncing, true);
    const bool ours = m_selection.part() == m_part;
    for (const auto& [id, item] : m_nodes) {
        item->setSelected(ours && m_selection.nodes().contains(id));
    }
    Q_EMIT contentChanged();
}

void GraphScene::reportSelection()
{
    if (m_syncing) {
        return;
    }
    std::set<NodeId> ids;
    for (const QGraphicsItem* item : selectedItems()) {
        if (const auto* node = qgraphicsitem_cast<const NodeItem*>(item)) {
            ids.insert(node->id());
        }
    }
    m_selection.select(m_part, std::move(ids));
}

void GraphScene::mouseReleaseEvent(QGraphicsSceneMouseEvent* event)
{
    QGraphicsScene::mouseReleaseEvent(event);
    commitMoves();
}

void GraphScene::commitMoves()
{
    edit::Move move;
    for (const QGraphicsItem* item : selectedItems()) {
        const auto* node = qgraphicsitem_cast<const NodeItem*>(item);
        const auto before = node ? graph().positions().find(node->id()) : graph().positions().end();
        if (before != graph().positions().end() && node->pos() != QPointF(before->second.x, before->second.y)) {
            move.to[node->id()] = Position{snapped(node->pos().x()), snapped(node->pos().y())};
        }
    }
    if (move.to.empty()) {
        return;
    }
    const QString text = move.to.size() == 1 ? tr("Move %1").arg(QString::fromStdString(move.to.begin()->first))
                                             : tr("Move %1 nodes").arg(move.to.size());
    (void)m_document.push(m_part, GraphEdit{move}, text);
    for (const auto& [id, position] : move.to) {
        placeNode(id); // on the grid, or back where it was
    }
}

void GraphScene::nudgeSelected(const QPointF& delta)
{
    edit::Move move;
    if (m_selection.part() == m_part) {
        for (const NodeId& id : m_selection.nodes()) {
            if (const auto position = graph().positions().find(id); position != graph().positions().end()) {
                move.to[id] = Position{position->second.x + delta.x(), position->second.y + delta.y()};
            }
        }
    }
    if (!move.to.empty()) {
        (void)m_document.push(m_part, GraphEdit{move}, tr("Move the selected nodes"), kNudgeKey);
    }
}

void GraphScene::endNudge()
{
    m_document.endMerge();
}

void GraphScene::layOut(LayoutDirection direction)
{
    edit::Move move;
    for (const auto& [id, position] : athanor::layOut(graph(), direction)) {
        move.to[id] = position;
    }
    (void)m_document.push(m_part, GraphEdit{move},
                          m_part == GraphPart::Data ? tr("Lay out the data") : tr("Lay out the network"));
}

void GraphScene::setActivity(const std::map<NodeId, double>& gradientNorms)
{
    for (const auto& [id, item] : m_nodes) {
        const auto norm = gradientNorms.find(id);
        item->setActivity(norm == gradientNorms.end() ? std::nullopt : std::optional(norm->second));
    }
}

void GraphScene::drawBackground(QPainter* painter, const QRectF& rect)
{
    painter->fillRect(rect, m_style.color(ColorRole::Surface));
    if (painter->worldTransform().m11() < kDotZoom) {
        return;
    }
    QList<QPointF> dots;
    for (double x = std::floor(rect.left() / kDotStep) * kDotStep; x <= rect.right(); x += kDotStep) {
        for (double y = std::floor(rect.top() / kDotStep) * kDotStep; y <= rect.bottom(); y += kDotStep) {
            dots << QPointF(x, y);
        }
    }
    painter->setPen(QPen(m_style.color(ColorRole::Border), 1.5, Qt::SolidLine, Qt::RoundCap));
    painter->drawPoints(dots.constData(), static_cast<int>(dots.size()));
}

} // namespace athanor
