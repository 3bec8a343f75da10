#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <cmath>

namespace athanor {
namespace {

using namespace part;

const char* const kAxes[] = {"", "N×C×L", "N×C×H×W", "N×C×D×H×W"};

enum class Fill { Zeros, Reflection, Replication };

// PyTorch lists the paddings of the last axis first: left, right, top, bottom, front, back.
ShapeResult paddingRule(const ShapeContext& context, int axes, Fill fill)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank({axes + 2}, kAxes[axes]);
    const bool hasChannels = rule.input() && rule.input()->rank() >= 2;
    std::vector<Extent> dims{kBatch, hasChannels ? rule.input()->dims[1] : kUnknown};
    for (int axis = 0; axis < axes; ++axis) {
        const auto pair = static_cast<std::size_t>(axes - 1 - axis) * 2;
        const Extent in = fits ? rule.input()->dims[static_cast<std::size_t>(axis) + 2] : kUnknown;
        const Json padding = rule.param("padding");
        if (in < 0 || !padding.is_array() || padding.size() != static_cast<std::size_t>(axes) * 2) {
            dims.push_back(kUnknown);
            continue;
        }
        const Extent before = rule.at("padding", pair), behind = rule.at("padding", pair + 1);
        const std::string what = "axis " + std::to_string(axis + 2) + " of " + rule.input()->text();
        if (fill == Fill::Reflection && std::max(before, behind) >= in)
            rule.problem("padding",
                         "padding " + std::to_string(std::max(before, behind)) + " is too much to reflect " +
                             what + ": the edge itself is not repeated",
                         "use " + std::to_string(in - 1) + " or less, or a ReplicationPad");
        else if (in + before + behind < 1)
            rule.problem("padding", "nothing is left of " + what,
                         "a negative padding cuts off: cut off less");
        const Extent out = in + before + behind;
        dims.push_back(out < 1 ? kUnknown : out);
    }
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind paddingKind(const std::string& which, int axes, Fill fill, const std::string& help)
{
    const std::string kind = which + "Pad" + std::to_string(axes) + "d";
    const bool zeros = fill == Fill::Zeros;
    std::string order = "left, right";
    if (axes > 1)
        order += ", top, bottom";
    if (axes > 2)
        order += ", front, back";
    return {
        .kind = kind,
        .family = NodeFamily::Shape,
        .title = std::to_string(axes) + "-D " +
                 (zeros                      ? "zero padding"
                  : fill == Fill::Reflection ? "reflection padding"
                                             : "replication padding"),
        .help = help + " Input " + kAxes[axes] + ".\n\nPyTorch: `torch.nn." + kind + "`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {required(integers("padding", {},
                                     "What is added at each side, in elements: one number, or " + order +
                                         "." + (zeros ? " A negative one cuts off." : ""),
                                     zeros ? -kLargestInteger : 0, 2 * axes))},
        .shapeRule = [axes, fill](const ShapeContext& context) { return paddingRule(context, axes, fill); }};
}

// Axes that an interpolation works on; 0: any number from one to three.
int axesOfMode(const std::string& mode)
{
    if (mode == "linear")
        return 1;
    if (mode == "bilinear" || mode == "bicubic")
        return 2;
    return mode == "trilinear" ? 3 : 0;
}

void checkUpsampling(ShapeRule& rule, int axes)
{
    const std::string mode = rule.text("mode");
    const int wanted = axesOfMode(mode);
    const bool sized = !rule.isNull("size"), scaled = !rule.isNull("scale_factor");
    if (sized == scaled)
        rule.problem(sized ? "scale_factor" : "size",
                     sized ? "both size and scale_factor are given"
                           : "neither size nor scale_factor is given",
                     "give one of the two");
    if (wanted != 0 && axes != 0 && wanted != axes)
        rule.problem("mode",
                     "mode " + mode + " takes " + kAxes[wanted] + ", but gets " + rule.input()->text(),
                     axes == 1   ? "use nearest or linear"
                     : axes == 2 ? "use nearest, bilinear or bicubic"
                                 : "use nearest or trilinear");
    if (wanted == 0 && !rule.isNull("align_corners"))
        rule.problem("align_corners", "align_corners goes with linear, bilinear, bicubic and trilinear only",
                     "leave it out");
    if (rule.flag("recompute_scale_factor") && sized)
        rule.problem("recompute_scale_factor", "recompute_scale_factor goes with scale_factor only",
                     "leave it out");
    for (const char* name : {"size", "scale_factor"}) {
        const Json& value = rule.param(name);
        const auto entries = static_cast<int>(value.size());
        if (value.is_array() && axes != 0 && entries != axes && entries != 1)
            rule.problem(name,
                         std::string(name) + " has " + std::to_string(entries) + " entries, but " +
                             rule.input()->text() + " has " + std::to_string(axes) +
                             (axes == 1 ? " axis" : " axes") + " behind the channels",
                         "write one for all, or one for each of them");
    }
}

Extent upsampledExtent(ShapeRule& rule, Extent in, std::size_t axis)
{
    if (const Json& size = rule.param("size"); !size.is_null())
        return rule.at("size", size.is_array() && size.size() == 1 ? 0 : axis);
    const Json& factors = rule.param("scale_factor");
    if (!factors.is_array() || factors.empty() || in < 0)
        return kUnknown;
    const Json& factor = factors[factors.size() == 1 ? 0 : std::min(axis, factors.size() - 1)];
    if (!factor.is_number())
        return kUnknown;
    const double out = std::floor(static_cast<double>(in) * factor.get<double>());
    if (out < 1) {
        rule.problem("scale_factor",
                     "nothing is left of axis " + std::to_string(axis + 2) + " of " + rule.input()->text(),
                     "use a larger factor");
        return kUnknown;
    }
    return static_cast<Extent>(std::min(out, kLargestInteger * 2));
}

ShapeResult upsampleRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank({3, 4, 5}, "N×C×L, N×C×H×W or N×C×D×H×W");
    checkUpsampling(rule, fits ? rule.input()->rank() - 2 : 0);
    if (!fits) {
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    std::vector<Extent> dims{kBatch, rule.input()->dims[1]};
    for (std::size_t axis = 0; axis + 2 < rule.input()->dims.size(); ++axis)
        dims.push_back(upsampledExtent(rule, rule.input()->dims[axis + 2], axis));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind upsampleKind()
{
    return {
        .kind = "Upsample",
        .family = NodeFamily::Shape,
        .title = "Upsample",
        .help =
            "Brings each axis behind the channels to `size`, or to ⌊in · scale_factor⌋, by repeating the "
            "nearest "
            "value or by interpolation: linear for N×C×L, bilinear and bicubic for N×C×H×W, trilinear for "
            "N×C×D×H×W.\n\nPyTorch: `torch.nn.Upsample`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params =
            {nullable(integers("size", nullptr,
                               "Extents of the output, in elements: one for all axes, or one for each.", 1,
                               0)),
             nullable(positive({.name = "scale_factor",
                                .type = ParamType::RealList,
                                .help = "Factor of the extents: one for all axes, or one for each."})),
             choice("mode", {"nearest", "linear", "bilinear", "bicubic", "trilinear"}, "nearest",
                    "How values between those of the input are found."),
             nullable({.name = "align_corners",
                       .type = ParamType::Bool,
                       .help = "True: the outermost values stay at the corners. For the linear modes and "
                               "bicubic; null is false."}),
             nullable({.name = "recompute_scale_factor",
                       .type = ParamType::Bool,
                       .help =
                           "True: the factor is computed anew from the rounded extents before it is used. "
                           "For scale_factor; null is false."})},
        .shapeRule = upsampleRule};
}

ShapeResult pixelShuffleRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const Extent factor = rule.at("upscale_factor");
    if (!rule.needRank({4}, "N×C×H×W")) {
        rule.output({kBatch, kUnknown, kUnknown, kUnknown});
        return std::move(rule).finish();
    }
    std::vector<Extent> dims = rule.input()->dims;
    const Extent square = product({factor, factor});
    if (dims[1] >= 0 && square > 0 && dims[1] % square != 0)
        rule.problem("upscale_factor",
                     "upscale_factor " + std::to_string(factor) + " needs a multiple of " +
                         std::to_string(square) + " channels, but gets " + rule.input()->text(),
                     "give the convolution before it " + std::to_string(square) +
                         " times as many channels as you want to get");
    dims[1] = dims[1] >= 0 && square > 0 && dims[1] % square == 0 ? dims[1] / square : kUnknown;
    for (const std::size_t axis : {2, 3})
        dims[axis] = product({dims[axis], factor});
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind pixelShuffleKind()
{
    return {
        .kind = "PixelShuffle",
        .family = NodeFamily::Shape,
        .title = "Pixel shuffle",
        .help =
            "Makes positions of channels: N×(C·r²)×H×W → N×C×(H·r)×(W·r) with r = upscale_factor. Upsampling "
            "that a convolution before it learns (sub-pixel convolution).\n\nPyTorch: "
            "`torch.nn.PixelShuffle`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {required(integer("upscale_factor", {}, "r: how often height and width grow.", 1))},
        .shapeRule = pixelShuffleRule};
}

} // namespace

std::vector<NodeKind> spatialLayers()
{
    std::vector<NodeKind> kinds{upsampleKind(), pixelShuffleKind(),
                                paddingKind("Zero", 2, Fill::Zeros, "Adds zeros around each channel.")};
    for (const int axes : {1, 2, 3})
        kinds.push_back(
            paddingKind("Reflection", axes, Fill::Reflection,
                        "Adds the mirror image of each channel at its sides, without repeating the edge; "
                        "less than the extent itself."));
    for (const int axes : {1, 2, 3})
        kinds.push_back(paddingKind("Replication", axes, Fill::Replication,
                                    "Adds the outermost values of each channel again at its sides."));
    return kinds;
}

} // namespace athanor
