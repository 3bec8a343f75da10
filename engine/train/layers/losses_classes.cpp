#include "engine/train/layers/losses.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;

/// Class indices, or probabilities of the input's shape.
Tensor classTarget(const LossNode& loss, const Tensor& input, const Tensor& target)
{
    if (!isIndex(target))
        return sameShape(loss, input, target);
    return reshapedFor(loss, input, target, withoutClasses(input)).to(torch::kLong);
}

/// Factors per output, which follow the input to its device the first time they are used there.
class Factors {
public:
    Factors(const Json& params, const char* name) : m_values(tensorParam(params, name)) {}

    const Tensor& on(const Tensor& input)
    {
        if (m_values.defined() && m_values.device() != input.device())
            m_values = m_values.to(input.device());
        return m_values;
    }

    /// Shaped to be multiplied with an input N×C×…: along its second axis.
    Tensor alongOutputs(const Tensor& input)
    {
        const Tensor& values = on(input);
        if (!values.defined() || input.dim() <= 2)
            return values;
        std::vector<std::int64_t> shape(static_cast<std::size_t>(input.dim() - 1), 1);
        shape.front() = values.numel();
        return values.view(shape);
    }

private:
    Tensor m_values; // undefined: all count alike
};

LossLayer crossEntropy(LossNode node, const Json& params)
{
    node.ignoreIndex = intParam(params, "ignore_index", -100);
    const auto function = [weights = Factors(params, "class_weight"), reduction = reductionOf(params),
                           ignored = node.ignoreIndex, smoothing = realParam(params, "label_smoothing")](
                              const Tensor& x, const Tensor& y) mutable {
        return torch::cross_entropy_loss(x, y, weights.on(x), reduction, ignored, smoothing);
    };
    return comparison(std::move(node), classTarget, function);
}

LossLayer likelihood(LossNode node, const Json& params)
{
    node.ignoreIndex = intParam(params, "ignore_index", -100);
    const auto function = [weights = Factors(params, "class_weight"), reduction = reductionOf(params),
                           ignored = node.ignoreIndex](const Tensor& x, const Tensor& y) mutable {
        return torch::nll_loss_nd(x, y, weights.on(x), reduction, ignored);
    };
    return comparison(std::move(node), classTarget, function);
}

LossLayer binaryScores(LossNode node, const Json& params)
{
    const auto function = [weights = Factors(params, "class_weight"),
                           positive = Factors(params, "pos_weight"),
                           reduction = reductionOf(params)](const Tensor& x, const Tensor& y) mutable {
        return torch::binary_cross_entropy_with_logits(x, y, weights.alongOutputs(x),
                                                       positive.alongOutputs(x), reduction);
    };
    return comparison(std::move(node), sameShape, function);
}

LossLayer binaryProbabilities(LossNode node, const Json& params)
{
    node.probabilities = true;
    const auto function = [weights = Factors(params, "class_weight"),
                           reduction = reductionOf(params)](const Tensor& x, const Tensor& y) mutable {
        Tensor each = weights.alongOutputs(x);
        if (each.defined())
            each = each.expand_as(x);
        return torch::binary_cross_entropy(x, y, each, reduction);
    };
    return comparison(std::move(node), sameShape, function);
}

/// Lengths N as written in the data; `all` for every sample when nothing is connected.
Tensor lengthsOf(const LossNode& loss, const Tensor& input, const Tensor& lengths, std::int64_t all)
{
    if (!lengths.defined())
        return torch::full({input.size(0)}, all, torch::kLong);
    return reshapedFor(loss, input, lengths, {input.size(0)}).to(torch::kLong);
}

LossLayer temporalClassification(LossNode node, const Json& params)
{
    auto forward = [node, blank = intParam(params, "blank"), reduction = reductionOf(params),
                    zeroInfinity = flagParam(params, "zero_infinity")](const Tensors& inputs) {
        LossOutput output;
        output.input = inputs[0];
        output.target = inputs[1].to(torch::kLong);
        const auto steps = lengthsOf(node, output.input, inputs[2], output.input.size(1));
        const auto letters = lengthsOf(node, output.input, inputs[3], output.target.size(1));
        output.value = torch::ctc_loss(output.input.transpose(0, 1), output.target, steps, letters, blank,
                                       reduction, zeroInfinity);
        return output;
    };
    return {std::move(node), std::move(forward)};
}

} // namespace

void addClassLosses(LossTable& table)
{
    table["CrossEntropyLoss"] = crossEntropy;
    table["NLLLoss"] = likelihood;
    table["BCEWithLogitsLoss"] = binaryScores;
    table["BCELoss"] = binaryProbabilities;
    table["CTCLoss"] = temporalClassification;
}

} // namespace athanor
