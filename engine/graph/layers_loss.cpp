#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>

namespace athanor {
namespace {

using namespace part;

enum class TargetRule { Classes, Binary, Values };

// Extents without trailing ones: N and N×1 hold the same numbers in one meaning.
std::vector<Extent> trimmed(std::vector<Extent> dims)
{
    while (dims.size() > 1 && dims.back() == 1)
        dims.pop_back();
    return dims;
}

bool sameExtents(const std::vector<Extent>& a, const std::vector<Extent>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](Extent x, Extent y) { return x == y || x == kUnknown || y == kUnknown; });
}

std::string count(std::int64_t number, const std::string& one, const std::string& many)
{
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

void checkClassCount(ShapeRule& rule, std::int64_t classes, Extent scores)
{
    if (classes > 0 && scores >= 0 && classes > scores)
        rule.problem({},
                     "the data has " + count(classes, "class", "classes") + ", but the network yields " +
                         count(scores, "score", "scores") + " per sample",
                     "give the last layer " + std::to_string(classes) + " outputs");
}

// Scores N×C×d… against class indices N×d…, or against probabilities N×C×d….
void checkClasses(ShapeRule& rule, const TensorType& input, const TensorType& target, bool probabilities)
{
    if (input.rank() < 2) {
        rule.problem({}, "takes scores N×C, but gets " + input.text());
        return;
    }
    if (target.type == ElementType::Float) {
        if (!probabilities)
            rule.problem("target", "takes class indices as target, but gets numbers (" + target.text() + ")",
                         "connect the field label, or set the table's task to classification");
        else if (!sameExtents(input.dims, target.dims))
            rule.problem("target",
                         "takes class indices or probabilities " + input.text() +
                             " as target, but gets numbers " + target.text(),
                         "for regression use MSELoss; for classes connect the field label");
        return;
    }
    std::vector<Extent> wanted = input.dims;
    wanted.erase(wanted.begin() + 1);
    if (!sameExtents(trimmed(wanted), trimmed(target.dims)))
        rule.problem("target",
                     "scores " + input.text() + " need class indices " + TensorType{wanted}.text() +
                         ", but the target is " + target.text(),
                     "one class index for each vector of scores");
    checkClassCount(rule, target.classes, input.dims[1]);
}

void checkSameShape(ShapeRule& rule, const TensorType& input, const TensorType& target)
{
    if (!sameExtents(trimmed(input.dims), trimmed(target.dims)))
        rule.problem("target", "the network yields " + input.text() + ", but the target is " + target.text(),
                     "both must have the same shape: nothing is repeated silently");
}

void checkBinary(ShapeRule& rule, const TensorType& input, const TensorType& target)
{
    if (target.type == ElementType::Index && target.classes > 2) {
        rule.problem("target", "tells two classes apart, but the data has " + std::to_string(target.classes),
                     "use CrossEntropyLoss with as many outputs as classes");
        return;
    }
    if (target.type == ElementType::Index && input.rank() == 2 && target.rank() == 1 && input.dims[1] > 1) {
        rule.problem("target",
                     "one class index per sample cannot be compared with " + std::to_string(input.dims[1]) +
                         " outputs",
                     "use one output, or CrossEntropyLoss");
        return;
    }
    checkSameShape(rule, input, target);
}

void checkValues(ShapeRule& rule, const TensorType& input, const TensorType& target)
{
    if (!rule.flag("one_hot")) {
        const bool looksLikeClasses =
            target.type == ElementType::Index && input.rank() == 2 && input.dims[1] > 1;
        if (looksLikeClasses && target.rank() == 1 && !rule.isNull("one_hot"))
            rule.problem("one_hot",
                         "one class index per sample cannot be compared with " +
                             std::to_string(input.dims[1]) + " outputs",
                         "set one_hot to true, or use CrossEntropyLoss");
        else
            checkSameShape(rule, input, target);
        return;
    }
    if (target.type != ElementType::Index) {
        rule.problem("one_hot",
                     "one_hot needs class indices as target, but gets numbers (" + target.text() + ")",
                     "leave one_hot out");
        return;
    }
    checkClasses(rule, input, target, false);
}

void checkClassWeights(ShapeRule& rule, const std::string& name)
{
    const Json& weights = rule.param(name);
    if (!weights.is_array() || !rule.input() || rule.input()->rank() < 2)
        return;
    const Extent classes = rule.input()->dims[1];
    const auto size = static_cast<Extent>(weights.size());
    const bool oneForAll = name == "pos_weight" && size == 1;
    if (classes >= 0 && size != classes && !oneForAll)
        rule.problem(name,
                     name + " has " + count(size, "entry", "entries") + ", but the network yields " +
                         count(classes, "output", "outputs"),
                     "write one for each output");
}

ShapeResult lossRule(const ShapeContext& context, TargetRule targetRule, bool probabilities)
{
    ShapeRule rule(context);
    rule.needFloat(0);
    checkClassWeights(rule, "class_weight");
    checkClassWeights(rule, "pos_weight");
    const auto& input = rule.input(0);
    const auto& target = rule.input(1);
    if (!input || !target)
        return std::move(rule).finish();
    if (targetRule == TargetRule::Classes)
        checkClasses(rule, *input, *target, probabilities);
    else if (targetRule == TargetRule::Binary)
        checkBinary(rule, *input, *target);
    else
        checkValues(rule, *input, *target);
    return std::move(rule).finish();
}

NodeKind lossKind(const std::string& kind, const std::string& title, const std::string& help,
                  TargetRule targetRule, std::vector<ParamSpec> params)
{
    params.push_back(choice("reduction", {"mean", "sum"}, "mean",
                            "How the losses of the elements become one number. `sum` grows with the batch, "
                            "and so do the gradients."));
    params.push_back(real("weight", 1.0, "Factor of this loss in the total, when a network has several.", 0));
    const bool probabilities = kind == "CrossEntropyLoss";
    return {.kind = kind,
            .family = NodeFamily::Loss,
            .title = title,
            .help = help + "\n\nPyTorch: `torch.nn." + kind + "`.",
            .inputs = {{"input"}, {"target"}},
            .outputs = {},
            .params = std::move(params),
            .shapeRule = [=](const ShapeContext& context) {
                return lossRule(context, targetRule, probabilities);
            }};
}

ParamSpec weights(const std::string& name, const std::string& help)
{
    return nullable({.name = name, .type = ParamType::RealList, .help = help, .minimum = 0});
}

ParamSpec classWeights()
{
    return weights(
        "class_weight",
        "One factor per class, against imbalance (PyTorch calls it weight); null: all count alike.");
}

ParamSpec ignoredIndex()
{
    return integer("ignore_index", -100, "Class index that does not count, such as padding.");
}

ParamSpec oneHot()
{
    return boolean("one_hot", false,
                   "Turns class indices into vectors of zeros with a single one before they are compared.");
}

std::vector<NodeKind> classificationLosses()
{
    return {
        lossKind("CrossEntropyLoss", "Cross-entropy (classes)",
                 "−ln( exp(x_y) / Σ_j exp(x_j) ) for scores x and the class y. Takes raw scores N×C: no "
                 "softmax before it. The target is a class index per sample, or probabilities N×C.",
                 TargetRule::Classes,
                 {classWeights(), ignoredIndex(),
                  real("label_smoothing", 0.0, "Share of the target that is spread over all classes, 0 to 1.",
                       0, 1)}),
        lossKind("NLLLoss", "Negative log-likelihood (classes)",
                 "−x_y for log-probabilities x (from LogSoftmax) and the class y.", TargetRule::Classes,
                 {classWeights(), ignoredIndex()}),
        lossKind("BCEWithLogitsLoss", "Binary cross-entropy on scores",
                 "−[ p·y·ln σ(x) + (1 − y)·ln(1 − σ(x)) ] for a raw score x and a target y between 0 and 1; "
                 "p is pos_weight. Contains the sigmoid: none before it. A class index 0 or 1 is taken as y.",
                 TargetRule::Binary,
                 {weights("pos_weight", "Factor of the positive class, one for each output; null: 1.")}),
        lossKind("BCELoss", "Binary cross-entropy on probabilities",
                 "−[ y·ln x + (1 − y)·ln(1 − x) ] for a probability x (from Sigmoid) and a target y between "
                 "0 and 1. BCEWithLogitsLoss is numerically safer.",
                 TargetRule::Binary, {}),
    };
}

std::vector<NodeKind> regressionLosses()
{
    return {
        lossKind("MSELoss", "Mean squared error", "(x − y)². Outliers weigh heavily.", TargetRule::Values,
                 {oneHot()}),
        lossKind("L1Loss", "Mean absolute error", "|x − y|. Outliers weigh no more than others.",
                 TargetRule::Values, {oneHot()}),
        lossKind("SmoothL1Loss", "Smooth L1",
                 "(x − y)² / (2·beta) where |x − y| < beta, |x − y| − beta/2 elsewhere.", TargetRule::Values,
                 {real("beta", 1.0, "Where the square ends and the straight line begins.", 0)}),
        lossKind("HuberLoss", "Huber",
                 "(x − y)² / 2 where |x − y| < delta, delta·(|x − y| − delta/2) elsewhere.",
                 TargetRule::Values,
                 {positive(real("delta", 1.0, "Where the square ends and the straight line begins."))}),
    };
}

} // namespace

std::vector<NodeKind> lossLayers()
{
    std::vector<NodeKind> kinds = classificationLosses();
    std::vector<NodeKind> others = regressionLosses();
    for (NodeKind& kind : others)
        kinds.push_back(std::move(kind));
    return kinds;
}

} // namespace athanor
