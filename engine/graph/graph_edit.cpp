#include "engine/graph/graph_editor.h"

#include "engine/graph/groups.h"
#include "engine/graph/name_match.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace athanor {

Error refusal(ErrorCode code, std::string message, std::string where, std::string hint)
{
    return Error{code, std::move(message), std::move(where), std::move(hint), {}};
}

namespace {

Error noSuchNode(const Graph& graph, const NodeId& id)
{
    std::vector<std::string> ids;
    for (const Node& node : graph.nodes())
        ids.push_back(node.id);
    const std::string near = nearestName(id, ids);
    return refusal(ErrorCode::NotFound, "there is no node '" + id + "'", id,
                   near.empty() ? std::string() : "did you mean '" + near + "'?");
}

// True when `to` leads back to `from`, so that an edge from → to would close a cycle.
bool closesCycle(const Graph& graph, const NodeId& from, const NodeId& to)
{
    std::unordered_multimap<std::string_view, std::string_view> next;
    for (const Edge& edge : graph.edges())
        next.emplace(edge.from.node, edge.to.node);
    std::vector<std::string_view> open{to};
    std::unordered_set<std::string_view> seen;
    while (!open.empty()) {
        const std::string_view node = open.back();
        open.pop_back();
        if (node == from)
            return true;
        if (!seen.insert(node).second)
            continue;
        const auto [first, last] = next.equal_range(node);
        for (auto follower = first; follower != last; ++follower)
            open.push_back(follower->second);
    }
    return false;
}

} // namespace

std::optional<Error> GraphEditor::refuseNewId(const NodeId& id)
{
    if (!isValidNodeId(id))
        return refusal(ErrorCode::InvalidArgument, "'" + id + "' cannot be a node's name", id,
                       "use letters, digits and _, and start with a letter");
    if (find(id) != nullptr)
        return refusal(ErrorCode::InvalidArgument, "there is a node '" + id + "' already", id,
                       "choose another name");
    // Taking the name of an edge that leads nowhere would attach it unasked, and could not be undone.
    if (!m_graph.incoming(id).empty() || !m_graph.outgoing(id).empty())
        return refusal(ErrorCode::InvalidArgument,
                       "an edge names '" + id + "' already, though no such node exists", id,
                       "remove that edge first, or choose another name");
    return std::nullopt;
}

// What brings a node back with its edges after it was removed.
GraphEdit GraphEditor::putBack(std::size_t nodeIndex) const
{
    const Node& node = m_graph.m_nodes[nodeIndex];
    edit::AddNode add{node, std::nullopt, nodeIndex};
    if (const auto it = m_graph.m_positions.find(node.id); it != m_graph.m_positions.end())
        add.position = it->second;
    edit::Sequence sequence{{GraphEdit{std::move(add)}}};
    for (std::size_t i = 0; i < m_graph.m_edges.size(); ++i) {
        const Edge& edge = m_graph.m_edges[i];
        if (edge.from.node == node.id || edge.to.node == node.id)
            sequence.edits.push_back(GraphEdit{edit::Connect{edge, i}});
    }
    return GraphEdit{std::move(sequence)};
}

Result<GraphChange> GraphEditor::operator()(const edit::AddNode& add)
{
    if (auto error = refuseNewId(add.node.id))
        return *std::move(error);
    const std::size_t index = std::min(add.index.value_or(m_graph.m_nodes.size()), m_graph.m_nodes.size());
    m_graph.m_nodes.insert(m_graph.m_nodes.begin() + static_cast<std::ptrdiff_t>(index), add.node);
    if (add.position)
        m_graph.m_positions[add.node.id] = *add.position;
    return GraphChange{GraphEdit{edit::RemoveNode{add.node.id}}, {add.node.id}, true};
}

Result<GraphChange> GraphEditor::operator()(const edit::RemoveNode& remove)
{
    const Node* node = find(remove.id);
    if (node == nullptr)
        return noSuchNode(m_graph, remove.id);
    const auto index = static_cast<std::size_t>(node - m_graph.m_nodes.data());
    GraphChange change{putBack(index), {remove.id}, true};
    std::erase_if(m_graph.m_edges, [&](const Edge& edge) {
        const bool touches = edge.from.node == remove.id || edge.to.node == remove.id;
        if (touches)
            change.touched.insert({edge.from.node, edge.to.node});
        return touches;
    });
    m_graph.m_nodes.erase(m_graph.m_nodes.begin() + static_cast<std::ptrdiff_t>(index));
    m_graph.m_positions.erase(remove.id);
    return change;
}

Result<GraphChange> GraphEditor::operator()(const edit::Connect& connect)
{
    const Edge& edge = connect.edge;
    const std::string where = edge.from.text() + " -> " + edge.to.text();
    if (std::find(m_graph.m_edges.begin(), m_graph.m_edges.end(), edge) != m_graph.m_edges.end())
        return refusal(ErrorCode::InvalidArgument, "these two ports are connected already", where);
    // With an index an edge is put back where it was; a file may hold edges that nobody could draw.
    if (!connect.index) {
        for (const NodeId& id : {edge.from.node, edge.to.node})
            if (find(id) == nullptr)
                return noSuchNode(m_graph, id);
        if (edge.from.node == edge.to.node)
            return refusal(ErrorCode::InvalidArgument, "a node cannot feed itself", where);
        if (closesCycle(m_graph, edge.from.node, edge.to.node))
            return refusal(ErrorCode::InvalidArgument, "this edge would close a cycle", where,
                           "data flows one way through a graph; '" + edge.to.node + "' comes before '" +
                               edge.from.node + "' already");
    }
    const std::size_t index =
        std::min(connect.index.value_or(m_graph.m_edges.size()), m_graph.m_edges.size());
    m_graph.m_edges.insert(m_graph.m_edges.begin() + static_cast<std::ptrdiff_t>(index), edge);
    return GraphChange{GraphEdit{edit::Disconnect{edge}}, {edge.from.node, edge.to.node}, true};
}

Result<GraphChange> GraphEditor::operator()(const edit::Disconnect& disconnect)
{
    const Edge edge = disconnect.edge;
    const auto it = std::find(m_graph.m_edges.begin(), m_graph.m_edges.end(), edge);
    if (it == m_graph.m_edges.end())
        return refusal(ErrorCode::NotFound, "there is no such edge",
                       edge.from.text() + " -> " + edge.to.text());
    const auto index = static_cast<std::size_t>(it - m_graph.m_edges.begin());
    m_graph.m_edges.erase(it);
    return GraphChange{GraphEdit{edit::Connect{edge, index}}, {edge.from.node, edge.to.node}, true};
}

Result<GraphChange> GraphEditor::operator()(const edit::SetParameter& set)
{
    Node* node = find(set.id);
    if (node == nullptr)
        return noSuchNode(m_graph, set.id);
    if (set.name.empty())
        return refusal(ErrorCode::InvalidArgument, "a parameter needs a name", set.id);
    const auto old = node->params.find(set.name);
    edit::SetParameter back{set.id, set.name, std::nullopt};
    if (old != node->params.end())
        back.value = *old;
    if (set.value)
        node->params[set.name] = *set.value;
    else
        node->params.erase(set.name);
    return GraphChange{GraphEdit{std::move(back)}, {set.id}, true};
}

Result<GraphChange> GraphEditor::operator()(const edit::Move& move)
{
    edit::Move back;
    GraphChange change;
    change.semantic = false;
    for (const auto& [id, position] : move.to) {
        if (find(id) == nullptr)
            return noSuchNode(m_graph, id);
        const auto old = m_graph.m_positions.find(id);
        back.to[id] = old == m_graph.m_positions.end() ? std::nullopt : std::optional(old->second);
        change.touched.insert(id);
    }
    for (const auto& [id, position] : move.to) {
        if (position)
            m_graph.m_positions[id] = *position;
        else
            m_graph.m_positions.erase(id);
    }
    change.inverse = GraphEdit{std::move(back)};
    return change;
}

Result<GraphChange> GraphEditor::operator()(const edit::Rename& rename)
{
    const NodeId from = rename.from;
    const NodeId to = rename.to;
    Node* node = find(from);
    if (node == nullptr)
        return noSuchNode(m_graph, from);
    GraphChange change{GraphEdit{edit::Rename{to, from}}, {from, to}, true};
    if (from == to)
        return change;
    if (auto error = refuseNewId(to))
        return *std::move(error);
    if (std::ranges::any_of(m_graph.m_nodes,
                            [&](const Node& other) { return isShared(other) && ownerOf(other) == to; }))
        return refusal(ErrorCode::InvalidArgument, "a node shares the weights of '" + to + "', which does not exist",
                       to, "correct its parameter of first, or choose another name");
    node->id = to;
    for (Node& other : m_graph.m_nodes)
        if (isShared(other) && ownerOf(other) == from) {
            other.params["of"] = to;
            change.touched.insert(other.id);
        }
    for (Edge& edge : m_graph.m_edges) {
        if (edge.from.node != from && edge.to.node != from)
            continue;
        change.touched.insert({edge.from.node, edge.to.node});
        for (PortRef* end : {&edge.from, &edge.to})
            if (end->node == from)
                end->node = to;
    }
    if (auto handle = m_graph.m_positions.extract(from)) {
        handle.key() = to;
        m_graph.m_positions.insert(std::move(handle));
    }
    return change;
}

Result<GraphChange> GraphEditor::operator()(const edit::SetComment& set)
{
    if (!isValidNodeId(set.name))
        return refusal(ErrorCode::InvalidArgument, "'" + set.name + "' cannot be a comment's name", set.name,
                       "use letters, digits and _, and start with a letter");
    const auto old = m_graph.m_comments.find(set.name);
    if (!set.comment && old == m_graph.m_comments.end())
        return refusal(ErrorCode::NotFound, "there is no comment '" + set.name + "'", set.name);
    edit::SetComment back{set.name, std::nullopt};
    if (old != m_graph.m_comments.end())
        back.comment = old->second;
    if (set.comment)
        m_graph.m_comments[set.name] = *set.comment;
    else
        m_graph.m_comments.erase(set.name);
    return GraphChange{GraphEdit{std::move(back)}, {}, false};
}

Result<GraphChange> GraphEditor::operator()(const edit::Sequence& sequence)
{
    Graph changed = m_graph; // all or none
    edit::Sequence back;
    GraphChange whole;
    whole.semantic = false;
    for (const GraphEdit& part : sequence.edits) {
        auto change = apply(changed, part);
        if (!change)
            return change.error();
        back.edits.insert(back.edits.begin(), std::move(change->inverse));
        whole.touched.merge(change->touched);
        whole.semantic = whole.semantic || change->semantic;
    }
    m_graph = std::move(changed);
    whole.inverse = GraphEdit{std::move(back)};
    return whole;
}

Result<GraphChange> apply(Graph& graph, const GraphEdit& edit)
{
    return std::visit(GraphEditor(graph), edit.what);
}

Result<Graph> buildGraph(std::vector<Node> nodes, std::vector<Edge> edges,
                         std::map<NodeId, Position> positions, std::map<std::string, Comment> comments,
                         std::vector<GroupDefinition> definitions)
{
    std::unordered_set<std::string_view> seen;
    for (const Node& node : nodes) {
        if (!isValidNodeId(node.id))
            return refusal(ErrorCode::InvalidArgument, "'" + node.id + "' cannot be a node's name", node.id,
                           "use letters, digits and _, and start with a letter");
        if (!seen.insert(node.id).second)
            return refusal(ErrorCode::InvalidArgument, "two nodes are named '" + node.id + "'", node.id,
                           "every node of a graph needs its own name");
    }
    std::erase_if(positions, [&](const auto& entry) { return !seen.contains(entry.first); });
    std::set<Edge> once;
    std::erase_if(edges, [&](const Edge& edge) { return !once.insert(edge).second; });
    std::set<std::string> names;
    for (const GroupDefinition& definition : definitions) {
        if (auto error = GraphEditor::refuseDefinitionName(definition.name))
            return *std::move(error);
        if (!names.insert(definition.name).second)
            return refusal(ErrorCode::InvalidArgument, "two groups are named '" + definition.name + "'",
                           "groups/" + definition.name, "every group needs its own name");
    }
    return GraphEditor::build(std::move(nodes), std::move(edges), std::move(positions), std::move(comments),
                              std::move(definitions));
}

} // namespace athanor
