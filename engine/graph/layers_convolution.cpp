#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

using namespace part;

const char* const kAxes[] = {"", "N×C×L", "N×C×H×W", "N×C×D×H×W"};

std::string extentText(Extent extent)
{
    return std::to_string(extent);
}

// Channels and groups, which all convolutions share. Returns the input's channels.
Extent checkChannels(ShapeRule& rule, int axes)
{
    rule.needFloat();
    const bool fits = rule.needRank({axes + 2}, kAxes[axes]);
    const Extent in = rule.infer("in_channels", fits ? rule.input()->dims[1] : kUnknown, "channels");
    const Extent out = rule.at("out_channels");
    const Extent groups = rule.at("groups");
    if (groups > 1) {
        if (in >= 0 && in % groups != 0)
            rule.problem("groups",
                         "groups is " + extentText(groups) + ", which does not divide the " + extentText(in) +
                             " input channels",
                         "use a divisor of " + extentText(in));
        if (out >= 0 && out % groups != 0)
            rule.problem("groups",
                         "groups is " + extentText(groups) + ", which does not divide the " +
                             extentText(out) + " output channels",
                         "use a divisor of " + extentText(out));
    }
    return in;
}

// The input's extent along a spatial axis, kUnknown when the input does not have the right rank.
Extent spatial(const ShapeRule& rule, int axes, int axis)
{
    const auto& input = rule.input();
    return input && input->rank() == axes + 2 ? input->dims[static_cast<std::size_t>(axis) + 2] : kUnknown;
}

void checkPaddingMode(ShapeRule& rule, Extent in, Extent padding)
{
    const std::string mode = rule.text("padding_mode");
    const bool tooMuch = (mode == "reflect" && padding >= in) || (mode == "circular" && padding > in);
    if (in >= 0 && padding > 0 && tooMuch)
        rule.problem("padding",
                     "padding is " + extentText(padding) + ", too much to " +
                         (mode == "reflect" ? "reflect" : "wrap") + " an extent of " + extentText(in),
                     "use less padding, or padding_mode zeros");
}

Extent convolvedExtent(ShapeRule& rule, int axes, int axis)
{
    const auto i = static_cast<std::size_t>(axis);
    const Extent in = spatial(rule, axes, axis);
    const Extent kernel = rule.at("kernel_size", i), stride = rule.at("stride", i),
                 dilation = rule.at("dilation", i);
    const std::string named = rule.text("padding");
    if (named == "same") { // PyTorch pads what is missing, the odd one behind; a stride is refused elsewhere
        if (kernel >= 0 && dilation >= 0)
            checkPaddingMode(rule, in, (dilation * (kernel - 1) + 1) / 2);
        return in;
    }
    const Extent padding = named == "valid" ? 0 : rule.at("padding", i);
    if (in < 0 || kernel < 0 || stride < 1 || dilation < 0 || padding < 0)
        return kUnknown;
    checkPaddingMode(rule, in, padding);
    const Extent reach = dilation * (kernel - 1) + 1;
    if (in + 2 * padding < reach) {
        rule.problem("kernel_size",
                     "the kernel reaches over " + extentText(reach) + ", but the padded input is only " +
                         extentText(in + 2 * padding) + " long (" + rule.input()->text() + ")",
                     "use a smaller kernel or more padding, or pool less before");
        return kUnknown;
    }
    return (in + 2 * padding - reach) / stride + 1;
}

Extent kernelVolume(const ShapeRule& rule, int axes)
{
    Extent volume = 1;
    for (int axis = 0; axis < axes; ++axis)
        volume = product({volume, rule.at("kernel_size", static_cast<std::size_t>(axis))});
    return volume;
}

ShapeResult convolutionRule(const ShapeContext& context, int axes)
{
    ShapeRule rule(context);
    const Extent in = checkChannels(rule, axes);
    const Extent out = rule.at("out_channels"), groups = rule.at("groups");
    if (rule.text("padding") == "same")
        for (int axis = 0; axis < axes; ++axis)
            if (rule.at("stride", static_cast<std::size_t>(axis)) > 1) {
                rule.problem("padding", "padding same needs stride 1",
                             "write the padding as a number, or drop the stride");
                break;
            }
    std::vector<Extent> dims{kBatch, out};
    for (int axis = 0; axis < axes; ++axis)
        dims.push_back(convolvedExtent(rule, axes, axis));
    const Extent perOutput =
        in < 0 || groups < 1 ? kUnknown : product({in / groups, kernelVolume(rule, axes)});
    rule.setParameters(product({out, sum({perOutput, rule.flag("bias") ? 1 : 0})}));
    rule.setMacs(product({perOutput, product(std::span(dims).subspan(1))}));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

ShapeResult transposedRule(const ShapeContext& context, int axes)
{
    ShapeRule rule(context);
    const Extent in = checkChannels(rule, axes);
    const Extent out = rule.at("out_channels"), groups = rule.at("groups");
    std::vector<Extent> dims{kBatch, out}, source{in};
    for (int axis = 0; axis < axes; ++axis) {
        const auto i = static_cast<std::size_t>(axis);
        const Extent extent = spatial(rule, axes, axis);
        const Extent kernel = rule.at("kernel_size", i), stride = rule.at("stride", i),
                     extra = rule.at("output_padding", i);
        const Extent padding = rule.at("padding", i), dilation = rule.at("dilation", i);
        source.push_back(extent);
        if (extra >= 0 && stride > 0 && dilation > 0 && extra >= std::max(stride, dilation))
            rule.problem("output_padding",
                         "output_padding is " + extentText(extra) +
                             ", but must be less than stride or dilation",
                         "raise the stride, or use 0");
        if (extent < 0 || kernel < 0 || stride < 0 || extra < 0 || padding < 0 || dilation < 0) {
            dims.push_back(kUnknown);
            continue;
        }
        const Extent result = (extent - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1;
        if (result < 1)
            rule.problem("padding", "the output would be " + extentText(result) + " long",
                         "use less padding");
        dims.push_back(result < 1 ? kUnknown : result);
    }
    const Extent perInput =
        out < 0 || groups < 1 ? kUnknown : product({out / groups, kernelVolume(rule, axes)});
    rule.setParameters(sum({product({in, perInput}), rule.flag("bias") ? out : 0}));
    rule.setMacs(product({perInput, product(source)}));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

ParamSpec convolutionPadding(int axes)
{
    ParamSpec spec = integers("padding", 0,
                              "What is added on both sides of each axis, in elements; `same` keeps the "
                              "extents (stride 1 only), `valid` adds nothing.",
                              0, axes);
    spec.choices = {"same", "valid"};
    return spec;
}

std::vector<ParamSpec> sharedParams(int axes)
{
    return {
        inferred(integer("in_channels", {}, "Channels of the input; follows from the input.", 1)),
        required(integer("out_channels", {}, "Channels of the output: number of filters.", 1)),
        required(integers("kernel_size", {}, "Extent of a filter along each axis, in elements.", 1, axes)),
        integers("stride", 1, "Step of the filter along each axis, in elements.", 1, axes)};
}

NodeKind convolutionKind(int axes)
{
    const std::string n = std::to_string(axes);
    std::vector<ParamSpec> params = sharedParams(axes);
    params.push_back(convolutionPadding(axes));
    params.push_back(
        integers("dilation", 1, "Distance between the points of a filter; 1 is a dense filter.", 1, axes));
    params.push_back(
        integer("groups", 1,
                "Splits the channels into groups that do not see each other; must divide the input's and the "
                "output's channels. Equal to in_channels: a depthwise convolution.",
                1));
    params.push_back(boolean("bias", true,
                             "Adds a learned number to every output channel. Not needed before a batch "
                             "normalization, which subtracts it again."));
    params.push_back(choice("padding_mode", {"zeros", "reflect", "replicate", "circular"}, "zeros",
                            "What the padding is filled with."));
    return {.kind = "Conv" + n + "d",
            .family = NodeFamily::Convolution,
            .title = n + "-D convolution",
            .help = "Slides out_channels learned filters over the input (cross-correlation):\n\nout(n, o) = "
                    "bias(o) + Σ_c weight(o, c) ⋆ input(n, c)\n\nExtent along each axis: ⌊(in + 2·padding − "
                    "dilation·(kernel_size − 1) − 1) / stride⌋ + 1. Input " +
                    std::string(kAxes[axes]) + ".\n\nPyTorch: `torch.nn.Conv" + n + "d`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = [axes](const ShapeContext& context) { return convolutionRule(context, axes); },
            .stateNames = weightAndBias};
}

NodeKind transposedKind(int axes)
{
    const std::string n = std::to_string(axes);
    std::vector<ParamSpec> params = sharedParams(axes);
    params.push_back(
        integers("padding", 0, "What is taken away on both sides of the output, in elements.", 0, axes));
    params.push_back(integers("output_padding", 0,
                              "What is added at one side of the output, where a stride leaves its extent "
                              "open; less than stride or dilation.",
                              0, axes));
    params.push_back(integer("groups", 1, "Splits the channels into groups that do not see each other.", 1));
    params.push_back(boolean("bias", true, "Adds a learned number to every output channel."));
    params.push_back(integers("dilation", 1, "Distance between the points of a filter.", 1, axes));
    return {.kind = "ConvTranspose" + n + "d",
            .family = NodeFamily::Convolution,
            .title = n + "-D transposed convolution",
            .help = "The gradient of a convolution used forward: each input element adds a weighted filter "
                    "to the output, which grows by the stride.\n\nExtent: (in − 1)·stride − 2·padding + "
                    "dilation·(kernel_size − 1) + output_padding + 1. Input " +
                    std::string(kAxes[axes]) + ".\n\nPyTorch: `torch.nn.ConvTranspose" + n + "d`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = [axes](const ShapeContext& context) { return transposedRule(context, axes); },
            .stateNames = weightAndBias};
}

} // namespace

std::vector<NodeKind> convolutionLayers()
{
    std::vector<NodeKind> kinds;
    for (const int axes : {1, 2, 3})
        kinds.push_back(convolutionKind(axes));
    for (const int axes : {1, 2, 3})
        kinds.push_back(transposedKind(axes));
    return kinds;
}

} // namespace athanor
