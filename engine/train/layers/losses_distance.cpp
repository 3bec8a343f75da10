#include "engine/train/layers/losses.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;

/// Numbers as they are; of class indices the 0 becomes −1.
Tensor signsOf(const Tensor& target)
{
    return asNumbers(isIndex(target) ? torch::where(target.eq(0), -torch::ones_like(target), target)
                                     : target);
}

LossLayer cosine(LossNode node, const Json& params)
{
    auto forward = [node, margin = realParam(params, "margin"),
                    reduction = reductionOf(params)](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs[0];
        output.target = signsOf(reshapedFor(node, inputs[0], inputs[2], {inputs[0].size(0)}));
        const auto other = reshapedFor(node, inputs[0], inputs[1], inputs[0].sizes().vec());
        output.value = torch::cosine_embedding_loss(output.input, other, output.target, margin, reduction);
        return output;
    };
    return {std::move(node), std::move(forward)};
}

LossLayer triplet(LossNode node, const Json& params)
{
    auto forward = [node, margin = realParam(params, "margin", 1), p = realParam(params, "p", 2),
                    eps = realParam(params, "eps", 1e-6), swap = flagParam(params, "swap"),
                    reduction = reductionOf(params)](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs[0];
        const auto shape = inputs[0].sizes().vec();
        const auto like = reshapedFor(node, inputs[0], inputs[1], shape);
        const auto unlike = reshapedFor(node, inputs[0], inputs[2], shape);
        output.value =
            torch::triplet_margin_loss(output.input, like, unlike, margin, p, eps, swap, reduction);
        return output;
    };
    return {std::move(node), std::move(forward)};
}

LossLayer hinge(LossNode node, const Json& params)
{
    const auto prepare = [](const LossNode& loss, const Tensor& input, const Tensor& target) {
        return signsOf(reshapedFor(loss, input, target, input.sizes().vec()));
    };
    return comparison(std::move(node), prepare,
                      [margin = realParam(params, "margin", 1),
                       reduction = reductionOf(params)](const Tensor& x, const Tensor& y) {
                          return torch::hinge_embedding_loss(x, y, margin, reduction);
                      });
}

} // namespace

void addDistanceLosses(LossTable& table)
{
    table["CosineEmbeddingLoss"] = cosine;
    table["TripletMarginLoss"] = triplet;
    table["HingeEmbeddingLoss"] = hinge;
}

} // namespace athanor
