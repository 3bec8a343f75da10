#include "engine/graph/fix_context.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

// "BatchNorm" of BatchNorm1d; empty for a kind without a number of axes.
std::string stemOf(const std::string& kind)
{
    if (kind.size() < 3 || kind.back() != 'd' || kind[kind.size() - 2] < '1' || kind[kind.size() - 2] > '3')
        return {};
    return kind.substr(0, kind.size() - 2);
}

std::string kindFor(const std::string& stem, int axes)
{
    std::string kind = stem;
    return kind += static_cast<char>('0' + axes), kind += 'd';
}

void offerNearestKind(FixContext& context)
{
    const Node& node = *context.node();
    const NodeKind* near = context.catalog().find(context.catalog().nearest(node.kind));
    if (near == nullptr)
        return;
    Node changed = node; // all parameters stay: what the kind does not know is said then
    changed.kind = near->kind;
    context.offer("Make it a " + near->kind, replaceNode(context.graph(), std::move(changed)));
}

// BatchNorm1d on images: the same for as many axes as the input has.
bool offerOtherAxes(FixContext& context, const TensorType& input)
{
    const Node& node = *context.node();
    const std::string stem = stemOf(node.kind);
    bool offered = false;
    for (const int axes : {input.rank() - 2, input.rank() - 1}) {
        if (stem.empty() || axes < 1 || axes > 3)
            continue;
        const NodeKind* kind = context.catalog().find(kindFor(stem, axes));
        if (kind == nullptr || kind->kind == node.kind)
            continue;
        context.offer("Make it a " + kind->kind, replaceNode(context.graph(), withKind(node, *kind)));
        offered = true;
    }
    return offered;
}

// For a layer that wants vectors and gets images: all their numbers, or one per channel.
void offerFlatten(FixContext& context, const Edge& into, const TensorType& type)
{
    const Graph& graph = context.graph();
    const NodeId& id = into.to.node;
    const Node flatten = context.newNode("Flatten");
    context.offer("Insert Flatten before " + id, insertOnEdge(graph, into, {flatten}));
    const int axes = type.rank() - 2;
    const std::string pool = kindFor("AdaptiveAvgPool", std::clamp(axes, 1, 3));
    if (axes >= 1 && axes <= 3 && context.catalog().find(pool) != nullptr)
        context.offer("Insert " + pool + " and Flatten before " + id,
                      insertOnEdge(graph, into, {context.newNode(pool, {{"output_size", 1}}), flatten}));
}

// in_features was written for images of another size: pooling to what it was written for.
void offerAdaptivePool(FixContext& context, const Edge& intoLinear, std::int64_t wanted)
{
    const KindPtr source = context.kindOf(intoLinear.from.node);
    const auto image = source && source->kind == "Flatten" ? context.mainInput(intoLinear.from.node) : std::nullopt;
    const auto type = image ? context.typeOf(*image) : std::nullopt;
    if (!type || type->rank() != 4 || type->dims[1] < 1 || wanted % type->dims[1] != 0)
        return;
    const auto side = static_cast<std::int64_t>(std::lround(std::sqrt(wanted / type->dims[1])));
    if (side < 1 || side * side * type->dims[1] != wanted)
        return;
    context.offer("Insert AdaptiveAvgPool2d to " + std::to_string(side) + "×" + std::to_string(side) + " before " +
                      intoLinear.from.node,
                  insertOnEdge(context.graph(), *image, {context.newNode("AdaptiveAvgPool2d", {{"output_size", side}})}));
}

} // namespace

void offerNodeFixes(FixContext& context)
{
    const Node* node = context.node();
    if (node == nullptr)
        return;
    if (!context.kind()) {
        offerNearestKind(context);
        return;
    }
    const ParamSpec* spec = context.detail().empty() ? nullptr : context.kind()->param(context.detail());
    if (!context.isNetwork() || !(context.detail().empty() || (spec != nullptr && spec->inferred)))
        return;
    const auto into = context.mainInput(node->id);
    const auto type = into ? context.typeOf(*into) : std::nullopt;
    if (!type || context.kind()->isLoss())
        return;
    const bool otherAxes = offerOtherAxes(context, *type);
    if (!otherAxes && type->rank() >= 3)
        offerFlatten(context, *into, *type);
    const Json wanted = node->params.value("in_features", Json());
    if (spec != nullptr && wanted.is_number_integer())
        offerAdaptivePool(context, *into, wanted.get<std::int64_t>());
}

} // namespace athanor
