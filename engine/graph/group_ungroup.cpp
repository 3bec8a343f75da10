#include "engine/graph/flat_graph.h"
#include "engine/graph/group_edit.h"
#include "engine/graph/groups.h"

#include <algorithm>

namespace athanor {
namespace {

constexpr double kCopyGap = 256; ///< between two copies of a repeated group, canvas units

// Puts the members of an instance, all copies of it, in its place.
class Ungrouper {
public:
    Ungrouper(const Graph& level, const Node& instance, const Graph& inside)
        : m_level(level), m_instance(instance), m_inside(inside), m_inputs(groupInputs(inside)),
          m_outputs(groupOutputs(inside)), m_copies(static_cast<std::size_t>(repeatOf(instance)))
    {
        nameMembers();
    }
    [[nodiscard]] std::vector<GraphEdit> edits() const;
    [[nodiscard]] std::set<NodeId> nodes() const;

private:
    void nameMembers();
    [[nodiscard]] std::vector<Node> members() const;
    [[nodiscard]] std::optional<Position> placeOf(std::size_t copy, const NodeId& member) const;
    [[nodiscard]] std::vector<PortRef> feeding(std::size_t copy, const NodeId& input) const;
    [[nodiscard]] std::vector<PortRef> leaving(std::size_t copy, const NodeId& output) const;
    [[nodiscard]] std::vector<PortRef> sources(std::size_t copy, const PortRef& from) const;
    [[nodiscard]] std::vector<Edge> edges() const;
    void addInner(std::vector<Edge>& edges) const;
    [[nodiscard]] bool touches(const Edge& edge) const
    {
        return edge.from.node == m_instance.id || edge.to.node == m_instance.id;
    }
    static const std::string& portOr(const std::string& port, const std::vector<NodeId>& ports)
    {
        return port.empty() && !ports.empty() ? ports.front() : port;
    }

    const Graph& m_level;
    const Node& m_instance;
    const Graph& m_inside;
    std::vector<NodeId> m_inputs;
    std::vector<NodeId> m_outputs;
    std::size_t m_copies;
    std::vector<std::map<NodeId, NodeId>> m_names; ///< per copy: of a member, in the level
};

// A member keeps its name where that is free.
void Ungrouper::nameMembers()
{
    std::set<NodeId> used;
    for (const Node& node : m_level.nodes())
        if (node.id != m_instance.id)
            used.insert(node.id);
    for (const Edge& edge : m_level.edges()) // names that edges wait for
        for (const NodeId& id : {edge.from.node, edge.to.node})
            if (id != m_instance.id)
                used.insert(id);
    m_names.resize(m_copies);
    for (std::size_t copy = 0; copy < m_copies; ++copy)
        for (const Node& node : m_inside.nodes()) {
            if (isGroupPort(node))
                continue;
            NodeId name = node.id;
            for (int number = 2; used.contains(name); ++number) {
                name = node.id;
                name += "_";
                name += std::to_string(number);
            }
            used.insert(name);
            m_names[copy][node.id] = name;
        }
}

std::set<NodeId> Ungrouper::nodes() const
{
    std::set<NodeId> ids;
    for (const auto& names : m_names)
        for (const auto& [member, name] : names)
            ids.insert(name);
    return ids;
}

std::optional<Position> Ungrouper::placeOf(std::size_t copy, const NodeId& member) const
{
    const auto at = m_inside.positions().find(member);
    const auto instance = m_level.positions().find(m_instance.id);
    if (at == m_inside.positions().end() || instance == m_level.positions().end())
        return std::nullopt;
    std::optional<Position> low, high; // of the members, the ports aside
    for (const auto& [id, position] : m_inside.positions()) {
        if (!m_names.front().contains(id))
            continue;
        low = low ? Position{std::min(low->x, position.x), std::min(low->y, position.y)} : position;
        high = high ? Position{std::max(high->x, position.x), std::max(high->y, position.y)} : position;
    }
    if (!low)
        return std::nullopt;
    const double step = static_cast<double>(copy) * (high->x - low->x + kCopyGap);
    return Position{at->second.x + instance->second.x - (low->x + high->x) / 2 + step,
                    at->second.y + instance->second.y - (low->y + high->y) / 2};
}

// What enters a port of a copy: from outside, or from the copy before.
std::vector<PortRef> Ungrouper::feeding(std::size_t copy, const NodeId& input) const
{
    if (copy > 0 && input == m_inputs.front() && !m_outputs.empty())
        return leaving(copy - 1, m_outputs.front());
    std::vector<PortRef> sources;
    for (const Edge& edge : m_level.edges())
        if (edge.to.node == m_instance.id && edge.from.node != m_instance.id &&
            portOr(edge.to.port, m_inputs) == input)
            sources.push_back(edge.from);
    return sources;
}

std::vector<PortRef> Ungrouper::leaving(std::size_t copy, const NodeId& output) const
{
    std::vector<PortRef> all;
    for (const Edge& edge : m_inside.edges())
        if (edge.to.node == output)
            for (PortRef& source : sources(copy, edge.from))
                all.push_back(std::move(source));
    return all;
}

// An output inside of the group as it stands in the level: a port is what feeds it.
std::vector<PortRef> Ungrouper::sources(std::size_t copy, const PortRef& from) const
{
    if (std::ranges::find(m_inputs, from.node) != m_inputs.end())
        return feeding(copy, from.node);
    const auto name = m_names[copy].find(from.node);
    if (name == m_names[copy].end())
        return {}; // a port's other side, or a node that is not there
    return {PortRef{name->second, from.port}};
}

void Ungrouper::addInner(std::vector<Edge>& edges) const
{
    for (std::size_t copy = 0; copy < m_copies; ++copy)
        for (const Edge& edge : m_inside.edges())
            if (const auto to = m_names[copy].find(edge.to.node); to != m_names[copy].end())
                for (PortRef& source : sources(copy, edge.from))
                    edges.push_back({std::move(source), {to->second, edge.to.port}});
}

std::vector<Edge> Ungrouper::edges() const
{
    std::vector<Edge> all;
    bool inner = false; // in the place of the first edge that touched the instance
    for (const Edge& edge : m_level.edges()) {
        if (!touches(edge)) {
            all.push_back(edge);
            continue;
        }
        if (!std::exchange(inner, true))
            addInner(all);
        if (edge.from.node == m_instance.id && edge.to.node != m_instance.id)
            for (PortRef& source : leaving(m_copies - 1, portOr(edge.from.port, m_outputs)))
                all.push_back({std::move(source), edge.to});
    }
    if (!inner)
        addInner(all);
    std::set<Edge> once;
    std::erase_if(all, [&](const Edge& edge) { return !once.insert(edge).second; });
    return all;
}

std::vector<Node> Ungrouper::members() const
{
    std::vector<Node> nodes;
    for (const auto& names : m_names)
        for (const Node& member : m_inside.nodes()) {
            const auto name = names.find(member.id);
            if (name == names.end())
                continue;
            Node node = member;
            node.id = name->second;
            if (const auto owner = names.find(ownerOf(node)); isShared(node) && owner != names.end())
                node.params["of"] = owner->second;
            nodes.push_back(std::move(node));
        }
    return nodes;
}

std::vector<GraphEdit> Ungrouper::edits() const
{
    std::vector<GraphEdit> steps{GraphEdit{edit::RemoveNode{m_instance.id}}};
    std::size_t index = static_cast<std::size_t>(&m_instance - m_level.nodes().data());
    const std::size_t each = m_names.front().size();
    const std::vector<Node> added = members();
    for (std::size_t i = 0; i < added.size(); ++i) {
        const std::size_t copy = i / each;
        const auto member =
            std::ranges::find(m_names[copy], added[i].id, [](const auto& name) { return name.second; });
        steps.push_back(GraphEdit{edit::AddNode{added[i], placeOf(copy, member->first), index++}});
    }
    std::vector<Edge> left = m_level.edges();
    std::erase_if(left, [&](const Edge& edge) { return touches(edge); });
    std::ranges::move(drawMissing(left, edges()), std::back_inserter(steps));
    return steps;
}

bool isUsedElsewhere(const Graph& graph, const std::string& definition)
{
    int uses = 0;
    forEachNode(graph, [&](const std::string&, const Node& node) {
        uses += isGroup(node) && definitionOf(node) == definition ? 1 : 0;
    });
    return uses > 1;
}

} // namespace

Result<GroupEdit> ungroup(const Graph& graph, const std::string& inside, const NodeId& instance)
{
    const Graph level = inside.empty() ? graph : insideOf(graph, inside);
    const Node* node = level.find(instance);
    const Graph* body = node != nullptr && isGroup(*node) ? graph.definition(definitionOf(*node)) : nullptr;
    const auto refused = [&](std::string message, std::string hint) {
        return Error{ErrorCode::InvalidArgument, std::move(message), instance, std::move(hint), {}};
    };
    if (body == nullptr)
        return refused("'" + instance + "' is no instance of a group", {});
    for (const Node& other : level.nodes())
        if (isShared(other) && ownerOf(other) == instance)
            return refused("'" + other.id + "' shares the weights of '" + instance + "'",
                           "remove '" + other.id + "' first");
    const Ungrouper ungrouper(level, *node, *body);
    edit::Sequence steps{ungrouper.edits()};
    GroupEdit made{editInside(inside, GraphEdit{std::move(steps)}), ungrouper.nodes()};
    if (!isUsedElsewhere(graph, definitionOf(*node)))
        made.edit = GraphEdit{
            edit::Sequence{{std::move(made.edit), GraphEdit{edit::RemoveDefinition{definitionOf(*node)}}}}};
    return made;
}

} // namespace athanor
