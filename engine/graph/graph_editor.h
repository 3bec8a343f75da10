// Any thread. Inside engine/graph: what carries out edits.
#pragma once

#include "engine/graph/graph_edit.h"

#include <algorithm>

namespace athanor {

Error refusal(ErrorCode code, std::string message, std::string where, std::string hint = {});

// Applies one kind of edit each; every function leaves the graph as it was when it fails.
class GraphEditor {
public:
    explicit GraphEditor(Graph& graph) : m_graph(graph) {}

    Result<GraphChange> operator()(const edit::AddNode& add);
    Result<GraphChange> operator()(const edit::RemoveNode& remove);
    Result<GraphChange> operator()(const edit::Connect& connect);
    Result<GraphChange> operator()(const edit::Disconnect& disconnect);
    Result<GraphChange> operator()(const edit::SetParameter& set);
    Result<GraphChange> operator()(const edit::Move& move);
    Result<GraphChange> operator()(const edit::Rename& rename);
    Result<GraphChange> operator()(const edit::SetComment& set);
    Result<GraphChange> operator()(const edit::AddDefinition& add);
    Result<GraphChange> operator()(const edit::RemoveDefinition& remove);
    Result<GraphChange> operator()(const edit::RenameDefinition& rename);
    Result<GraphChange> operator()(const edit::InDefinition& in);
    Result<GraphChange> operator()(const edit::Sequence& sequence);

    static std::optional<Error> refuseDefinitionName(const std::string& name);
    static Graph build(std::vector<Node> nodes, std::vector<Edge> edges, std::map<NodeId, Position> positions,
                       std::map<std::string, Comment> comments, std::vector<GroupDefinition> definitions)
    {
        Graph graph;
        graph.m_nodes = std::move(nodes);
        graph.m_edges = std::move(edges);
        graph.m_positions = std::move(positions);
        graph.m_comments = std::move(comments);
        graph.m_definitions = std::move(definitions);
        return graph;
    }

private:
    Node* find(const NodeId& id)
    {
        const auto it = std::find_if(m_graph.m_nodes.begin(), m_graph.m_nodes.end(),
                                     [&](const Node& node) { return node.id == id; });
        return it == m_graph.m_nodes.end() ? nullptr : &*it;
    }
    std::optional<Error> refuseNewId(const NodeId& id);
    std::optional<Error> refuseNewDefinition(const std::string& name);
    GroupDefinition* findDefinition(const std::string& name);
    std::optional<Error> renamePort(const std::string& definition, const edit::Rename& rename,
                                    const std::string& portKind);
    std::set<NodeId> usersOf(const std::string& definition) const;
    /// The graph and those inside of its definitions.
    std::vector<Graph*> allGraphs();
    GraphEdit putBack(std::size_t nodeIndex) const;

    Graph& m_graph;
};

} // namespace athanor
