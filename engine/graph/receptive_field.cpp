#include "engine/graph/receptive_field.h"

#include "engine/graph/field_rules.h"
#include "engine/graph/groups.h"
#include "engine/graph/node_index.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

// What the output of a node sees, axis by axis of the input.
std::optional<ReceptiveField> fieldOf(const FieldState& state)
{
    std::map<std::size_t, FieldAxis> axes;
    for (const auto& dim : state.dims)
        for (const AxisTrace& trace : dim) {
            const auto [it, isNew] = axes.emplace(trace.axis, trace.field);
            if (!isNew)
                it->second = larger(it->second, trace.field);
        }
    if (axes.empty())
        return std::nullopt;
    ReceptiveField field;
    field.aligned = state.aligned;
    for (const auto& [axis, seen] : axes)
        field.axes.push_back(seen);
    return field;
}

} // namespace

std::string ReceptiveField::text() const
{
    std::string text;
    bool allWhole = true;
    for (const FieldAxis& axis : axes) {
        allWhole = allWhole && axis.whole;
        text += text.empty() ? "" : "×";
        text += axis.whole ? "all" : std::to_string(static_cast<std::int64_t>(std::ceil(axis.size - 1e-9)));
    }
    return allWhole ? "all" : text;
}

std::map<NodeId, ReceptiveField> receptiveFields(const Graph& flatNetwork, const GraphCheck& check)
{
    const NodeIndex nodes(flatNetwork);
    std::map<NodeId, std::vector<std::optional<FieldState>>> inputs;
    std::map<NodeId, std::vector<std::optional<TensorType>>> types;
    std::map<NodeId, ReceptiveField> fields;
    std::map<NodeId, std::vector<const Edge*>> leaving;
    for (const Edge& edge : flatNetwork.edges())
        leaving[edge.from.node].push_back(&edge);
    for (const NodeId& id : flatNetwork.topologicalOrder()) {
        const Node& drawn = *nodes.find(id);
        const Node* owner = isShared(drawn) ? nodes.find(ownerOf(drawn)) : &drawn;
        const auto known = check.nodes.find(id);
        const auto settings = owner != nullptr ? check.nodes.find(owner->id) : check.nodes.end();
        if (known == check.nodes.end() || settings == check.nodes.end() || known->second.outputs.empty() ||
            !known->second.outputs.front())
            continue;
        const TensorType& output = *known->second.outputs.front();
        const FieldNode node{owner->kind, settings->second.params, output, inputs[id], types[id]};
        std::optional<FieldState> state = fieldState(node);
        if (state)
            if (auto field = fieldOf(*state))
                fields.emplace(id, std::move(*field));
        for (const Edge* edge : leaving[id]) {
            inputs[edge->to.node].push_back(state);
            types[edge->to.node].push_back(output);
        }
    }
    return fields;
}

} // namespace athanor
