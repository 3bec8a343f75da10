#include "engine/graph/flat_graph.h"
#include "engine/graph/node_catalog.h"
#include "engine/graph/param_check.h"
#include "engine/graph/resolved_kind.h"

#include <algorithm>

namespace athanor {
namespace {

KindPtr kindOf(const Graph& graph, const Node& node)
{
    KindPtr kind = resolveFlatKind(graph, node, layerCatalog());
    return kind != nullptr ? kind : resolveFlatKind(graph, node, dataCatalog());
}

// An empty port is the first one: both spellings are the same port.
std::string portName(const std::string& port, const std::vector<PortSpec>* ports)
{
    return port.empty() && ports != nullptr && !ports->empty() ? ports->front().name : port;
}

// Only what differs from the default, so that a parameter that a later version adds changes no hash.
Json meaningfulParams(const Node& node, const NodeKind* kind,
                      const std::function<std::string(const std::string&)>& path)
{
    if (kind == nullptr)
        return node.params;
    Json params = completeParams(*kind, node.params);
    const Json standard = completeParams(*kind, Json::object());
    for (const ParamSpec& spec : kind->params) {
        const auto it = params.find(spec.name);
        if (it == params.end())
            continue;
        const auto usual = standard.find(spec.name);
        if (*it == (usual == standard.end() ? Json() : *usual))
            params.erase(it);
    }
    return path ? respelledPaths(*kind, std::move(params), path) : params;
}

std::string flatHash(const Graph& graph, const std::function<std::string(const std::string&)>& path)
{
    std::map<NodeId, KindPtr> kinds;
    Json nodes = Json::object();
    for (const Node& node : graph.nodes()) {
        const KindPtr kind = kinds[node.id] = kindOf(graph, node);
        nodes[node.id] = {node.kind, canonicalNumbers(meaningfulParams(node, kind.get(), path))};
    }
    const auto ports = [&](const NodeId& id, auto member) -> const std::vector<PortSpec>* {
        const auto it = kinds.find(id);
        return it == kinds.end() || it->second == nullptr ? nullptr : &((*it->second).*member);
    };
    std::vector<Edge> edges = graph.edges();
    for (Edge& edge : edges) {
        edge.from.port = portName(edge.from.port, ports(edge.from.node, &NodeKind::outputs));
        edge.to.port = portName(edge.to.port, ports(edge.to.node, &NodeKind::inputs));
    }
    // Stable: the order of the edges into one port is the order of what Concat joins.
    std::stable_sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.to < b.to; });
    Json links = Json::array();
    for (const Edge& edge : edges)
        links.push_back({edge.from.text(), edge.to.text()});
    const std::string text = Json{nodes, links}.dump(-1, ' ', false, Json::error_handler_t::replace);
    return contentHash(text.data(), text.size());
}

} // namespace

std::string semanticHash(const Graph& graph, const std::function<std::string(const std::string&)>& path)
{
    // With groups opened: their definitions' names and order say nothing of what is computed.
    return flatHash(hasGroups(graph) ? flattened(graph).graph : graph, path);
}

} // namespace athanor
