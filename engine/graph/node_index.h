// Any thread. Nodes by id, for walks over large graphs: Graph::find() looks through all of them.
#pragma once

#include "engine/graph/graph.h"

#include <string_view>
#include <unordered_map>

namespace athanor {

/// Valid until the graph's next change.
class NodeIndex {
public:
    explicit NodeIndex(const Graph& graph)
    {
        m_nodes.reserve(graph.nodes().size());
        for (const Node& node : graph.nodes())
            m_nodes.emplace(node.id, &node);
    }
    /// nullptr when there is none.
    [[nodiscard]] const Node* find(std::string_view id) const
    {
        const auto it = m_nodes.find(id);
        return it == m_nodes.end() ? nullptr : it->second;
    }

private:
    std::unordered_map<std::string_view, const Node*> m_nodes;
};

} // namespace athanor
