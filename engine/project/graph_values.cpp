#include "engine/graph/flat_graph.h"
#include "engine/graph/graph_edit.h"
#include "engine/graph/groups.h"
#include "engine/graph/param_check.h"
#include "engine/project/value_change.h"

#include <algorithm>

namespace athanor {
namespace {

Status done(const Result<GraphChange>& change)
{
    return change ? Status(Done{}) : Status(change.error());
}

// The node that a path speaks of, and where it lies.
struct FoundNode {
    std::string definition; ///< empty: in the graph itself
    const Node* node = nullptr;
    std::size_t parts = 2; ///< of the path, up to the node
};

// network.block1.conv.kernel_size leads into the definition of block1; of a repeated group,
// network.block1.0.conv.kernel_size does as well. network.block1/conv.kernel_size is the same.
FoundNode findNode(const Graph& graph, const std::vector<std::string>& path)
{
    FoundNode found{{}, path.size() > 1 ? graph.find(path[1]) : nullptr, 2};
    if (found.node == nullptr && path.size() > 1) {
        const auto places = drawnPath(graph, path[1]);
        const auto slashes = static_cast<std::size_t>(std::ranges::count(path[1], '/'));
        if (!places.empty() && slashes > 0 && path[1].ends_with("/" + places.back().node)) {
            const DrawnPlace& last = places.back();
            const Graph* inside = last.definition.empty() ? &graph : graph.definition(last.definition);
            return {last.definition, inside->find(last.node), 2};
        }
    }
    while (found.node != nullptr && isGroup(*found.node) && found.parts + 1 < path.size()) {
        const std::string definition = definitionOf(*found.node);
        const Graph* inside = graph.definition(definition);
        const std::size_t number = listIndex(path[found.parts]) && found.parts + 2 < path.size() ? 1 : 0;
        const Node* next = inside == nullptr ? nullptr : inside->find(path[found.parts + number]);
        if (next == nullptr)
            break;
        found = {definition, next, found.parts + number + 1};
    }
    return found;
}

// Another node in the place of the one with its name; its edges stay.
Status replaceNode(Graph& graph, const std::string& definition, Node node)
{
    Graph level = definition.empty() ? graph : insideOf(graph, definition);
    const GraphEdit remove{edit::RemoveNode{node.id}};
    auto removed = apply(level, remove);
    if (!removed)
        return removed.error();
    auto& back = std::get<edit::Sequence>(removed->inverse.what);
    std::get<edit::AddNode>(back.edits.front().what).node = std::move(node);
    return done(apply(graph, editInside(definition, GraphEdit{edit::Sequence{{remove, removed->inverse}}})));
}

Status setKind(Graph& graph, const NodeCatalog& catalog, const FoundNode& found, const ValueChange& change)
{
    const NodeKind* kind = catalog.find(change.raw);
    if (kind == nullptr && change.value.is_string())
        kind = catalog.find(change.value.get<std::string>());
    if (kind == nullptr) {
        const std::string near = catalog.nearest(change.raw);
        return change.refused("there is no kind '" + change.raw + "'",
                              near.empty() ? std::string() : "did you mean '" + near + "'?");
    }
    Node changed = *found.node;
    changed.kind = kind->kind;
    for (const auto& [name, value] : found.node->params.items()) // the new kind keeps what it knows
        if (kind->param(name) == nullptr)
            changed.params.erase(name);
    return replaceNode(graph, found.definition, std::move(changed));
}

Error noSuchNode(const Graph& graph, const ValueChange& change)
{
    std::vector<std::string> ids;
    for (const Node& node : graph.nodes())
        ids.push_back(node.id);
    return change.unknown("node", change.path.size() > 1 ? change.path[1] : std::string(), ids);
}

// What may follow the name of a node: its parameters, and the nodes inside of a group.
std::vector<std::string> namesBelow(const Graph& graph, const Node& node, const NodeKind& kind)
{
    std::vector<std::string> names = namesOf(kind.params);
    if (const Graph* inside = isGroup(node) ? graph.definition(definitionOf(node)) : nullptr)
        for (const Node& member : inside->nodes())
            names.push_back(member.id);
    return names;
}

} // namespace

Status setGraphValue(Graph& graph, const NodeCatalog& catalog, const ValueChange& change)
{
    const FoundNode found = findNode(graph, change.path);
    if (found.node == nullptr)
        return noSuchNode(graph, change);
    const Node& node = *found.node;
    const NodeKind* kind = catalog.find(node.kind);
    if (change.path.size() <= found.parts)
        return change.refused("names a node, but none of its parameters",
                              kind != nullptr ? listed(namesBelow(graph, node, *kind)) : std::string());
    const std::string& name = change.path[found.parts];
    const PathRest inside = PathRest(change.path).subspan(found.parts + 1);
    const ParamSpec* spec = kind != nullptr ? kind->param(name) : nullptr;
    if (spec == nullptr && name == "kind" && inside.empty())
        return setKind(graph, catalog, found, change);
    if (kind == nullptr)
        return change.refused("nothing is known of the kind '" + node.kind + "'",
                              "its parameters can be changed in the file");
    if (spec == nullptr)
        return change.unknown("parameter", name, namesBelow(graph, node, *kind));
    auto value = change.apply(*spec, completeParams(*kind, node.params).value(name, Json()), inside);
    if (!value)
        return value.error();
    edit::SetParameter set{node.id, name, std::move(*value)};
    if (set.value->is_null() && (spec->inferred || spec->standard.is_null()))
        set.value.reset(); // a null that says no more than the default
    return done(apply(graph, editInside(found.definition, GraphEdit{std::move(set)})));
}

} // namespace athanor
