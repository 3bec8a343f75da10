#include "engine/compare/graph_difference.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/groups.h"

#include <algorithm>
#include <map>
#include <set>

namespace athanor {
namespace {

Json completed(const Node& node, const NodeCatalog& catalog)
{
    const NodeKind* kind = catalog.find(node.kind);
    return kind != nullptr ? completeParams(*kind, node.params) : node.params;
}

std::vector<ParameterDifference> parameterDifferences(const Json& before, const Json& after)
{
    std::set<std::string> names;
    for (const auto* params : {&before, &after})
        for (const auto& [name, value] : params->items())
            names.insert(name);
    const auto valueIn = [](const Json& params, const std::string& name) {
        return params.contains(name) ? std::optional<Json>(params[name]) : std::nullopt;
    };
    std::vector<ParameterDifference> out;
    for (const std::string& name : names)
        if (valueIn(before, name) != valueIn(after, name))
            out.push_back({name, valueIn(before, name), valueIn(after, name)});
    return out;
}

/// Two graphs and which nodes of them are the same.
class Matching {
public:
    Matching(const Graph& before, const Graph& after, const NodeCatalog& catalog)
        : m_before(before), m_after(after)
    {
        for (const Node& node : after.nodes())
            if (before.find(node.id) != nullptr)
                join(node.id, node.id);
        // A chain that was renamed as a whole is recognized from its ends, one node at a time.
        for (bool found = true; found;) {
            found = false;
            for (const Node& node : after.nodes())
                if (!m_toBefore.contains(node.id) && adopt(node, catalog))
                    found = true;
        }
    }

    [[nodiscard]] const NodeId* beforeOf(const NodeId& after) const { return look(m_toBefore, after); }
    [[nodiscard]] const NodeId* afterOf(const NodeId& before) const { return look(m_toAfter, before); }

private:
    static const NodeId* look(const std::map<NodeId, NodeId>& map, const NodeId& id)
    {
        const auto found = map.find(id);
        return found == map.end() ? nullptr : &found->second;
    }
    void join(const NodeId& before, const NodeId& after)
    {
        m_toBefore[after] = before;
        m_toAfter[before] = after;
    }
    bool adopt(const Node& node, const NodeCatalog& catalog)
    {
        for (const Node& other : m_before.nodes()) {
            if (m_toAfter.contains(other.id) || other.kind != node.kind ||
                completed(other, catalog) != completed(node, catalog) ||
                !hasCommonNeighbour(other.id, node.id))
                continue;
            join(other.id, node.id);
            return true;
        }
        return false;
    }
    [[nodiscard]] bool hasCommonNeighbour(const NodeId& before, const NodeId& after) const
    {
        for (const Edge& edge : m_after.incoming(after))
            for (const Edge& old : m_before.incoming(before))
                if (const NodeId* source = beforeOf(edge.from.node);
                    source != nullptr && *source == old.from.node)
                    return true;
        for (const Edge& edge : m_after.outgoing(after))
            for (const Edge& old : m_before.outgoing(before))
                if (const NodeId* target = beforeOf(edge.to.node);
                    target != nullptr && *target == old.to.node)
                    return true;
        return false;
    }

    const Graph& m_before;
    const Graph& m_after;
    std::map<NodeId, NodeId> m_toBefore;
    std::map<NodeId, NodeId> m_toAfter;
};

void addEdges(const Graph& before, const Graph& after, const Matching& matching, GraphDifference& out)
{
    const std::set<Edge> old(before.edges().begin(), before.edges().end());
    std::set<Edge> kept;
    for (const Edge& edge : after.edges()) {
        const NodeId* from = matching.beforeOf(edge.from.node);
        const NodeId* to = matching.beforeOf(edge.to.node);
        const bool known = from != nullptr && to != nullptr;
        const Edge asBefore = known ? Edge{{*from, edge.from.port}, {*to, edge.to.port}} : Edge{};
        if (known && old.contains(asBefore))
            kept.insert(asBefore);
        else
            out.addedEdges.push_back(edge);
    }
    for (const Edge& edge : before.edges())
        if (!kept.contains(edge))
            out.removedEdges.push_back(edge);
}

void addNodes(const Graph& before, const Graph& after, const NodeCatalog& catalog, const std::string& inside,
              GraphDifference& out)
{
    const Matching matching(before, after, catalog);
    for (const Node& node : after.nodes()) {
        const NodeId* id = matching.beforeOf(node.id);
        if (id == nullptr) {
            out.nodes.push_back({NodeChange::Added, {}, inside + node.id, {}, node.kind, {}});
            continue;
        }
        const Node& old = *before.find(*id);
        auto parameters = parameterDifferences(completed(old, catalog), completed(node, catalog));
        const bool changed = old.kind != node.kind || !parameters.empty();
        if (changed || old.id != node.id)
            out.nodes.push_back({changed ? NodeChange::Changed : NodeChange::Renamed, inside + old.id,
                                 inside + node.id, old.kind, node.kind, std::move(parameters)});
    }
    for (const Node& node : before.nodes())
        if (matching.afterOf(node.id) == nullptr)
            out.nodes.push_back({NodeChange::Removed, inside + node.id, {}, node.kind, {}, {}});
    if (inside.empty()) {
        addEdges(before, after, matching, out);
        return;
    }
    GraphDifference edges;
    addEdges(before, after, matching, edges);
    const auto inner = [&inside](Edge edge) {
        edge.from.node = inside + edge.from.node;
        edge.to.node = inside + edge.to.node;
        return edge;
    };
    for (const Edge& edge : edges.addedEdges)
        out.addedEdges.push_back(inner(edge));
    for (const Edge& edge : edges.removedEdges)
        out.removedEdges.push_back(inner(edge));
}

Json edgesJson(const std::vector<Edge>& edges)
{
    Json out = Json::array();
    for (const Edge& edge : edges)
        out.push_back({edge.from.text(), edge.to.text()});
    return out;
}

} // namespace

std::string nodeChangeName(NodeChange change)
{
    switch (change) {
    case NodeChange::Added:
        return "added";
    case NodeChange::Removed:
        return "removed";
    case NodeChange::Renamed:
        return "renamed";
    case NodeChange::Changed:
        break;
    }
    return "changed";
}

GraphDifference graphDifference(const Graph& before, const Graph& after, const NodeCatalog& catalog)
{
    GraphDifference out;
    addNodes(before, after, catalog, {}, out);
    static const Graph kNone;
    for (const GroupDefinition& definition : after.definitions()) {
        const Graph* old = before.definition(definition.name);
        addNodes(old != nullptr ? *old : kNone, definition.graph, catalog, definition.name + "/", out);
    }
    for (const GroupDefinition& definition : before.definitions())
        if (after.definition(definition.name) == nullptr)
            addNodes(definition.graph, kNone, catalog, definition.name + "/", out);
    return out;
}

MergedGraph mergedGraph(const Graph& before, const Graph& after, const GraphDifference& difference)
{
    MergedGraph out;
    std::map<NodeId, NodeId> toAfter; // what goes by another name in `after`
    std::set<std::string> changedDefinitions;
    std::vector<Node> nodes = after.nodes();
    for (const NodeDifference& node : difference.nodes) {
        const NodeId& id = node.after.empty() ? node.before : node.after;
        if (const auto slash = id.find('/'); slash != NodeId::npos) {
            changedDefinitions.insert(id.substr(0, slash));
            continue;
        }
        out.changes[id] = node;
        if (node.change == NodeChange::Removed)
            nodes.push_back(*before.find(id));
        else if (!node.before.empty())
            toAfter[node.before] = id;
    }
    for (const Node& node : after.nodes())
        if (isGroup(node) && changedDefinitions.contains(definitionOf(node)) &&
            !out.changes.contains(node.id))
            out.changes[node.id] = {NodeChange::Changed, node.id, node.id, node.kind, node.kind, {}};
    std::vector<Edge> edges = after.edges();
    const auto isInside = [](const Edge& edge) { return edge.from.node.find('/') != NodeId::npos; };
    for (const Edge& edge : difference.addedEdges)
        if (!isInside(edge))
            out.added.insert(edge);
    for (Edge edge : difference.removedEdges) {
        if (isInside(edge))
            continue;
        for (PortRef* end : {&edge.from, &edge.to})
            if (const auto renamed = toAfter.find(end->node); renamed != toAfter.end())
                end->node = renamed->second;
        out.removed.insert(edge);
        edges.push_back(edge);
    }
    auto merged = buildGraph(std::move(nodes), std::move(edges), after.positions(), {}, after.definitions());
    if (merged)
        out.graph = std::move(*merged);
    return out;
}

Json graphDifferenceJson(const GraphDifference& difference)
{
    Json nodes = Json::array();
    const auto valueOrNull = [](const std::optional<Json>& value) { return value ? *value : Json(); };
    const auto textOrNull = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    for (const NodeDifference& node : difference.nodes) {
        Json parameters = Json::array();
        for (const ParameterDifference& parameter : node.parameters)
            parameters.push_back({{"name", parameter.name},
                                  {"before", valueOrNull(parameter.before)},
                                  {"after", valueOrNull(parameter.after)}});
        nodes.push_back({{"change", nodeChangeName(node.change)},
                         {"node", textOrNull(node.after)},
                         {"was", textOrNull(node.before)},
                         {"kind", textOrNull(node.kindAfter)},
                         {"kind_was", textOrNull(node.kindBefore)},
                         {"parameters", std::move(parameters)}});
    }
    return {{"nodes", std::move(nodes)},
            {"edges_added", edgesJson(difference.addedEdges)},
            {"edges_removed", edgesJson(difference.removedEdges)}};
}

} // namespace athanor
