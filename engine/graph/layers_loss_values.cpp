#include "engine/graph/loss_rules.h"

namespace athanor {
namespace {

using namespace part;

void checkOneHot(ShapeRule& rule, const TensorType& input, const TensorType& target)
{
    if (target.type != ElementType::Index) {
        rule.problem("one_hot",
                     "one_hot needs class indices as target, but gets numbers (" + target.text() + ")",
                     "leave one_hot out");
        return;
    }
    if (input.rank() < 2) {
        rule.problem("one_hot", "one_hot needs an output N×C, but gets " + input.text(), "leave one_hot out");
        return;
    }
    std::vector<Extent> wanted = input.dims;
    wanted.erase(wanted.begin() + 1);
    if (!sameMeaning(wanted, target.dims))
        rule.problem("target",
                     "outputs " + input.text() + " need class indices " + TensorType{wanted}.text() +
                         ", but the target is " + target.text(),
                     "one class index for each vector of outputs");
    const Extent outputs = input.dims[1];
    if (target.classes > 0 && outputs >= 0 && target.classes > outputs)
        rule.problem({},
                     "the data has " + counted(target.classes, "class", "classes") +
                         ", but the network yields " + counted(outputs, "output", "outputs") + " per sample",
                     "give the last layer " + std::to_string(target.classes) + " outputs");
}

void checkValues(ShapeRule& rule)
{
    const auto& input = rule.input(0);
    const auto& target = rule.input(1);
    if (!input || !target)
        return;
    if (rule.flag("one_hot"))
        return checkOneHot(rule, *input, *target);
    const bool looksLikeClasses =
        target->type == ElementType::Index && target->rank() == 1 && input->rank() == 2 && input->dims[1] > 1;
    if (looksLikeClasses && !rule.isNull("one_hot"))
        rule.problem("one_hot",
                     "one class index per sample cannot be compared with " + std::to_string(input->dims[1]) +
                         " outputs",
                     "set one_hot to true, or use CrossEntropyLoss");
    else
        checkSameShape(rule, 1, "target");
}

void checkDistribution(ShapeRule& rule)
{
    const auto& target = rule.input(1);
    if (target && target->type == ElementType::Index)
        rule.problem("target",
                     "takes probabilities as target, but gets class indices (" + target->text() + ")",
                     "use NLLLoss for class indices");
    else
        checkSameShape(rule, 1, "target");
}

// The shape of the input, or one variance for its last axis.
void checkVariance(ShapeRule& rule)
{
    checkValues(rule);
    const auto& input = rule.input(0);
    const auto& variance = rule.input(2);
    if (!variance)
        return;
    if (variance->type == ElementType::Index) {
        rule.problem("var", "takes numbers, but gets class indices (" + variance->text() + ")",
                     "connect the layer that yields the variance");
        return;
    }
    if (!input || sameMeaning(input->dims, variance->dims))
        return;
    std::vector<Extent> shared = input->dims;
    shared.back() = 1;
    if (!sameMeaning(shared, variance->dims))
        rule.problem("var", "the variance of " + input->text() + " cannot have the shape " + variance->text(),
                     "one variance for each value, or one for each last axis: " + TensorType{shared}.text());
}

ParamSpec oneHot()
{
    return boolean("one_hot", false,
                   "Turns class indices into vectors of zeros with a single one before they are compared.");
}

ParamSpec fullTerm(const std::string& term)
{
    return boolean("full", false, "Adds " + term + ", which no gradient depends on.");
}

std::vector<NodeKind> errorKinds()
{
    return {
        lossKind({.kind = "MSELoss",
                  .title = "Mean squared error",
                  .help = "(x − y)². Outliers weigh heavily.",
                  .params = {oneHot()},
                  .check = checkValues}),
        lossKind({.kind = "L1Loss",
                  .title = "Mean absolute error",
                  .help = "|x − y|. Outliers weigh no more than others.",
                  .params = {oneHot()},
                  .check = checkValues}),
        lossKind({.kind = "SmoothL1Loss",
                  .title = "Smooth L1",
                  .help = "(x − y)² / (2·beta) where |x − y| < beta, |x − y| − beta/2 elsewhere.",
                  .params = {real("beta", 1.0, "Where the square ends and the straight line begins.", 0)},
                  .check = checkValues}),
        lossKind(
            {.kind = "HuberLoss",
             .title = "Huber",
             .help = "(x − y)² / 2 where |x − y| < delta, delta·(|x − y| − delta/2) elsewhere.",
             .params = {positive(real("delta", 1.0, "Where the square ends and the straight line begins."))},
             .check = checkValues}),
    };
}

NodeKind divergenceKind()
{
    return lossKind(
        {.kind = "KLDivLoss",
         .title = "Kullback-Leibler divergence",
         .help =
             "y·(ln y − x) for log-probabilities x (from LogSoftmax) and probabilities y of the same shape: "
             "how far a distribution is from the wanted one. The divergence of distributions is "
             "`batchmean`; PyTorch's default `mean` divides by every element.",
         .params = {boolean("log_target", false, "The target holds log-probabilities too.")},
         .check = checkDistribution,
         .reductions = {"mean", "batchmean", "sum"}});
}

NodeKind poissonKind()
{
    return lossKind(
        {.kind = "PoissonNLLLoss",
         .title = "Poisson likelihood (counts)",
         .help = "exp(x) − y·x for the logarithm x of an expected count and the count y that was seen; x − "
                 "y·ln(x + eps) for an expected count x when log_input is false.",
         .params = {boolean("log_input", true, "The network yields logarithms of the expected counts."),
                    fullTerm("Stirling's approximation of ln y!"),
                    positive(real("eps", 1e-8, "Added before the logarithm when log_input is false."))},
         .check = checkValues});
}

NodeKind gaussianKind()
{
    return lossKind(
        {.kind = "GaussianNLLLoss",
         .title = "Gaussian likelihood (value and variance)",
         .help =
             "½·( ln σ² + (x − y)² / σ² ) for the expected value x, the target y and the variance σ², which "
             "the network yields too (port `var`, from Softplus: it must not be negative). The "
             "variance has the shape of the input, or 1 as its last extent.\n\nNix and Weigend, "
             "Estimating the mean and variance of the target probability distribution, 1994.",
         .inputs = {{"input"}, LossParts::targetPort("target"), {"var"}},
         .params = {fullTerm("½·ln 2π"), positive(real("eps", 1e-6, "Lowest variance that counts."))},
         .check = checkVariance});
}

} // namespace

std::vector<NodeKind> valueLosses()
{
    std::vector<NodeKind> kinds = errorKinds();
    for (auto kind : {divergenceKind, poissonKind, gaussianKind})
        kinds.push_back(kind());
    return kinds;
}

} // namespace athanor
