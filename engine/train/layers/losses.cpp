#include "engine/train/layers/layer.h"
#include "engine/train/torch_errors.h"

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

Tensor reshaped(const LossNode& loss, const Tensor& input, const Tensor& target,
                const std::vector<std::int64_t>& wanted)
{
    if (target.sizes() == at::IntArrayRef(wanted))
        return target;
    if (trimmed(target.sizes().vec()) == trimmed(wanted))
        return target.reshape(wanted);
    throw PlacedError({ErrorCode::InvalidArgument,
                       loss.kind + " cannot compare an output of shape " + shapeText(input) +
                           " with a target of shape " + shapeText(target) + ".",
                       "network/" + loss.id, "Both must have one meaning: nothing is repeated silently."});
}

std::vector<std::int64_t> withoutClasses(const Tensor& input)
{
    auto extents = input.sizes().vec();
    if (extents.size() > 1)
        extents.erase(extents.begin() + 1);
    return extents;
}

bool isIndex(const Tensor& target)
{
    return !target.is_floating_point();
}

Tensor oneHotTarget(const LossNode& loss, const Tensor& input, const Tensor& target)
{
    const auto indices = reshaped(loss, input, target, withoutClasses(input));
    return torch::one_hot(indices, input.size(1)).movedim(-1, 1).to(input.scalar_type());
}

using LossFunction = std::function<Tensor(const Tensor&, const Tensor&)>;

std::int64_t reductionOf(const Json& params)
{
    return textParam(params, "reduction", "mean") == "sum" ? at::Reduction::Sum : at::Reduction::Mean;
}

/// Factors per class follow the input to its device the first time they are used there.
LossFunction withFactors(const Tensor& factors,
                         const std::function<Tensor(const Tensor&, const Tensor&, const Tensor&)>& function)
{
    auto onDevice = std::make_shared<Tensor>(factors);
    return [onDevice, function](const Tensor& input, const Tensor& target) {
        if (onDevice->defined() && onDevice->device() != input.device())
            *onDevice = onDevice->to(input.device());
        return function(input, target, *onDevice);
    };
}

LossFunction classLoss(const std::string& kind, const Json& params)
{
    const auto reduction = reductionOf(params);
    const auto ignored = intParam(params, "ignore_index", -100);
    const auto smoothing = realParam(params, "label_smoothing");
    if (kind == "NLLLoss")
        return withFactors(tensorParam(params, "class_weight"), [=](const Tensor& x, const Tensor& y, const Tensor& w) {
            return torch::nll_loss_nd(x, y, w, reduction, ignored);
        });
    return withFactors(tensorParam(params, "class_weight"), [=](const Tensor& x, const Tensor& y, const Tensor& w) {
        return torch::cross_entropy_loss(x, y, w, reduction, ignored, smoothing);
    });
}

LossFunction binaryLoss(const std::string& kind, const Json& params)
{
    const auto reduction = reductionOf(params);
    if (kind == "BCELoss")
        return [=](const Tensor& x, const Tensor& y) { return torch::binary_cross_entropy(x, y, {}, reduction); };
    return withFactors(tensorParam(params, "pos_weight"), [=](const Tensor& x, const Tensor& y, const Tensor& w) {
        return torch::binary_cross_entropy_with_logits(x, y, {}, w, reduction);
    });
}

LossFunction valueLoss(const std::string& kind, const Json& params)
{
    const auto reduction = reductionOf(params);
    if (kind == "L1Loss")
        return [=](const Tensor& x, const Tensor& y) { return torch::l1_loss(x, y, reduction); };
    if (kind == "SmoothL1Loss")
        return [=, beta = realParam(params, "beta", 1)](const Tensor& x, const Tensor& y) {
            return torch::smooth_l1_loss(x, y, reduction, beta);
        };
    if (kind == "HuberLoss")
        return [=, delta = realParam(params, "delta", 1)](const Tensor& x, const Tensor& y) {
            return torch::huber_loss(x, y, reduction, delta);
        };
    return [=](const Tensor& x, const Tensor& y) { return torch::mse_loss(x, y, reduction); };
}

} // namespace

LossLayer makeLoss(const NodeId& id, const std::string& kind, const Json& params)
{
    LossNode node{id, kind, LossTask::Values, realParam(params, "weight", 1), flagParam(params, "one_hot"),
                  intParam(params, "ignore_index", -100), kind == "BCELoss"};
    if (kind == "CrossEntropyLoss" || kind == "NLLLoss") {
        node.task = LossTask::Classes;
        return {node, classLoss(kind, params)};
    }
    if (kind == "BCEWithLogitsLoss" || kind == "BCELoss") {
        node.task = LossTask::Binary;
        return {node, binaryLoss(kind, params)};
    }
    if (kind == "MSELoss" || kind == "L1Loss" || kind == "SmoothL1Loss" || kind == "HuberLoss")
        return {node, valueLoss(kind, params)};
    throw PlacedError({ErrorCode::Unsupported, "This version cannot train with the loss " + kind + ".",
                       "network/" + id + "/kind", "Use one of the losses that `athanor-cli layers` lists."});
}

Tensor prepareTarget(const LossNode& loss, const Tensor& input, const Tensor& target)
{
    switch (loss.task) {
    case LossTask::Classes:
        if (isIndex(target))
            return reshaped(loss, input, target, withoutClasses(input)).to(torch::kLong);
        return reshaped(loss, input, target, input.sizes().vec()).to(input.scalar_type());
    case LossTask::Binary:
        return reshaped(loss, input, target, input.sizes().vec()).to(input.scalar_type());
    case LossTask::Values:
        break;
    }
    if (loss.oneHot && isIndex(target))
        return oneHotTarget(loss, input, target);
    return reshaped(loss, input, target, input.sizes().vec()).to(input.scalar_type());
}

} // namespace athanor
