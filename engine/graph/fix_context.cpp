#include "engine/graph/fix_context.h"

#include "engine/graph/graph_rewrite.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace athanor {
namespace {

// Distance between the corners of neighbouring nodes, canvas units; a node is about 170 × 56.
constexpr double kStepRight = 260;
constexpr double kStepDown = 110;

struct Step {
    double x = 0;
    double y = 0;
};

// Everything behind `from`, as seen along the edge, moves so that `count` nodes fit in between.
edit::Move makeRoom(const Graph& graph, const Position& from, const Position& to, const Step& step, std::size_t count)
{
    edit::Move move;
    const bool sideways = step.x != 0;
    const double missing = sideways ? static_cast<double>(count + 1) * step.x - (to.x - from.x)
                                    : static_cast<double>(count + 1) * step.y - (to.y - from.y);
    if (missing <= 0)
        return move;
    for (const auto& [id, place] : graph.positions())
        if (sideways ? place.x >= to.x : place.y >= to.y)
            move.to[id] = Position{place.x + (sideways ? missing : 0), place.y + (sideways ? 0 : missing)};
    return move;
}

bool enters(const Edge& edge, const NodeId& id, const std::string& port, bool isFirst)
{
    return edge.to.node == id && (edge.to.port == port || (isFirst && edge.to.port.empty()));
}

} // namespace

FixContext::FixContext(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes,
               const Problem& problem, const std::optional<ProblemPlace>& place)
    : m_graph(graph), m_setting(setting), m_nodes(nodes), m_problem(problem)
{
    m_node = place ? graph.find(place->node) : nullptr;
    if (m_node != nullptr) {
        m_detail = place->detail;
        m_kind = resolveKind(graph, *m_node, *setting.catalog);
    }
}

KindPtr FixContext::kindOf(const NodeId& id) const
{
    const Node* node = m_graph.find(id);
    return node != nullptr ? resolveKind(m_graph, *node, catalog()) : nullptr;
}

std::optional<TensorType> FixContext::typeOf(const Edge& edge) const
{
    const auto check = m_nodes.find(edge.from.node);
    const KindPtr kind = kindOf(edge.from.node);
    if (check == m_nodes.end() || !kind)
        return std::nullopt;
    for (std::size_t i = 0; i < kind->outputs.size() && i < check->second.outputs.size(); ++i)
        if (kind->outputs[i].name == edge.from.port || (i == 0 && edge.from.port.empty()))
            return check->second.outputs[i];
    return std::nullopt;
}

std::vector<Edge> FixContext::edgesInto(const NodeId& id, const std::string& port) const
{
    const KindPtr kind = kindOf(id);
    const bool isFirst = kind && !kind->inputs.empty() && kind->inputs.front().name == port;
    std::vector<Edge> edges = m_graph.incoming(id);
    std::erase_if(edges, [&](const Edge& edge) { return !enters(edge, id, port, isFirst); });
    return edges;
}

std::optional<Edge> FixContext::mainInput(const NodeId& id) const
{
    const KindPtr kind = kindOf(id);
    if (!kind || kind->inputs.empty())
        return std::nullopt;
    const std::vector<Edge> edges = edgesInto(id, kind->inputs.front().name);
    return edges.size() == 1 ? std::optional(edges.front()) : std::nullopt;
}

Json FixContext::paramsOf(const NodeId& id) const
{
    const auto check = m_nodes.find(id);
    return check == m_nodes.end() ? Json::object() : check->second.params;
}

bool FixContext::leadsTo(const NodeId& from, const NodeId& to) const
{
    std::vector<NodeId> open{from};
    std::set<NodeId> seen;
    while (!open.empty()) {
        const NodeId id = std::move(open.back());
        open.pop_back();
        if (id == to)
            return true;
        if (!seen.insert(id).second)
            continue;
        for (const Edge& edge : m_graph.outgoing(id))
            open.push_back(edge.to.node);
    }
    return false;
}

Node FixContext::newNode(const std::string& kind, Json params) const
{
    const NodeKind* known = catalog().find(kind);
    return {known != nullptr ? newNodeName(m_graph, *known) : freeNodeId(m_graph, "node"), kind, std::move(params),
            Json::object()};
}

GraphEdit replaceNode(const Graph& graph, Node node)
{
    Graph copy = graph;
    const GraphEdit remove{edit::RemoveNode{node.id}};
    edit::Sequence sequence{{remove}};
    if (Result<GraphChange> removed = apply(copy, remove)) {
        GraphEdit back = std::move(removed->inverse);
        auto& steps = std::get<edit::Sequence>(back.what).edits;
        std::get<edit::AddNode>(steps.front().what).node = std::move(node);
        sequence.edits.push_back(std::move(back));
    }
    return GraphEdit{std::move(sequence)};
}

Node withKind(const Node& node, const NodeKind& kind)
{
    Node changed = node;
    changed.kind = kind.kind;
    for (const auto& [name, value] : node.params.items())
        if (kind.param(name) == nullptr)
            changed.params.erase(name);
    return changed;
}

GraphEdit insertOnEdge(const Graph& graph, const Edge& edge, std::vector<Node> nodes)
{
    const auto place = std::find(graph.edges().begin(), graph.edges().end(), edge);
    const auto index = static_cast<std::size_t>(place - graph.edges().begin());
    const auto from = graph.positions().find(edge.from.node), to = graph.positions().find(edge.to.node);
    const bool placed = from != graph.positions().end() && to != graph.positions().end();
    edit::Sequence sequence{{GraphEdit{edit::Disconnect{edge}}}};
    Step step;
    if (placed) {
        const double dx = to->second.x - from->second.x, dy = to->second.y - from->second.y;
        (std::abs(dx) >= std::abs(dy) ? step.x : step.y) = std::abs(dx) >= std::abs(dy) ? kStepRight : kStepDown;
        edit::Move move = makeRoom(graph, from->second, to->second, step, nodes.size());
        if (!move.to.empty())
            sequence.edits.push_back(GraphEdit{std::move(move)});
    }
    PortRef last = edge.from;
    double count = 0;
    for (Node& node : nodes) {
        ++count;
        std::optional<Position> position;
        if (placed)
            position = Position{from->second.x + count * step.x, from->second.y + count * step.y};
        const NodeId id = node.id;
        sequence.edits.push_back(GraphEdit{edit::AddNode{std::move(node), position, {}}});
        sequence.edits.push_back(GraphEdit{edit::Connect{{last, {id, {}}}, {}}});
        last = {id, {}};
    }
    // Where several edges enter one port their order counts: the new one takes the place of the old.
    sequence.edits.push_back(GraphEdit{edit::Connect{{last, edge.to}, index}});
    return GraphEdit{std::move(sequence)};
}

std::optional<Position> placeBeside(const Graph& graph, const NodeId& id, double dx, double dy)
{
    const auto place = graph.positions().find(id);
    if (place == graph.positions().end())
        return std::nullopt;
    return Position{place->second.x + dx * kStepRight, place->second.y + dy * kStepDown};
}

} // namespace athanor
