#include "engine/train/layers/layer.h"

#include "engine/graph/pool_window.h"

#include <torch/torch.h>

#include <optional>

namespace athanor {
namespace {

struct Window {
    std::vector<std::int64_t> kernel;
    std::vector<std::int64_t> stride; ///< the kernel's extents when left out
    std::vector<std::int64_t> padding;
    bool ceil = false;
};

Window windowOf(const Json& params, std::size_t axes)
{
    Window window{intsParam(params, "kernel_size", axes), intsParam(params, "stride", axes),
                  intsParam(params, "padding", axes), flagParam(params, "ceil_mode")};
    if (window.stride.empty())
        window.stride = window.kernel;
    return window;
}

/// The check of the shapes has seen to it, but for extents that were not known then.
void refuseBlindWindows(const torch::Tensor& x, const Window& w, const std::vector<std::int64_t>& dilation)
{
    for (std::size_t i = 0; i < dilation.size(); ++i) {
        const auto extent = x.size(static_cast<std::int64_t>(i) + 2);
        const auto room = extent + 2 * w.padding[i] - dilation[i] * (w.kernel[i] - 1) - 1;
        const auto outputs = room < 0 ? 0 : (room + (w.ceil ? w.stride[i] - 1 : 0)) / w.stride[i] + 1;
        TORCH_CHECK(!windowMissesInput(extent, outputs, w.stride[i], w.padding[i], dilation[i]),
                    "A window with dilation ", dilation[i], " steps over an extent of ", extent,
                    " and sees padding only.");
    }
}

template <std::size_t D>
Layer makeMaximum(const Json& params)
{
    return functionLayer([w = windowOf(params, D), dilation = intsParam(params, "dilation", D)](const torch::Tensor& x) {
        refuseBlindWindows(x, w, dilation);
        if constexpr (D == 1)
            return torch::max_pool1d(x, w.kernel, w.stride, w.padding, dilation, w.ceil);
        else if constexpr (D == 2)
            return torch::max_pool2d(x, w.kernel, w.stride, w.padding, dilation, w.ceil);
        else
            return torch::max_pool3d(x, w.kernel, w.stride, w.padding, dilation, w.ceil);
    });
}

template <std::size_t D>
Layer makeAverage(const Json& params)
{
    const bool padded = flagParam(params, "count_include_pad", true);
    c10::optional<std::int64_t> divisor;
    if (const auto written = intParam(params, "divisor_override"); written > 0)
        divisor = written;
    return functionLayer([w = windowOf(params, D), padded, divisor](const torch::Tensor& x) {
        if constexpr (D == 1)
            return torch::avg_pool1d(x, w.kernel, w.stride, w.padding, w.ceil, padded);
        else if constexpr (D == 2)
            return torch::avg_pool2d(x, w.kernel, w.stride, w.padding, w.ceil, padded, divisor);
        else
            return torch::avg_pool3d(x, w.kernel, w.stride, w.padding, w.ceil, padded, divisor);
    });
}

template <std::size_t D>
Layer makeNormPool(const Json& params)
{
    namespace F = torch::nn::functional;
    const Window w = windowOf(params, D);
    torch::nn::LPPoolOptions<D> options(realParam(params, "norm_type", 2), torch::ExpandingArray<D>(w.kernel));
    options.stride(torch::ExpandingArray<D>(w.stride)).ceil_mode(w.ceil);
    return functionLayer([options](const torch::Tensor& x) {
        if constexpr (D == 1)
            return F::lp_pool1d(x, options);
        else
            return F::lp_pool2d(x, options);
    });
}

/// A function of the wanted extents.
LayerBuilder adaptive(std::size_t axes, torch::Tensor (*pool)(const torch::Tensor&, at::IntArrayRef))
{
    return [axes, pool](const Json& params) {
        return functionLayer([pool, size = intsParam(params, "output_size", axes)](const torch::Tensor& x) {
            return pool(x, size);
        });
    };
}

void addAdaptivePools(LayerTable& table)
{
    using torch::Tensor;
    using Size = at::IntArrayRef;
    table["AdaptiveAvgPool1d"] = adaptive(1, [](const Tensor& x, Size size) { return torch::adaptive_avg_pool1d(x, size); });
    table["AdaptiveAvgPool2d"] = adaptive(2, [](const Tensor& x, Size size) { return torch::adaptive_avg_pool2d(x, size); });
    table["AdaptiveAvgPool3d"] = adaptive(3, [](const Tensor& x, Size size) { return torch::adaptive_avg_pool3d(x, size); });
    table["AdaptiveMaxPool1d"] =
        adaptive(1, [](const Tensor& x, Size size) { return std::get<0>(torch::adaptive_max_pool1d(x, size)); });
    table["AdaptiveMaxPool2d"] =
        adaptive(2, [](const Tensor& x, Size size) { return std::get<0>(torch::adaptive_max_pool2d(x, size)); });
    table["AdaptiveMaxPool3d"] =
        adaptive(3, [](const Tensor& x, Size size) { return std::get<0>(torch::adaptive_max_pool3d(x, size)); });
}

} // namespace

void addPoolingLayers(LayerTable& table)
{
    table["MaxPool1d"] = makeMaximum<1>;
    table["MaxPool2d"] = makeMaximum<2>;
    table["MaxPool3d"] = makeMaximum<3>;
    table["AvgPool1d"] = makeAverage<1>;
    table["AvgPool2d"] = makeAverage<2>;
    table["AvgPool3d"] = makeAverage<3>;
    table["LPPool1d"] = makeNormPool<1>;
    table["LPPool2d"] = makeNormPool<2>;
    addAdaptivePools(table);
}

} // namespace athanor
