#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

using namespace part;

ShapeResult elementwiseRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult softmaxRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    if (rule.input())
        rule.axis("dim", rule.input()->rank());
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult preluRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const Extent count = rule.at("num_parameters");
    if (count > 1 && rule.input()) {
        const Extent channels = rule.input()->rank() >= 2 ? rule.input()->dims[1] : kUnknown;
        if (channels >= 0 && channels != count)
            rule.problem("num_parameters",
                         "num_parameters is " + std::to_string(count) + ", but the input has " +
                             std::to_string(channels) + " channels",
                         "use 1 or " + std::to_string(channels));
    }
    rule.setParameters(count);
    rule.passThrough();
    return std::move(rule).finish();
}

// Hardtanh's two bounds against each other, which no single range can say.
ShapeResult hardtanhRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const Json &low = rule.param("min_val"), &high = rule.param("max_val");
    if (low.is_number() && high.is_number() && low.get<double>() >= high.get<double>())
        rule.problem("max_val", "max_val must be above min_val", "the defaults are -1 and 1");
    rule.passThrough();
    return std::move(rule).finish();
}

using RuleFunction = ShapeResult (*)(const ShapeContext&);

NodeKind activation(const std::string& kind, const std::string& title, const std::string& help,
                    std::vector<ParamSpec> params = {}, RuleFunction rule = elementwiseRule)
{
    return {.kind = kind,
            .family = NodeFamily::Activation,
            .title = title,
            .help = help + "\n\nPyTorch: `torch.nn." + kind + "`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = rule};
}

ParamSpec softmaxAxis()
{
    return integer("dim", 1,
                   "Axis that is made to sum to one; 1 is the class axis, negative counts from the end.");
}

std::vector<NodeKind> rectifiers()
{
    return {
        activation(
            "ReLU", "ReLU",
            "max(0, x). Simple and quick; a unit whose input stays negative gets no gradient and is dead."),
        activation("ReLU6", "ReLU6", "min(max(0, x), 6): a ReLU with a ceiling, kind to low precision."),
        activation("LeakyReLU", "Leaky ReLU", "x for x ≥ 0, negative_slope·x below: no dead units.",
                   {real("negative_slope", 0.01, "Slope for negative inputs.")}),
        activation("PReLU", "PReLU",
                   "x for x ≥ 0, a·x below, with a learned slope a for all channels or for each.",
                   {integer("num_parameters", 1, "Number of slopes: 1, or one per channel.", 1),
                    real("init", 0.25, "The slope at the start.")},
                   preluRule),
        activation("ELU", "ELU", "x for x > 0, alpha·(exp(x) − 1) below: smooth, with a mean near zero.",
                   {real("alpha", 1.0, "Minus the value for very negative inputs.")}),
        activation("SELU", "SELU",
                   "1.0507·(x for x > 0, 1.67326·(exp(x) − 1) below): keeps mean 0 and variance 1 from layer "
                   "to layer with LeCun-normal weights."),
        activation("CELU", "CELU", "max(0, x) + min(0, alpha·(exp(x / alpha) − 1)).",
                   {positive(real("alpha", 1.0, "Scale of the negative part."))}),
        activation("GELU", "GELU",
                   "x·Φ(x), with Φ the normal distribution function: a smooth ReLU, usual in transformers.",
                   {choice("approximate", {"none", "tanh"}, "none",
                           "`tanh` computes 0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³))) instead.")}),
        activation("SiLU", "SiLU (swish)", "x·σ(x), with σ the sigmoid."),
        activation("Mish", "Mish", "x·tanh(softplus(x))."),
        activation("Hardswish", "Hardswish", "0 below −3, x above 3, x·(x + 3) / 6 between: a cheap SiLU."),
        activation(
            "Softplus", "Softplus", "ln(1 + exp(beta·x)) / beta: a smooth ReLU that is always positive.",
            {positive(real("beta", 1.0, "Sharpness of the bend.")),
             real("threshold", 20.0, "Above beta·x = threshold it is computed as x, against overflow.")}),
    };
}

std::vector<NodeKind> squashers()
{
    return {
        activation("Sigmoid", "Sigmoid",
                   "1 / (1 + exp(−x)): to between 0 and 1. Saturates: gradients vanish away from zero. "
                   "Before BCEWithLogitsLoss it is one too many."),
        activation("Hardsigmoid", "Hardsigmoid",
                   "0 below −3, 1 above 3, x / 6 + 1/2 between: a cheap sigmoid."),
        activation("Tanh", "Tanh",
                   "(exp(x) − exp(−x)) / (exp(x) + exp(−x)): to between −1 and 1, centred at zero."),
        activation(
            "Hardtanh", "Hardtanh", "x, cut off at min_val and max_val.",
            {real("min_val", -1.0, "Lowest output."), real("max_val", 1.0, "Highest output, above min_val.")},
            hardtanhRule),
        activation("Softsign", "Softsign",
                   "x / (1 + |x|): to between −1 and 1, saturates more slowly than tanh."),
        activation("Softmax", "Softmax",
                   "exp(x_i) / Σ_j exp(x_j) along dim: numbers that are positive and sum to one. "
                   "CrossEntropyLoss contains it already.",
                   {softmaxAxis()}, softmaxRule),
        activation("LogSoftmax", "Log-softmax",
                   "x_i − ln Σ_j exp(x_j) along dim: log-probabilities, what NLLLoss takes.", {softmaxAxis()},
                   softmaxRule),
    };
}

} // namespace

std::vector<NodeKind> activationLayers()
{
    std::vector<NodeKind> kinds = rectifiers();
    for (NodeKind& kind : kinds)
        if (kind.kind == "PReLU")
            kind.stateNames = [](const Json&) { return std::vector<std::string>{"weight"}; };
    std::vector<NodeKind> squash = squashers();
    for (NodeKind& kind : squash)
        kinds.push_back(std::move(kind));
    return kinds;
}

} // namespace athanor
