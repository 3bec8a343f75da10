// One thread at a time. A graph while it is being proposed.
#pragma once

#include "engine/graph/graph_edit.h"

#include <vector>

namespace athanor {

class GraphDraft {
public:
    /// A node of its own; the next then() goes on from it.
    void start(NodeId id, std::string kind, Json params = Json::object())
    {
        m_nodes.push_back({id, std::move(kind), std::move(params), Json::object()});
        m_last = std::move(id);
    }
    /// A node behind the last one.
    void then(NodeId id, std::string kind, Json params = Json::object())
    {
        connect(m_last, id);
        start(std::move(id), std::move(kind), std::move(params));
    }
    /// `from` and `to` as in the project file: "node" or "node:port".
    void connect(const std::string& from, const std::string& to)
    {
        m_edges.push_back({PortRef::parse(from), PortRef::parse(to)});
    }
    void goOnFrom(NodeId id) { m_last = std::move(id); }
    [[nodiscard]] const NodeId& last() const { return m_last; }
    [[nodiscard]] Result<Graph> build() const { return buildGraph(m_nodes, m_edges); }

private:
    std::vector<Node> m_nodes;
    std::vector<Edge> m_edges;
    NodeId m_last;
};

} // namespace athanor
