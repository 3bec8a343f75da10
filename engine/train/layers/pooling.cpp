#include "engine/train/layers/layer.h"

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

template <std::size_t D>
Layer makeMaximum(const Json& params)
{
    return functionLayer([w = windowOf(params, D), dilation = intsParam(params, "dilation", D)](const torch::Tensor& x) {
        if constexpr (D == 1)
            return torch::max_pool1d(x, w.kernel, w.stride, w.padding, dilation, w.ceil);
        else
            return torch::max_pool2d(x, w.kernel, w.stride, w.padding, dilation, w.ceil);
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
        else
            return torch::avg_pool2d(x, w.kernel, w.stride, w.padding, w.ceil, padded, divisor);
    });
}

} // namespace

void addPoolingLayers(LayerTable& table)
{
    table["MaxPool1d"] = makeMaximum<1>;
    table["MaxPool2d"] = makeMaximum<2>;
    table["AvgPool1d"] = makeAverage<1>;
    table["AvgPool2d"] = makeAverage<2>;
    table["AdaptiveAvgPool1d"] = [](const Json& params) {
        return functionLayer([size = intsParam(params, "output_size", 1)](const torch::Tensor& x) {
            return torch::adaptive_avg_pool1d(x, size);
        });
    };
    table["AdaptiveAvgPool2d"] = [](const Json& params) {
        return functionLayer([size = intsParam(params, "output_size", 2)](const torch::Tensor& x) {
            return torch::adaptive_avg_pool2d(x, size);
        });
    };
    table["AdaptiveMaxPool2d"] = [](const Json& params) {
        return functionLayer([size = intsParam(params, "output_size", 2)](const torch::Tensor& x) {
            return std::get<0>(torch::adaptive_max_pool2d(x, size));
        });
    };
}

} // namespace athanor
