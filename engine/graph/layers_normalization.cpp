#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

using namespace part;

const char* const kAxes[] = {"", "N×C×L", "N×C×H×W", "N×C×D×H×W"};

Extent channelsOf(const ShapeRule& rule)
{
    return rule.input() && rule.input()->rank() >= 2 ? rule.input()->dims[1] : kUnknown;
}

void countAffine(ShapeRule& rule, Extent features, const std::string& flag)
{
    rule.setParameters(rule.flag(flag) ? product({2, features}) : 0);
}

ShapeResult batchNormRule(const ShapeContext& context, std::initializer_list<int> ranks,
                          const std::string& wanted)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank(ranks, wanted);
    countAffine(rule, rule.infer("num_features", fits ? channelsOf(rule) : kUnknown, "channels"), "affine");
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult groupNormRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank({2, 3, 4, 5}, "N×C×…");
    const Extent channels = rule.infer("num_channels", fits ? channelsOf(rule) : kUnknown, "channels");
    const Extent groups = rule.at("num_groups");
    if (channels >= 0 && groups > 0 && channels % groups != 0)
        rule.problem("num_groups",
                     "num_groups is " + std::to_string(groups) + ", which does not divide the " +
                         std::to_string(channels) + " channels",
                     "use a divisor of " + std::to_string(channels));
    countAffine(rule, channels, "affine");
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult instanceNormRule(const ShapeContext& context, int axes)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool fits = rule.needRank({axes + 2}, kAxes[axes]);
    if (fits && product(std::span(rule.input()->dims).subspan(2)) == 1)
        rule.problem({},
                     "normalizes each channel of each sample over its positions, but there is only one (" +
                         rule.input()->text() + ")",
                     "use BatchNorm" + std::to_string(axes) + "d or LayerNorm here");
    countAffine(rule, rule.infer("num_features", fits ? channelsOf(rule) : kUnknown, "channels"), "affine");
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult responseNormRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    rule.needRank({3, 4, 5}, "N×C×… with positions behind the channels");
    rule.passThrough();
    return std::move(rule).finish();
}

// normalized_shape as a list; empty when it is neither written nor can be inferred.
std::vector<Extent> normalizedShape(ShapeRule& rule)
{
    const Json& written = rule.param("normalized_shape");
    if (written.is_null()) {
        if (!rule.input() || rule.input()->rank() < 2)
            return {};
        return {rule.input()->dims.back()};
    }
    std::vector<Extent> shape;
    const std::size_t count = written.is_array() ? written.size() : 1;
    for (std::size_t i = 0; i < count; ++i)
        shape.push_back(rule.at("normalized_shape", i));
    return shape;
}

void checkNormalizedShape(ShapeRule& rule, const std::vector<Extent>& shape)
{
    const std::vector<Extent> inner = withoutBatch(*rule.input());
    bool fits = shape.size() <= inner.size();
    for (std::size_t i = 0; fits && i < shape.size(); ++i) {
        const Extent extent = inner[inner.size() - shape.size() + i];
        fits = extent < 0 || shape[i] < 0 || extent == shape[i];
    }
    if (!fits)
        rule.problem("normalized_shape",
                     "normalized_shape is " + Json(shape).dump() + ", which the input's last axes are not: " +
                         rule.input()->text(),
                     "leave it out to normalize the last axis");
}

ShapeResult layerNormRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    if (rule.input() && rule.input()->rank() < 2)
        rule.problem({}, "takes N×…×features, but gets " + rule.input()->text());
    const std::vector<Extent> shape = normalizedShape(rule);
    if (rule.input() && !shape.empty())
        checkNormalizedShape(rule, shape);
    if (!shape.empty())
        countAffine(rule, product(shape), "elementwise_affine");
    rule.passThrough();
    ShapeResult result = std::move(rule).finish();
    if (!shape.empty() && product(shape) >= 0)
        result.inferred["normalized_shape"] = shape;
    return result;
}

std::vector<std::string> affineNames(const Json& params, const char* flag)
{
    return params.value(flag, Json()) == true ? std::vector<std::string>{"weight", "bias"}
                                              : std::vector<std::string>{};
}

std::vector<std::string> affineAndRunning(const Json& params)
{
    std::vector<std::string> names = affineNames(params, "affine");
    if (params.value("track_running_stats", Json()) == true)
        names.insert(names.end(), {"running_mean", "running_var", "num_batches_tracked"});
    return names;
}

ParamSpec epsilon(double standard)
{
    return positive(
        real("eps", standard, "Added to the variance before the root, against division by zero."));
}

ParamSpec features(const std::string& name)
{
    return inferred(integer(name, {}, "Channels of the input; follows from the input.", 1));
}

ParamSpec momentum(const std::string& more)
{
    return real("momentum", 0.1, "Share of the newest batch in the running mean and variance, 0 to 1" + more,
                0, 1);
}

NodeKind batchNormKind(int axes)
{
    const std::string n = std::to_string(axes);
    const char* const wanted[] = {"", "N×C or N×C×L", "N×C×H×W", "N×C×D×H×W"};
    const std::string axesText = wanted[axes];
    auto rule = [axes, axesText](const ShapeContext& context) {
        return axes == 1 ? batchNormRule(context, {2, 3}, axesText)
                         : batchNormRule(context, {axes + 2}, axesText);
    };
    return {
        .kind = "BatchNorm" + n + "d",
        .family = NodeFamily::Normalization,
        .title = "Batch normalization (" + n + "-D)",
        .help = "y = (x − E[x]) / √(Var[x] + eps) · γ + β, per channel over the batch and all positions. In "
                "evaluation running statistics take the batch's place. Input " +
                axesText +
                "; needs more than one value per channel in training.\n\nPyTorch: `torch.nn.BatchNorm" + n +
                "d`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params =
            {features("num_features"), epsilon(1e-5),
             nullable(momentum("; null: plain mean over all batches.")),
             boolean("affine", true, "Learns a scale γ and a shift β per channel."),
             boolean(
                 "track_running_stats", true,
                 "Keeps running statistics for evaluation; without them the batch's own are used always.")},
        .shapeRule = rule,
        .stateNames = affineAndRunning};
}

NodeKind layerNormKind()
{
    return {
        .kind = "LayerNorm",
        .family = NodeFamily::Normalization,
        .title = "Layer normalization",
        .help =
            "y = (x − E[x]) / √(Var[x] + eps) · γ + β, over the last axes of each sample on its own: the "
            "batch does not matter, so training and evaluation are alike.\n\nPyTorch: `torch.nn.LayerNorm`.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {inferred(integers(
                       "normalized_shape", {},
                       "Extents of the last axes that are normalized together; the last axis when left out.",
                       1, 0)),
                   epsilon(1e-5),
                   boolean("elementwise_affine", true, "Learns a scale γ and a shift β per element.")},
        .shapeRule = layerNormRule,
        .stateNames = [](const Json& params) { return affineNames(params, "elementwise_affine"); }};
}

NodeKind groupNormKind()
{
    return {.kind = "GroupNorm",
            .family = NodeFamily::Normalization,
            .title = "Group normalization",
            .help =
                "y = (x − E[x]) / √(Var[x] + eps) · γ + β, over num_groups groups of channels of each "
                "sample. Works with batches as small as one. Input N×C×….\n\nPyTorch: `torch.nn.GroupNorm`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {required(integer("num_groups", {},
                                        "Groups that the channels are split into; must divide them.", 1)),
                       features("num_channels"), epsilon(1e-5),
                       boolean("affine", true, "Learns a scale γ and a shift β per channel.")},
            .shapeRule = groupNormRule,
            .stateNames = [](const Json& params) { return affineNames(params, "affine"); }};
}

NodeKind instanceNormKind(int axes)
{
    const std::string n = std::to_string(axes);
    return {.kind = "InstanceNorm" + n + "d",
            .family = NodeFamily::Normalization,
            .title = "Instance normalization (" + n + "-D)",
            .help = "y = (x − E[x]) / √(Var[x] + eps) · γ + β, over the positions of each channel of each "
                    "sample. Input " +
                    std::string(kAxes[axes]) + ".\n\nPyTorch: `torch.nn.InstanceNorm" + n + "d`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {features("num_features"), epsilon(1e-5), momentum("."),
                       boolean("affine", false, "Learns a scale γ and a shift β per channel."),
                       boolean("track_running_stats", false,
                               "Keeps running statistics and uses them in evaluation.")},
            .shapeRule = [axes](const ShapeContext& context) { return instanceNormRule(context, axes); },
            .stateNames = affineAndRunning};
}

NodeKind responseNormKind()
{
    return {.kind = "LocalResponseNorm",
            .family = NodeFamily::Normalization,
            .title = "Local response normalization",
            .help =
                "y_c = x_c · (k + alpha/size · Σ x_i²)^(−beta), the sum over the `size` channels around c: a "
                "strong response holds its neighbours down, as in AlexNet. Input N×C×….\n\nPyTorch: "
                "`torch.nn.LocalResponseNorm`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {required(integer("size", {}, "Channels that the sum runs over.", 1)),
                       real("alpha", 0.0001, "Factor of the mean square."), real("beta", 0.75, "Exponent."),
                       real("k", 1.0, "Added to the mean square, against division by zero.")},
            .shapeRule = responseNormRule};
}

} // namespace

std::vector<NodeKind> normalizationLayers()
{
    return {batchNormKind(1),    batchNormKind(2),    batchNormKind(3),    layerNormKind(),   groupNormKind(),
            instanceNormKind(1), instanceNormKind(2), instanceNormKind(3), responseNormKind()};
}

} // namespace athanor
