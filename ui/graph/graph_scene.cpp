#include "ui/graph/graph_scene.h"

#include "engine/graph/groups.h"
#include "engine/graph/resolved_kind.h"
#include "ui/bridge/graph_placement.h"
#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/node_looks.h"
#include "ui/graph/node_text.h"

#include <QPainter>
#include <QScopedValueRollback>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kDotStep = 24;  ///< of the background's dots
constexpr double kDotZoom = 0.7; ///< dots are drawn from here on

/// Top to bottom when more edges lead down by a node's height than right by its width: a layout from top to
/// bottom keeps the former for every edge, one from left to right the latter.
LayoutDirection flowOf(const Graph& graph)
{
    int sideways = 0;
    int down = 0;
    for (const Edge& edge : graph.edges()) {
        const auto from = graph.positions().find(edge.from.node);
        const auto to = graph.positions().find(edge.to.node);
        if (from != graph.positions().end() && to != graph.positions().end()) {
            sideways += to->second.x - from->second.x >= kNodeSize.width ? 1 : 0;
            down += to->second.y - from->second.y >= kNodeSize.height ? 1 : 0;
        }
    }
    return down > sideways ? LayoutDirection::TopToBottom : LayoutDirection::LeftToRight;
}

/// The norm of a node; of a group, that of all its members together. Nothing while none is known.
std::optional<double> normOf(const std::map<NodeId, double>& norms, const std::string& flat)
{
    if (const auto own = norms.find(flat); own != norms.end()) {
        return own->second;
    }
    std::optional<double> squares;
    const std::string prefix = flat + "/";
    for (auto member = norms.lower_bound(prefix); member != norms.end() && member->first.starts_with(prefix); ++member) {
        squares = squares.value_or(0) + member->second * member->second;
    }
    return squares ? std::optional(std::sqrt(*squares)) : std::nullopt;
}

} // namespace

GraphScene::GraphScene(ProjectDocument& document, Selection& selection, GraphPart part, const Theme& theme,
                       QObject* parent)
    : QGraphicsScene(parent), m_document(document), m_selection(selection), m_part(part), m_style(theme),
      m_editor(document, selection, part), m_wire(*this, m_editor)
{
    connect(&document, &ProjectDocument::loaded, this, &GraphScene::rebuild);
    connect(&document, &ProjectDocument::placeChanged, this, [this] {
        if (m_part == GraphPart::Network) {
            rebuild();
        }
    });
    connect(&document, &ProjectDocument::graphChanged, this, &GraphScene::followChange);
    connect(&document, &ProjectDocument::trainingChanged, this, &GraphScene::refreshLooks);
    connect(&document, &ProjectDocument::checked, this, &GraphScene::refreshLooks);
    connect(&selection, &Selection::changed, this, &GraphScene::syncSelection);
    connect(this, &QGraphicsScene::selectionChanged, this, &GraphScene::reportSelection);
    connect(&theme, &Theme::changed, this, &GraphScene::restyle);
    connect(&m_editor, &CanvasEditor::commentsPasted, this, &GraphScene::selectComments);
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
    for (const auto& [name, item] : m_comments) {
        rect |= item->box();
    }
    return rect;
}

CommentItem* GraphScene::commentItem(const std::string& name) const
{
    const auto found = m_comments.find(name);
    return found == m_comments.end() ? nullptr : found->second;
}

void GraphScene::setFlow(LayoutDirection flow)
{
    if (flow == m_style.flow) {
        return;
    }
    m_style.flow = flow;
    for (const auto& [edge, item] : m_edges) {
        item->reroute();
    }
    update();
    Q_EMIT flowChanged();
    Q_EMIT contentChanged();
}

void GraphScene::rebuild()
{
    const QScopedValueRollback guard(m_syncing, true);
    m_wire.cancel();
    m_markedEdge = nullptr;
    m_guides.clear();
    m_comments.clear();
    m_edges.clear();
    m_edgesOf.clear();
    m_nodes.clear();
    clear();
    setFlow(flowOf(graph()));
    syncItems();
    syncComments();
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
        m_wire.cancel();
        markEdge(nullptr);
        syncItems();
        refreshLooksOf(touched);
        syncSelection();
    }
    syncComments();
    for (const std::string& id : touched) {
        placeNode(id);
    }
    if (!semantic && touched.size() > 1 && touched.size() == graph().nodes().size()) {
        setFlow(flowOf(graph())); // laid out anew, or that undone
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
    syncPlaces();
}

void GraphScene::syncComments()
{
    const auto& comments = graph().comments();
    for (auto entry = m_comments.begin(); entry != m_comments.end();) {
        if (comments.contains(entry->first)) {
            ++entry;
        } else {
            delete entry->second;
            entry = m_comments.erase(entry);
        }
    }
    for (const auto& [name, comment] : comments) {
        CommentItem*& item = m_comments[name];
        if (!item) {
            item = new CommentItem(name, m_style);
            item->setComment(comment);
            addItem(item);
        } else if (!(item->shown() == comment)) {
            item->setComment(comment);
        }
    }
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

namespace {

/// The edges at one node, by the port that they use.
struct EdgesByPort {
    std::map<std::string, std::vector<EdgeItem*>> into;
    std::map<std::string, std::vector<EdgeItem*>> from;
};

const std::string& portName(const std::vector<PortSpec>& ports, const std::string& written)
{
    return written.empty() && !ports.empty() ? ports.front().name : written;
}

/// Ports of the kind, and behind them those that only edges know (a kind that no catalog has, a renamed port).
std::vector<PortSpec> drawnPorts(std::vector<PortSpec> ports, const std::map<std::string, std::vector<EdgeItem*>>& used)
{
    for (const auto& [name, edges] : used) {
        if (std::none_of(ports.begin(), ports.end(), [&](const PortSpec& port) { return port.name == name; })) {
            ports.push_back({name});
        }
    }
    return ports;
}

} // namespace

/// Gives every edge its places at both nodes. A port that takes many edges has a place for each.
void GraphScene::syncPlaces()
{
    m_edgesOf.clear();
    std::unordered_map<NodeId, KindPtr> kinds;
    for (const Node& node : graph().nodes()) {
        kinds[node.id] = resolveKind(graph(), node, catalogOf(m_part));
    }
    static const std::vector<PortSpec> kNone;
    std::unordered_map<NodeId, EdgesByPort> byPort;
    for (const Edge& edge : graph().edges()) {
        if (EdgeItem* item = edgeItem(edge)) {
            const KindPtr& source = kinds[edge.from.node];
            const KindPtr& target = kinds[edge.to.node];
            byPort[edge.from.node].from[portName(source ? source->outputs : kNone, edge.from.port)].push_back(item);
            byPort[edge.to.node].into[portName(target ? target->inputs : kNone, edge.to.port)].push_back(item);
            m_edgesOf[edge.from.node].push_back(item);
            m_edgesOf[edge.to.node].push_back(item);
        }
    }
    std::unordered_map<const EdgeItem*, std::pair<std::size_t, std::size_t>> joined;
    for (const Node& node : graph().nodes()) {
        const KindPtr& kind = kinds[node.id];
        EdgesByPort& edges = byPort[node.id];
        NodePlaces places;
        for (const PortSpec& port : drawnPorts(kind ? kind->inputs : kNone, edges.into)) {
            const auto& ending = edges.into[port.name];
            for (std::size_t i = 0; i < ending.size(); ++i) {
                joined[ending[i]].second = places.inputs.size() + (port.variadic ? i : 0);
            }
            const std::size_t count = port.variadic ? std::max<std::size_t>(1, ending.size()) : 1;
            places.inputs.insert(places.inputs.end(), count, {port.name, port.optional, !ending.empty()});
        }
        for (const PortSpec& port : drawnPorts(kind ? kind->outputs : kNone, edges.from)) {
            for (const EdgeItem* leaving : edges.from[port.name]) {
                joined[leaving].first = places.outputs.size();
            }
            places.outputs.push_back({port.name, false, !edges.from[port.name].empty()});
        }
        nodeItem(node.id)->setPlaces(std::move(places));
    }
    for (const auto& [edge, item] : m_edges) {
        item->setPlaces(joined[item].first, joined[item].second);
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

/// After an edit nothing else looks different: what follows from shapes and problems comes with the next check.
void GraphScene::refreshLooksOf(const std::set<NodeId>& nodes)
{
    const NodeLooks looks(m_document, m_part);
    for (const Node& node : graph().nodes()) {
        if (!nodes.contains(node.id)) {
            continue;
        }
        nodeItem(node.id)->setLook(looks.node(node));
        const auto edges = m_edgesOf.find(node.id);
        for (EdgeItem* item : edges == m_edgesOf.end() ? std::vector<EdgeItem*>() : edges->second) {
            item->setLook(looks.edge(item->edge()));
        }
    }
}

void GraphScene::restyle()
{
    m_style.refresh();
    update();
    Q_EMIT contentChanged();
}

bool GraphScene::isGroupInstance(const NodeId& id) const
{
    const Node* node = graph().find(id);
    return node && isGroup(*node) && graph().definition(definitionOf(*node));
}

void GraphScene::layOut(LayoutDirection direction)
{
    setFlow(direction);
    edit::Move move;
    for (const auto& [id, position] : athanor::layOut(graph(), direction)) {
        move.to[id] = position;
    }
    (void)m_document.push(m_part, GraphEdit{move},
                          m_part == GraphPart::Data ? tr("Lay out the data") : tr("Lay out the network"));
}

void GraphScene::setActivity(const std::map<NodeId, double>& gradientNorms)
{
    const std::string& prefix = m_document.place().prefix;
    for (const auto& [id, item] : m_nodes) {
        item->setActivity(normOf(gradientNorms, m_part == GraphPart::Network ? prefix + id : id));
    }
}

void GraphScene::drawBackground(QPainter* painter, const QRectF& rect)
{
    painter->fillRect(rect, m_style.color(ColorRole::Surface));
    if (painter->worldTransform().m11() < kDotZoom) {
        return;
    }
    // Two pixels wide, without a pen: round points made smooth took longer than all the nodes above them.
    const QTransform toDevice = painter->worldTransform();
    QList<QRect> dots;
    for (double x = std::floor(rect.left() / kDotStep) * kDotStep; x <= rect.right(); x += kDotStep) {
        for (double y = std::floor(rect.top() / kDotStep) * kDotStep; y <= rect.bottom(); y += kDotStep) {
            dots << QRect(toDevice.map(QPointF(x, y)).toPoint(), QSize(2, 2));
        }
    }
    painter->save();
    painter->setWorldMatrixEnabled(false);
    painter->setRenderHint(QPainter::Antialiasing, false);
    painter->setPen(Qt::NoPen);
    painter->setBrush(m_style.color(ColorRole::Grid));
    painter->drawRects(dots);
    painter->restore();
}

} // namespace athanor
