#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;
namespace F = torch::nn::functional;

F::InterpolateFuncOptions::mode_t modeOf(const Json& params)
{
    const std::string mode = textParam(params, "mode", "nearest");
    if (mode == "linear")
        return torch::kLinear;
    if (mode == "bilinear")
        return torch::kBilinear;
    if (mode == "bicubic")
        return torch::kBicubic;
    if (mode == "trilinear")
        return torch::kTrilinear;
    return torch::kNearest;
}

/// One entry for each axis, from one for all.
template <typename Number>
std::vector<Number> spread(std::vector<Number> values, std::int64_t axes)
{
    if (values.size() == 1)
        values.resize(static_cast<std::size_t>(axes), values.front());
    return values;
}

std::vector<double> factorsParam(const Json& params)
{
    const auto found = params.find("scale_factor");
    if (found == params.end() || found->is_null())
        return {};
    return found->is_array() ? found->get<std::vector<double>>() : std::vector{found->get<double>()};
}

Layer makeUpsample(const Json& params)
{
    auto options = F::InterpolateFuncOptions().mode(modeOf(params));
    for (const char* flag : {"align_corners", "recompute_scale_factor"})
        if (const auto found = params.find(flag); found != params.end() && found->is_boolean()) {
            if (std::string_view(flag) == "align_corners")
                options.align_corners(found->get<bool>());
            else
                options.recompute_scale_factor(found->get<bool>());
        }
    return functionLayer([options, size = intsParam(params, "size", 1), factors = factorsParam(params)](const Tensor& x) {
        auto fitted = options;
        if (!size.empty())
            fitted.size(spread(size, x.dim() - 2));
        if (!factors.empty())
            fitted.scale_factor(spread(factors, x.dim() - 2));
        return F::interpolate(x, fitted);
    });
}

LayerBuilder padding(std::size_t axes, F::PadFuncOptions::mode_t mode)
{
    return [axes, mode](const Json& params) {
        return functionLayer([options = F::PadFuncOptions(intsParam(params, "padding", 2 * axes)).mode(mode)](
                                 const Tensor& x) { return F::pad(x, options); });
    };
}

} // namespace

void addSpatialLayers(LayerTable& table)
{
    table["Upsample"] = makeUpsample;
    table["PixelShuffle"] = [](const Json& params) {
        return functionLayer([factor = intParam(params, "upscale_factor", 1)](const Tensor& x) {
            return torch::pixel_shuffle(x, factor);
        });
    };
    table["ZeroPad2d"] = padding(2, torch::kConstant);
    for (const std::size_t axes : {1, 2, 3}) {
        const std::string end = "Pad" + std::to_string(axes) + "d";
        table["Reflection" + end] = padding(axes, torch::kReflect);
        table["Replication" + end] = padding(axes, torch::kReplicate);
    }
}

} // namespace athanor
