#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

torch::nn::detail::conv_padding_mode_t paddingMode(const Json& params)
{
    const std::string mode = textParam(params, "padding_mode", "zeros");
    if (mode == "reflect")
        return torch::kReflect;
    if (mode == "replicate")
        return torch::kReplicate;
    if (mode == "circular")
        return torch::kCircular;
    return torch::kZeros;
}

template <std::size_t D>
typename torch::nn::detail::ConvNdOptions<D>::padding_t padding(const Json& params)
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
        .padding(padding<D>(params))
        .dilation(Ints(intsParam(params, "dilation", D)))
        .groups(intParam(params, "groups", 1))
        .bias(flagParam(params, "bias", true))
        .padding_mode(paddingMode(params));
    return moduleLayer(Holder(options));
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
