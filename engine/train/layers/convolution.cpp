#include "engine/train/layers/layer.h"

#include <torch/torch.h>

#include <optional>

namespace athanor {
namespace {

namespace F = torch::nn::functional;

/// What fills the padding; none: zeros, which the convolution adds itself.
std::optional<F::PadFuncOptions::mode_t> fillOf(const Json& params)
{
    const std::string mode = textParam(params, "padding_mode", "zeros");
    if (mode == "reflect")
        return torch::kReflect;
    if (mode == "replicate")
        return torch::kReplicate;
    if (mode == "circular")
        return torch::kCircular;
    return std::nullopt;
}

/// What is added in front and behind, the last axis first, as F::pad wants it.
template <std::size_t D>
std::vector<std::int64_t> paddingSides(const Json& params)
{
    const std::string named = textParam(params, "padding");
    const auto kernel = intsParam(params, "kernel_size", D), dilation = intsParam(params, "dilation", D);
    const auto written = named.empty() ? intsParam(params, "padding", D) : std::vector<std::int64_t>(D);
    std::vector<std::int64_t> sides;
    for (std::size_t axis = D; axis-- > 0;) {
        const auto total = named == "same" ? dilation[axis] * (kernel[axis] - 1) : 2 * written[axis];
        sides.push_back(total / 2);
        sides.push_back(total - total / 2);
    }
    return sides;
}

template <std::size_t D>
typename torch::nn::detail::ConvNdOptions<D>::padding_t zeroPadding(const Json& params)
{
    const std::string named = textParam(params, "padding");
    if (named == "same")
        return torch::kSame;
    if (named == "valid")
        return torch::kValid;
    return torch::ExpandingArray<D>(intsParam(params, "padding", D));
}

template <std::size_t D, typename Holder>
Layer makeConvolution(const Json& params)
{
    using Ints = torch::ExpandingArray<D>;
    torch::nn::ConvOptions<D> options(intParam(params, "in_channels"), intParam(params, "out_channels"),
                                      Ints(intsParam(params, "kernel_size", D)));
    options.stride(Ints(intsParam(params, "stride", D)))
        .dilation(Ints(intsParam(params, "dilation", D)))
        .groups(intParam(params, "groups", 1))
        .bias(flagParam(params, "bias", true));
    const auto fill = fillOf(params);
    if (!fill)
        return moduleLayer(Holder(options.padding(zeroPadding<D>(params))));
    // Not by LibTorch's own padding_mode, which takes the axes of padding "same" the wrong way round.
    auto module = Holder(options.padding(0)).ptr();
    const auto pad = F::PadFuncOptions(paddingSides<D>(params)).mode(*fill);
    return {module, [raw = module.get(), pad](const Tensors& inputs) {
                return Tensors{raw->forward(F::pad(inputs[0], pad))};
            }};
}

template <std::size_t D, typename Holder>
Layer makeTransposed(const Json& params)
{
    using Ints = torch::ExpandingArray<D>;
    torch::nn::ConvTransposeOptions<D> options(intParam(params, "in_channels"), intParam(params, "out_channels"),
                                               Ints(intsParam(params, "kernel_size", D)));
    options.stride(Ints(intsParam(params, "stride", D)))
        .padding(Ints(intsParam(params, "padding", D)))
        .output_padding(Ints(intsParam(params, "output_padding", D)))
        .groups(intParam(params, "groups", 1))
        .bias(flagParam(params, "bias", true))
        .dilation(Ints(intsParam(params, "dilation", D)));
    return moduleLayer(Holder(options));
}

} // namespace

void addConvolutionLayers(LayerTable& table)
{
    table["Conv1d"] = makeConvolution<1, torch::nn::Conv1d>;
    table["Conv2d"] = makeConvolution<2, torch::nn::Conv2d>;
    table["Conv3d"] = makeConvolution<3, torch::nn::Conv3d>;
    table["ConvTranspose1d"] = makeTransposed<1, torch::nn::ConvTranspose1d>;
    table["ConvTranspose2d"] = makeTransposed<2, torch::nn::ConvTranspose2d>;
    table["ConvTranspose3d"] = makeTransposed<3, torch::nn::ConvTranspose3d>;
}

} // namespace athanor
