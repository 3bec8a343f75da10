#include "engine/graph/catalog_parts.h"
#include "engine/graph/pool_window.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

using namespace part;

const char* const kAxes[] = {"", "N×C×L", "N×C×H×W", "N×C×D×H×W"};

struct Window {
    Extent kernel, stride, padding, dilation;
};

Window windowOf(const ShapeRule& rule, int axis)
{
    const auto i = static_cast<std::size_t>(axis);
    Window window{rule.at("kernel_size", i), rule.at("stride", i), 0, 1};
    if (!rule.isNull("padding")) // pooling by a norm has none
        window.padding = rule.at("padding", i);
    if (rule.isNull("stride"))
        window.stride = window.kernel;
    if (!rule.isNull("dilation")) // only maximum pooling has one
        window.dilation = rule.at("dilation", i);
    return window;
}

Extent pooledExtent(ShapeRule& rule, Extent in, const Window& w, bool paddingCounts)
{
    if (w.padding >= 0 && w.kernel >= 0 && w.padding > w.kernel / 2)
        rule.problem("padding",
                     "padding is " + std::to_string(w.padding) +
                         ", but may be at most half the kernel_size of " + std::to_string(w.kernel),
                     "use " + std::to_string(w.kernel / 2) + " or less");
    if (in < 0 || w.kernel < 1 || w.stride < 1 || w.padding < 0 || w.dilation < 1)
        return kUnknown;
    if (!paddingCounts && in < w.kernel) {
        rule.problem("kernel_size",
                     "the window is " + std::to_string(w.kernel) + " long, but the input is only " +
                         std::to_string(in) + " without its padding (" + rule.input()->text() + ")",
                     "use a smaller window, or pool less before");
        return kUnknown;
    }
    const Extent reach = w.dilation * (w.kernel - 1) + 1;
    const Extent room = in + 2 * w.padding - reach;
    const bool up = rule.flag("ceil_mode");
    if (room < 0 && !(up && room + w.stride > 0)) {
        rule.problem("kernel_size",
                     "the window reaches over " + std::to_string(reach) + ", but the padded input is only " +
                         std::to_string(in + 2 * w.padding) + " long (" + rule.input()->text() + ")",
                     "use a smaller window, or pool less before");
        return kUnknown;
    }
    Extent out = room / w.stride + 1;
    if (up) { // PyTorch drops a last window that would start in the padding
        out = (room + w.stride - 1) / w.stride + 1;
        out -= (out - 1) * w.stride >= in + w.padding ? 1 : 0;
    }
    if (windowMissesInput(in, out, w.stride, w.padding, w.dilation))
        rule.problem("dilation",
                     "a window with dilation " + std::to_string(w.dilation) + " steps over an extent of " +
                         std::to_string(in) + " (" + rule.input()->text() + ") and sees padding only",
                     "use a dilation of at most " + std::to_string(in) + ", or no padding");
    return out;
}

// Batch and channels of the output, the spatial extents still to be added.
std::vector<Extent> outerDims(ShapeRule& rule, int axes, bool& fits)
{
    rule.needFloat();
    fits = rule.needRank({axes + 2}, kAxes[axes]);
    const bool hasChannels = rule.input() && rule.input()->rank() >= 2;
    return {kBatch, hasChannels ? rule.input()->dims[1] : kUnknown};
}

// PyTorch's 3-D average does not let a window be larger than the input, however much is padded.
ShapeResult poolingRule(const ShapeContext& context, int axes, bool paddingCounts = true)
{
    ShapeRule rule(context);
    bool fits = false;
    std::vector<Extent> dims = outerDims(rule, axes, fits);
    for (int axis = 0; axis < axes; ++axis)
        dims.push_back(pooledExtent(rule,
                                    fits ? rule.input()->dims[static_cast<std::size_t>(axis) + 2] : kUnknown,
                                    windowOf(rule, axis), paddingCounts));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

ShapeResult adaptiveRule(const ShapeContext& context, int axes)
{
    ShapeRule rule(context);
    bool fits = false;
    std::vector<Extent> dims = outerDims(rule, axes, fits);
    for (int axis = 0; axis < axes; ++axis)
        dims.push_back(rule.at("output_size", static_cast<std::size_t>(axis)));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind poolingKind(const std::string& which, int axes)
{
    const std::string kind = which + "Pool" + std::to_string(axes) + "d";
    const bool maximum = which == "Max";
    std::vector<ParamSpec> params{
        required(integers("kernel_size", {}, "Extent of the window along each axis, in elements.", 1, axes)),
        nullable(integers("stride", nullptr, "Step of the window; kernel_size when left out.", 1, axes)),
        integers("padding", 0,
                 std::string("What is added on both sides, in elements (") +
                     (maximum ? "minus infinity" : "zeros") + "); at most half the kernel_size.",
                 0, axes)};
    if (maximum)
        params.push_back(integers("dilation", 1, "Distance between the points of the window.", 1, axes));
    params.push_back(boolean("ceil_mode", false, "Rounds the output's extent up instead of down."));
    if (!maximum)
        params.push_back(boolean("count_include_pad", true, "Counts the padded zeros in the mean."));
    if (!maximum && axes > 1)
        params.push_back(
            nullable(integer("divisor_override", nullptr,
                             "Divides the sum by this instead of by the number of elements.", 1)));
    return {.kind = kind,
            .family = NodeFamily::Pooling,
            .title = std::to_string(axes) + (maximum ? "-D maximum pooling" : "-D average pooling"),
            .help = std::string(maximum ? "The largest" : "The mean") +
                    " of the values in a sliding window, channel by channel.\n\nExtent along each axis: ⌊(in "
                    "+ 2·padding − " +
                    (maximum ? "dilation·(kernel_size − 1) − 1" : "kernel_size") + ") / stride⌋ + 1. Input " +
                    kAxes[axes] + ".\n\nPyTorch: `torch.nn." + kind + "`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = [axes, paddingCounts = maximum || axes < 3](const ShapeContext& context) {
                return poolingRule(context, axes, paddingCounts);
            }};
}

NodeKind normPoolingKind(int axes)
{
    const std::string kind = "LPPool" + std::to_string(axes) + "d";
    return {
        .kind = kind,
        .family = NodeFamily::Pooling,
        .title = std::to_string(axes) + "-D power-average pooling",
        .help =
            "(Σ xᵖ)^(1/p) over a sliding window, channel by channel, with p = norm_type: the sum for p = 1, "
            "nearly the maximum for a large p. Meant for values that are not negative.\n\nExtent along each "
            "axis: ⌊(in − kernel_size) / stride⌋ + 1. Input " +
            std::string(kAxes[axes]) + ".\n\nPyTorch: `torch.nn." + kind + "`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {required(positive(real("norm_type", {}, "The power p, above 0."))),
                   required(integers("kernel_size", {}, "Extent of the window along each axis, in elements.",
                                     1, axes)),
                   nullable(integers("stride", nullptr, "Step of the window; kernel_size when left out.", 1,
                                     axes)),
                   boolean("ceil_mode", false, "Rounds the output's extent up instead of down.")},
        .shapeRule = [axes](const ShapeContext& context) { return poolingRule(context, axes); }};
}

NodeKind adaptiveKind(const std::string& which, int axes)
{
    const std::string kind = "Adaptive" + which + "Pool" + std::to_string(axes) + "d";
    const bool maximum = which == "Max";
    return {
        .kind = kind,
        .family = NodeFamily::Pooling,
        .title =
            std::to_string(axes) + (maximum ? "-D adaptive maximum pooling" : "-D adaptive average pooling"),
        .help = std::string(maximum ? "The largest value" : "The mean") +
                " of each of output_size equal parts of the input, whatever its extent; output_size 1 is "
                "global pooling. Input " +
                kAxes[axes] + ".\n\nPyTorch: `torch.nn." + kind + "`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {required(integers("output_size", {}, "Extent of the output along each axis.", 1, axes))},
        .shapeRule = [axes](const ShapeContext& context) { return adaptiveRule(context, axes); }};
}

} // namespace

std::vector<NodeKind> poolingLayers()
{
    std::vector<NodeKind> kinds;
    for (const int axes : {1, 2, 3}) {
        for (const char* which : {"Max", "Avg"})
            kinds.push_back(poolingKind(which, axes));
        if (axes < 3) // PyTorch has none for volumes
            kinds.push_back(normPoolingKind(axes));
        for (const char* which : {"Avg", "Max"})
            kinds.push_back(adaptiveKind(which, axes));
    }
    return kinds;
}

} // namespace athanor
