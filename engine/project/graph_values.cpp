#include "engine/graph/graph_edit.h"
#include "engine/graph/param_check.h"
#include "engine/project/value_change.h"

namespace athanor {
namespace {

Status done(const Result<GraphChange>& change)
{
    return change ? Status(Done{}) : Status(change.error());
}

// Another node in the place of the one with its name; its edges stay.
Status replaceNode(Graph& graph, Node node)
{
    auto removed = apply(graph, GraphEdit{edit::RemoveNode{node.id}});
    if (!removed)
        return removed.error();
    auto& back = std::get<edit::Sequence>(removed->inverse.what);
    std::get<edit::AddNode>(back.edits.front().what).node = std::move(node);
    return done(apply(graph, removed->inverse));
}

Status setKind(Graph& graph, const NodeCatalog& catalog, const Node& node, const ValueChange& change)
{
    const NodeKind* kind = catalog.find(change.raw);
    if (kind == nullptr && change.value.is_string())
        kind = catalog.find(change.value.get<std::string>());
    if (kind == nullptr) {
        const std::string near = catalog.nearest(change.raw);
        return change.refused("there is no kind '" + change.raw + "'",
                              near.empty() ? std::string() : "did you mean '" + near + "'?");
    }
    Node changed = node;
    changed.kind = kind->kind;
    for (const auto& [name, value] : node.params.items()) // the new kind keeps what it knows
        if (kind->param(name) == nullptr)
            changed.params.erase(name);
    return replaceNode(graph, std::move(changed));
}

Error noSuchNode(const Graph& graph, const ValueChange& change)
{
    std::vector<std::string> ids;
    for (const Node& node : graph.nodes())
        ids.push_back(node.id);
    return change.unknown("node", change.path.size() > 1 ? change.path[1] : std::string(), ids);
}

} // namespace

Status setGraphValue(Graph& graph, const NodeCatalog& catalog, const ValueChange& change)
{
    const Node* node = change.path.size() > 1 ? graph.find(change.path[1]) : nullptr;
    if (node == nullptr)
        return noSuchNode(graph, change);
    const NodeKind* kind = catalog.find(node->kind);
    if (change.path.size() < 3)
        return change.refused("names a node, but none of its parameters",
                              kind != nullptr ? listed(namesOf(kind->params)) : std::string());
    const std::string& name = change.path[2];
    const PathRest inside = PathRest(change.path).subspan(3);
    const ParamSpec* spec = kind != nullptr ? kind->param(name) : nullptr;
    if (spec == nullptr && name == "kind" && inside.empty())
        return setKind(graph, catalog, *node, change);
    if (kind == nullptr)
        return change.refused("nothing is known of the kind '" + node->kind + "'",
                              "its parameters can be changed in the file");
    if (spec == nullptr)
        return change.unknown("parameter", name, namesOf(kind->params));
    auto value = change.apply(*spec, completeParams(*kind, node->params).value(name, Json()), inside);
    if (!value)
        return value.error();
    edit::SetParameter set{node->id, name, std::move(*value)};
    if (set.value->is_null() && (spec->inferred || spec->standard.is_null()))
        set.value.reset(); // a null that says no more than the default
    return done(apply(graph, GraphEdit{std::move(set)}));
}

} // namespace athanor
