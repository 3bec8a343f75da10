#include "engine/graph/graph.h"

#include "engine/graph/topological_sort.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace athanor {

PortRef PortRef::parse(std::string_view text)
{
    const auto colon = text.rfind(':');
    if (colon == std::string_view::npos)
        return {std::string(text), {}};
    return {std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

const Node* Graph::find(const NodeId& id) const
{
    const auto it =
        std::find_if(m_nodes.begin(), m_nodes.end(), [&](const Node& node) { return node.id == id; });
    return it == m_nodes.end() ? nullptr : &*it;
}

const Graph* Graph::definition(const std::string& name) const
{
    const auto it = std::find_if(m_definitions.begin(), m_definitions.end(),
                                 [&](const GroupDefinition& definition) { return definition.name == name; });
    return it == m_definitions.end() ? nullptr : &it->graph;
}

bool Graph::operator==(const Graph& other) const = default;

std::vector<Edge> Graph::incoming(const NodeId& id) const
{
    std::vector<Edge> edges;
    std::copy_if(m_edges.begin(), m_edges.end(), std::back_inserter(edges),
                 [&](const Edge& edge) { return edge.to.node == id; });
    return edges;
}

std::vector<Edge> Graph::outgoing(const NodeId& id) const
{
    std::vector<Edge> edges;
    std::copy_if(m_edges.begin(), m_edges.end(), std::back_inserter(edges),
                 [&](const Edge& edge) { return edge.from.node == id; });
    return edges;
}

std::vector<NodeId> Graph::topologicalOrder() const
{
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t i = 0; i < m_nodes.size(); ++i)
        place.emplace(m_nodes[i].id, i);
    std::vector<std::vector<std::size_t>> next(m_nodes.size());
    for (const Edge& edge : m_edges) {
        const auto from = place.find(edge.from.node);
        const auto to = place.find(edge.to.node);
        if (from != place.end() && to != place.end()) // a file may name nodes that are not there
            next[from->second].push_back(to->second);
    }
    std::vector<NodeId> order;
    for (const std::size_t index : topologicalSort(m_nodes.size(), [&](std::size_t i) -> const auto& { return next[i]; }))
        order.push_back(m_nodes[index].id);
    return order;
}

bool isValidNodeId(std::string_view id)
{
    bool atStart = true;
    for (const char c : id) {
        if (c == '/') {
            if (atStart)
                return false;
            atStart = true;
            continue;
        }
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        const bool digit = c >= '0' && c <= '9';
        if (!letter && (!digit || atStart))
            return false;
        atStart = false;
    }
    return !atStart; // neither empty nor ending in '/'
}

NodeId freeNodeId(const Graph& graph, std::string_view wish)
{
    std::string stem;
    for (const char c : wish)
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_')
            stem += c;
    if (!isValidNodeId(stem))
        stem = "node" + stem;
    const auto isUsed = [&](const NodeId& id) {
        return graph.find(id) != nullptr || !graph.incoming(id).empty() || !graph.outgoing(id).empty();
    };
    for (int number = 1;; ++number) {
        NodeId id = stem + std::to_string(number);
        if (!isUsed(id))
            return id;
    }
}

} // namespace athanor
