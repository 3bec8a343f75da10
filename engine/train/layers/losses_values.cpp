#include "engine/train/layers/losses.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <cmath>

namespace athanor {
namespace {

using torch::Tensor;

/// Class indices become vectors of zeros with a single one.
Tensor oneHotTarget(const LossNode& loss, const Tensor& input, const Tensor& target)
{
    if (!isIndex(target))
        return sameShape(loss, input, target);
    const auto indices = reshapedFor(loss, input, target, withoutClasses(input)).to(torch::kLong);
    return torch::one_hot(indices, input.size(1)).movedim(-1, 1).to(torch::kFloat);
}

LossLayer valueLoss(LossNode node, const Json& params, LossFunction function)
{
    node.oneHot = flagParam(params, "one_hot");
    const TargetPreparation prepare = node.oneHot ? oneHotTarget : sameShape;
    return comparison(std::move(node), prepare, std::move(function));
}

LossLayer divergence(LossNode node, const Json& params)
{
    const bool perSample = textParam(params, "reduction") == "batchmean";
    const auto function = [perSample, reduction = reductionOf(params),
                           logTarget = flagParam(params, "log_target")](const Tensor& x, const Tensor& y) {
        const auto value = torch::kl_div(x, y, reduction, logTarget);
        return perSample ? value / x.size(0) : value;
    };
    return comparison(std::move(node), sameShape, function);
}

LossLayer poisson(LossNode node, const Json& params)
{
    const auto function = [logarithms = flagParam(params, "log_input", true),
                           full = flagParam(params, "full"), eps = realParam(params, "eps", 1e-8),
                           reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
        return torch::poisson_nll_loss(x, y, logarithms, full, eps, reduction);
    };
    return comparison(std::move(node), sameShape, function);
}

/// The variance in the input's shape, or in one whose last extent is 1.
Tensor varianceFor(const LossNode& loss, const Tensor& input, const Tensor& variance)
{
    auto wanted = input.sizes().vec();
    if (variance.numel() != input.numel())
        wanted.back() = 1;
    return reshapedFor(loss, input, variance, wanted);
}

Tensor gaussianLoss(const Tensor& x, const Tensor& y, const Tensor& variance, double eps, bool full)
{
    Tensor bounded = variance.clone();
    {
        torch::NoGradGuard noGrad; // where the bound holds the gradient flows on, as PyTorch has it
        bounded.clamp_min_(eps);
    }
    const auto loss = 0.5 * (bounded.log() + (x - y).square() / bounded);
    return full ? loss + 0.5 * std::log(2 * M_PI) : loss;
}

LossLayer gaussian(LossNode node, const Json& params)
{
    auto forward = [node, eps = realParam(params, "eps", 1e-6), full = flagParam(params, "full"),
                    reduction = reductionOf(params)](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs[0];
        output.target = sameShape(node, inputs[0], inputs[1]);
        const auto variance = varianceFor(node, inputs[0], inputs[2]);
        if (variance.lt(0).any().item<bool>())
            throw PlacedError({ErrorCode::InvalidArgument, node.kind + " got a variance below zero.",
                               "network/" + node.id, "Put a Softplus before the port var."});
        const auto each = gaussianLoss(output.input, output.target, variance, eps, full);
        output.value = reduction == at::Reduction::Mean ? each.mean() : each.sum();
        return output;
    };
    return {std::move(node), std::move(forward)};
}

} // namespace

void addValueLosses(LossTable& table)
{
    table["MSELoss"] = [](LossNode node, const Json& params) {
        return valueLoss(std::move(node), params,
                         [reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
                             return torch::mse_loss(x, y, reduction);
                         });
    };
    table["L1Loss"] = [](LossNode node, const Json& params) {
        return valueLoss(std::move(node), params,
                         [reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
                             return torch::l1_loss(x, y, reduction);
                         });
    };
    table["SmoothL1Loss"] = [](LossNode node, const Json& params) {
        const auto beta = realParam(params, "beta", 1);
        return valueLoss(std::move(node), params,
                         [beta, reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
                             return torch::smooth_l1_loss(x, y, reduction, beta);
                         });
    };
    table["HuberLoss"] = [](LossNode node, const Json& params) {
        return valueLoss(std::move(node), params,
                         [delta = realParam(params, "delta", 1),
                          reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
                             return torch::huber_loss(x, y, reduction, delta);
                         });
    };
    table["KLDivLoss"] = divergence;
    table["PoissonNLLLoss"] = poisson;
    table["GaussianNLLLoss"] = gaussian;
}

} // namespace athanor
