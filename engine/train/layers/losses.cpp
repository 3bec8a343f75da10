#include "engine/train/layers/losses.h"

#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <sstream>

namespace athanor {
namespace {

using torch::Tensor;

std::string shapeText(const Tensor& tensor)
{
    std::ostringstream text;
    text << tensor.sizes();
    return text.str();
}

/// Extents without trailing ones: N and N×1 hold the same numbers in one meaning.
std::vector<std::int64_t> trimmed(std::vector<std::int64_t> extents)
{
    while (extents.size() > 1 && extents.back() == 1)
        extents.pop_back();
    return extents;
}

const LossTable& lossTable()
{
    static const LossTable table = [] {
        LossTable all;
        for (auto add : {addClassLosses, addValueLosses, addDistanceLosses, addScriptLosses})
            add(all);
        return all;
    }();
    return table;
}

} // namespace

LossLayer comparison(LossNode node, TargetPreparation prepare, LossFunction function)
{
    auto forward = [node, prepare = std::move(prepare),
                    function = std::move(function)](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs[0];
        output.target = prepare(node, inputs[0], inputs[1]);
        output.value = function(output.input, output.target);
        return output;
    };
    return {std::move(node), std::move(forward)};
}

std::int64_t reductionOf(const Json& params)
{
    return textParam(params, "reduction", "mean") == "mean" ? at::Reduction::Mean : at::Reduction::Sum;
}

Tensor reshapedFor(const LossNode& loss, const Tensor& input, const Tensor& other,
                   const std::vector<std::int64_t>& wanted)
{
    if (other.sizes() == at::IntArrayRef(wanted))
        return other;
    if (trimmed(other.sizes().vec()) == trimmed(wanted))
        return other.reshape(wanted);
    throw PlacedError({ErrorCode::InvalidArgument,
                       loss.kind + " cannot compare an output of shape " + shapeText(input) +
                           " with a target of shape " + shapeText(other) + ".",
                       "network/" + loss.id, "Both must have one meaning: nothing is repeated silently."});
}

Tensor sameShape(const LossNode& loss, const Tensor& input, const Tensor& target)
{
    return asNumbers(reshapedFor(loss, input, target, input.sizes().vec()));
}

std::vector<std::int64_t> withoutClasses(const Tensor& input)
{
    auto extents = input.sizes().vec();
    if (extents.size() > 1)
        extents.erase(extents.begin() + 1);
    return extents;
}

Tensor asNumbers(const Tensor& target)
{
    return isIndex(target) ? target.to(torch::kFloat) : target;
}

bool isIndex(const Tensor& target)
{
    return !target.is_floating_point();
}

LossLayer makeLoss(const NodeId& id, const std::string& kind, const Json& params)
{
    const auto builder = lossTable().find(kind);
    if (builder == lossTable().end())
        throw PlacedError({ErrorCode::Unsupported, "This version cannot train with the loss " + kind + ".",
                           "network/" + id + "/kind",
                           "Use one of the losses that `athanor-cli layers` lists."});
    LossNode node;
    node.id = id;
    node.kind = kind;
    node.task = lossTask(kind, params);
    node.weight = realParam(params, "weight", 1);
    node.sums = textParam(params, "reduction", "mean") == "sum";
    return builder->second(std::move(node), params);
}

} // namespace athanor
