#include "engine/graph/group_edit.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/groups.h"

#include <algorithm>
#include <cctype>

namespace athanor {
namespace {

constexpr double kPortGap = 256; ///< between a group's port and its outermost nodes, canvas units

Error refusal(std::string message, std::string where, std::string hint = {})
{
    return Error{ErrorCode::InvalidArgument, std::move(message), std::move(where), std::move(hint), {}};
}

// Sorts the edges of a graph by the border of a set of nodes, and gives each tensor that crosses it a port.
class GroupMaker {
public:
    GroupMaker(const Graph& graph, const std::set<NodeId>& members) : m_graph(graph), m_members(members) {}

    std::optional<Error> refused() const;
    void collect();
    [[nodiscard]] Graph definition() const;
    [[nodiscard]] std::vector<Edge> edgesAround(const NodeId& instance) const;
    [[nodiscard]] Position place() const;
    [[nodiscard]] std::size_t index() const;

private:
    struct Port {
        PortRef tensor; ///< the output that crosses the border
        NodeId name;
    };
    [[nodiscard]] bool holds(const NodeId& id) const { return m_members.contains(id); }
    std::string freeName(const std::string& wish) const;
    const NodeId& nameOf(const std::vector<Port>& ports, const PortRef& tensor) const;
    void addPort(std::vector<Port>& ports, const PortRef& tensor, std::string wish);
    std::optional<Position> middleOf(const NodeId& port, bool isInput) const;

    const Graph& m_graph;
    const std::set<NodeId>& m_members;
    std::vector<Port> m_inputs;
    std::vector<Port> m_outputs;
    std::vector<Edge> m_inner;
};

std::optional<Error> GroupMaker::refused() const
{
    if (m_members.empty())
        return refusal("no node is selected", {}, "select the nodes that become the group");
    for (const NodeId& id : m_members) {
        const Node* node = m_graph.find(id);
        if (node == nullptr)
            return Error{ErrorCode::NotFound, "there is no node '" + id + "'", id, {}, {}};
        if (isGroupPort(*node))
            return refusal("'" + id + "' is a port of the group that it lies in", id, "leave it out");
    }
    for (const Node& node : m_graph.nodes())
        if (isShared(node) && m_graph.find(ownerOf(node)) != nullptr &&
            holds(node.id) != holds(ownerOf(node)))
            return refusal("'" + node.id + "' shares the weights of '" + ownerOf(node) +
                               "', so both belong into the group, or neither",
                           node.id, "select both");
    // A way that leaves the group and comes back would make the group feed itself.
    std::set<NodeId> outside; // behind the group
    for (const NodeId& id : m_graph.topologicalOrder())
        for (const Edge& edge : m_graph.incoming(id)) {
            if (holds(id) && outside.contains(edge.from.node))
                return refusal("the way into '" + id + "' leads through '" + edge.from.node +
                                   "', which is not selected but follows other nodes of the group",
                               edge.from.node, "select '" + edge.from.node + "' as well");
            if (!holds(id) && (holds(edge.from.node) || outside.contains(edge.from.node)))
                outside.insert(id);
        }
    return std::nullopt;
}

std::string GroupMaker::freeName(const std::string& wish) const
{
    const auto isUsed = [&](const std::string& name) {
        const auto named = [&](const Port& port) { return port.name == name; };
        return holds(name) || std::ranges::any_of(m_inputs, named) || std::ranges::any_of(m_outputs, named);
    };
    std::string name = wish;
    for (int number = 2; isUsed(name); ++number) {
        name = wish;
        name += std::to_string(number);
    }
    return name;
}

void GroupMaker::addPort(std::vector<Port>& ports, const PortRef& tensor, std::string wish)
{
    if (std::ranges::find(ports, tensor, &Port::tensor) == ports.end())
        ports.push_back({tensor, freeName(wish)});
}

const NodeId& GroupMaker::nameOf(const std::vector<Port>& ports, const PortRef& tensor) const
{
    return std::ranges::find(ports, tensor, &Port::tensor)->name;
}

void GroupMaker::collect()
{
    for (const Edge& edge : m_graph.edges()) {
        if (holds(edge.to.node) && !holds(edge.from.node)) {
            const bool telling = edge.to.port == "target" || edge.to.port.ends_with("mask");
            addPort(m_inputs, edge.from, telling ? edge.to.port : "input");
        } else if (holds(edge.from.node) && !holds(edge.to.node)) {
            addPort(m_outputs, edge.from, edge.from.port.empty() ? "output" : edge.from.port);
        }
    }
    std::set<Edge> once;
    const auto add = [&](Edge edge) {
        if (once.insert(edge).second)
            m_inner.push_back(std::move(edge));
    };
    for (const Edge& edge : m_graph.edges()) {
        if (holds(edge.from.node))
            add(holds(edge.to.node) ? edge : Edge{edge.from, {nameOf(m_outputs, edge.from), {}}});
        else if (holds(edge.to.node))
            add({{nameOf(m_inputs, edge.from), {}}, edge.to});
    }
}

// Beside the members that a port feeds or is fed by.
std::optional<Position> GroupMaker::middleOf(const NodeId& port, bool isInput) const
{
    std::optional<double> edgeX;
    double sum = 0;
    int count = 0;
    for (const auto& [id, position] : m_graph.positions()) {
        if (!holds(id))
            continue;
        edgeX = !edgeX ? position.x : isInput ? std::min(*edgeX, position.x) : std::max(*edgeX, position.x);
        const bool beside = std::ranges::any_of(m_inner, [&](const Edge& edge) {
            return isInput ? edge.from.node == port && edge.to.node == id
                           : edge.to.node == port && edge.from.node == id;
        });
        sum += beside ? position.y : 0;
        count += beside ? 1 : 0;
    }
    if (!edgeX || count == 0)
        return std::nullopt;
    return Position{*edgeX + (isInput ? -kPortGap : kPortGap), sum / count};
}

Graph GroupMaker::definition() const
{
    std::vector<Node> nodes;
    std::map<NodeId, Position> positions;
    const auto addPorts = [&](const std::vector<Port>& ports, const char* kind) {
        for (const Port& port : ports) {
            nodes.push_back({port.name, kind, Json::object(), Json::object()});
            auto position = middleOf(port.name, kind == kGroupInputKind);
            const auto taken = [&](const auto& other) { return other.second == *position; };
            while (position && std::ranges::any_of(positions, taken))
                position->y += kPortGap / 4;
            if (position)
                positions[port.name] = *position;
        }
    };
    addPorts(m_inputs, kGroupInputKind);
    for (const Node& node : m_graph.nodes())
        if (holds(node.id))
            nodes.push_back(node);
    addPorts(m_outputs, kGroupOutputKind);
    for (const auto& [id, position] : m_graph.positions())
        if (holds(id))
            positions[id] = position;
    // Cannot fail: the names were valid where they come from, and those of the ports are free.
    return std::move(buildGraph(std::move(nodes), m_inner, std::move(positions))).value();
}

std::vector<Edge> GroupMaker::edgesAround(const NodeId& instance) const
{
    const auto end = [&](const std::vector<Port>& ports, const PortRef& tensor) {
        return PortRef{instance, ports.size() > 1 ? nameOf(ports, tensor) : std::string()};
    };
    std::vector<Edge> edges;
    const auto add = [&](Edge edge) {
        if (std::ranges::find(edges, edge) == edges.end())
            edges.push_back(std::move(edge));
    };
    for (const Edge& edge : m_graph.edges()) {
        const bool from = holds(edge.from.node), to = holds(edge.to.node);
        if (!from && !to)
            edges.push_back(edge);
        else if (!from)
            add({edge.from, end(m_inputs, edge.from)});
        else if (!to)
            add({end(m_outputs, edge.from), edge.to});
    }
    return edges;
}

// The middle of the members.
Position GroupMaker::place() const
{
    std::optional<Position> low, high;
    for (const auto& [id, at] : m_graph.positions()) {
        if (!holds(id))
            continue;
        low = low ? Position{std::min(low->x, at.x), std::min(low->y, at.y)} : at;
        high = high ? Position{std::max(high->x, at.x), std::max(high->y, at.y)} : at;
    }
    return low ? Position{(low->x + high->x) / 2, (low->y + high->y) / 2} : Position{};
}

std::size_t GroupMaker::index() const
{
    const auto first =
        std::ranges::find_if(m_graph.nodes(), [&](const Node& node) { return holds(node.id); });
    return static_cast<std::size_t>(first - m_graph.nodes().begin());
}

// "BasicBlock" → basicblock1
NodeId instanceName(const Graph& graph, const std::string& definition)
{
    std::string stem;
    for (const char c : definition)
        stem += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    while (!stem.empty() && std::isdigit(static_cast<unsigned char>(stem.back())) != 0)
        stem.pop_back();
    return freeNodeId(graph, stem);
}

Node instanceOf(NodeId id, const std::string& definition)
{
    return {std::move(id), kGroupKind, {{"definition", definition}}, Json::object()};
}

std::size_t indexOf(const Graph& graph, const std::string& definition)
{
    const auto it = std::ranges::find(graph.definitions(), definition, &GroupDefinition::name);
    return static_cast<std::size_t>(it - graph.definitions().begin());
}

} // namespace

std::string freeDefinitionName(const Graph& graph, std::string_view wish)
{
    std::string name(wish);
    for (int number = 2; graph.definition(name) != nullptr; ++number) {
        name = wish;
        name += std::to_string(number);
    }
    return name;
}

std::vector<GraphEdit> drawMissing(const std::vector<Edge>& now, const std::vector<Edge>& wanted)
{
    std::vector<GraphEdit> edits;
    std::size_t there = 0;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (there < now.size() && now[there] == wanted[i])
            ++there;
        else
            edits.push_back(GraphEdit{edit::Connect{wanted[i], i}});
    }
    return edits;
}

Result<GroupEdit> makeGroup(const Graph& graph, const std::string& inside, const std::set<NodeId>& nodes,
                            const std::string& name)
{
    const Graph level = inside.empty() ? graph : insideOf(graph, inside);
    GroupMaker maker(level, nodes);
    if (auto error = maker.refused())
        return *std::move(error);
    maker.collect();
    const NodeId instance = instanceName(level, name);
    edit::Sequence steps{{GraphEdit{edit::AddDefinition{{name, maker.definition(), Json::object()}, {}}}}};
    for (const NodeId& id : nodes)
        steps.edits.push_back(GraphEdit{edit::RemoveNode{id}});
    steps.edits.push_back(GraphEdit{edit::AddNode{instanceOf(instance, name), maker.place(), maker.index()}});
    std::vector<Edge> left = level.edges();
    std::erase_if(left, [&](const Edge& edge) {
        return nodes.contains(edge.from.node) || nodes.contains(edge.to.node);
    });
    std::ranges::move(drawMissing(left, maker.edgesAround(instance)), std::back_inserter(steps.edits));
    GroupEdit made{editInside(inside, GraphEdit{std::move(steps)}), {instance}};
    Graph trial = graph; // the name may be refused
    if (auto change = apply(trial, made.edit); !change)
        return change.error();
    return made;
}

Result<GroupEdit> detachGroup(const Graph& graph, const std::string& inside, const NodeId& instance)
{
    const Graph level = inside.empty() ? graph : insideOf(graph, inside);
    const Node* node = level.find(instance);
    const Graph* body = node != nullptr && isGroup(*node) ? graph.definition(definitionOf(*node)) : nullptr;
    if (body == nullptr)
        return refusal("'" + instance + "' is no instance of a group", instance);
    std::string stem = definitionOf(*node);
    while (stem.size() > 1 && std::isdigit(static_cast<unsigned char>(stem.back())) != 0)
        stem.pop_back();
    const std::string name = freeDefinitionName(graph, stem);
    edit::AddDefinition add{{name, *body, Json::object()}, indexOf(graph, definitionOf(*node)) + 1};
    edit::Sequence steps{
        {GraphEdit{std::move(add)}, GraphEdit{edit::SetParameter{instance, "definition", Json(name)}}}};
    return GroupEdit{editInside(inside, GraphEdit{std::move(steps)}), {instance}};
}

Result<GroupEdit> placeGroup(const Graph& graph, const std::string& inside, const std::string& definition,
                             std::optional<Position> position)
{
    const Graph* body = graph.definition(definition);
    if (body == nullptr)
        return Error{
            ErrorCode::NotFound, "there is no group '" + definition + "'", "groups/" + definition, {}, {}};
    const auto held = definitionsUsedBy(graph, *body);
    if (!inside.empty() && (inside == definition || std::ranges::find(held, inside) != held.end()))
        return refusal("the group '" + definition + "' would hold itself", "groups/" + definition,
                       "use it outside of '" + inside + "'");
    const Graph level = inside.empty() ? graph : insideOf(graph, inside);
    const NodeId id = instanceName(level, definition);
    GraphEdit add{edit::AddNode{instanceOf(id, definition), position, {}}};
    return GroupEdit{editInside(inside, std::move(add)), {id}};
}

} // namespace athanor
