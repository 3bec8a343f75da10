#include "engine/graph/loss_rules.h"

namespace athanor {
namespace {

using namespace part;

void checkClassCount(ShapeRule& rule, std::int64_t classes, Extent scores)
{
    if (classes > 0 && scores >= 0 && classes > scores)
        rule.problem({},
                     "the data has " + counted(classes, "class", "classes") + ", but the network yields " +
                         counted(scores, "score", "scores") + " per sample",
                     "give the last layer " + std::to_string(classes) + " outputs");
}

void checkProbabilities(ShapeRule& rule, const TensorType& input, const TensorType& target, bool taken)
{
    if (!taken)
        rule.problem("target", "takes class indices as target, but gets numbers (" + target.text() + ")",
                     "connect the field label, or set the table's task to classification");
    else if (!sameMeaning(input.dims, target.dims) || input.rank() != target.rank())
        rule.problem("target",
                     "takes class indices or probabilities " + input.text() +
                         " as target, but gets numbers " + target.text(),
                     "for regression use MSELoss; for classes connect the field label");
}

// Scores N×C×d… against class indices N×d…, or against probabilities N×C×d….
void checkClasses(ShapeRule& rule, bool probabilities)
{
    checkFactors(rule, "class_weight");
    const auto& input = rule.input(0);
    const auto& target = rule.input(1);
    if (input && input->rank() < 2) {
        rule.problem({}, "takes scores N×C, but gets " + input->text(),
                     "end the network in a layer with one output for each class");
        return;
    }
    if (!input || !target)
        return;
    if (target->type == ElementType::Float)
        return checkProbabilities(rule, *input, *target, probabilities);
    std::vector<Extent> wanted = input->dims;
    wanted.erase(wanted.begin() + 1);
    if (!sameMeaning(wanted, target->dims))
        rule.problem("target",
                     "scores " + input->text() + " need class indices " + TensorType{wanted}.text() +
                         ", but the target is " + target->text(),
                     "one class index for each vector of scores");
    checkClassCount(rule, target->classes, input->dims[1]);
}

void checkBinary(ShapeRule& rule)
{
    checkFactors(rule, "class_weight");
    checkFactors(rule, "pos_weight");
    const auto& input = rule.input(0);
    const auto& target = rule.input(1);
    if (!input || !target || !checkTwoClasses(rule, *target))
        return;
    if (target->type == ElementType::Index && input->rank() == 2 && target->rank() == 1 &&
        input->dims[1] > 1) {
        rule.problem("target",
                     "one class index per sample cannot be compared with " + std::to_string(input->dims[1]) +
                         " outputs",
                     "use one output, or CrossEntropyLoss");
        return;
    }
    checkSameShape(rule, 1, "target");
}

// One whole number per sample.
void checkLengths(ShapeRule& rule, std::size_t index, const std::string& port)
{
    const auto& lengths = rule.input(index);
    if (!lengths)
        return;
    if (lengths->type != ElementType::Index)
        rule.problem(port, port + " takes whole numbers, but gets numbers (" + lengths->text() + ")",
                     "connect a field of whole numbers");
    else if (!sameMeaning(lengths->dims, {kBatch}))
        rule.problem(port, port + " takes one length per sample, N, but gets " + lengths->text(),
                     "leave it unconnected when all sequences have the full length");
}

void checkSequences(ShapeRule& rule)
{
    checkLengths(rule, 2, "input_lengths");
    checkLengths(rule, 3, "target_lengths");
    const auto& input = rule.input(0);
    const auto& targets = rule.input(1);
    if (input && input->rank() != 3)
        rule.problem({}, "takes log-probabilities N×T×C, but gets " + input->text(),
                     "one vector of scores per time step, through LogSoftmax with dim -1");
    if (targets && (targets->type != ElementType::Index || targets->rank() != 2))
        rule.problem("targets",
                     "takes sequences of class indices N×S as target, but gets " +
                         std::string(targets->type == ElementType::Index ? "" : "numbers ") + targets->text(),
                     "connect the field with the token sequences");
    if (!input || input->rank() != 3)
        return;
    const Extent classes = input->dims[2];
    if (classes >= 0 && rule.at("blank") >= classes)
        rule.problem("blank",
                     "blank is " + std::to_string(rule.at("blank")) + ", but there are only " +
                         counted(classes, "class", "classes") + ", numbered from 0",
                     "the blank counts among the classes");
    if (targets)
        checkClassCount(rule, targets->classes, classes);
}

ParamSpec classWeights()
{
    return factors(
        "class_weight",
        "One factor per class, against imbalance (PyTorch calls it weight); null: all count alike.");
}

ParamSpec outputWeights()
{
    return factors("class_weight",
                   "One factor per output, for both kinds of target (PyTorch calls it weight); "
                   "null: all count alike.");
}

ParamSpec ignoredIndex()
{
    return integer("ignore_index", -100, "Class index that does not count, such as padding.");
}

NodeKind crossEntropyKind()
{
    return lossKind(
        {.kind = "CrossEntropyLoss",
         .title = "Cross-entropy (classes)",
         .help =
             "−ln( exp(x_y) / Σ_j exp(x_j) ) for scores x and the class y. Takes raw scores N×C or N×C×d…: "
             "no softmax before it. The target is a class index per vector of scores, or probabilities "
             "N×C×d…. The mean is over the elements that count, by their class_weight.",
         .params = {classWeights(), ignoredIndex(),
                    real("label_smoothing", 0.0,
                         "Share of the target that is spread over all classes, 0 to 1.", 0, 1)},
         .check = [](ShapeRule& rule) { checkClasses(rule, true); }});
}

NodeKind likelihoodKind()
{
    return lossKind({.kind = "NLLLoss",
                     .title = "Negative log-likelihood (classes)",
                     .help =
                         "−x_y for log-probabilities x (from LogSoftmax) N×C or N×C×d… and the class y. The "
                         "mean is over the elements that count, by their class_weight.",
                     .params = {classWeights(), ignoredIndex()},
                     .check = [](ShapeRule& rule) { checkClasses(rule, false); }});
}

NodeKind binaryScoreKind()
{
    return lossKind(
        {.kind = "BCEWithLogitsLoss",
         .title = "Binary cross-entropy on scores",
         .help =
             "−[ p·y·ln σ(x) + (1 − y)·ln(1 − σ(x)) ] for a raw score x and a target y between 0 and 1; p is "
             "pos_weight. Contains the sigmoid: none before it. A class index 0 or 1 is taken as y.",
         .params = {outputWeights(),
                    factors("pos_weight", "Factor of the positive class, one for each output; null: 1.")},
         .check = checkBinary});
}

NodeKind binaryProbabilityKind()
{
    return lossKind({.kind = "BCELoss",
                     .title = "Binary cross-entropy on probabilities",
                     .help =
                         "−[ y·ln x + (1 − y)·ln(1 − x) ] for a probability x (from Sigmoid) and a target y "
                         "between 0 and 1. BCEWithLogitsLoss is numerically safer.",
                     .params = {outputWeights()},
                     .check = checkBinary});
}

NodeKind sequenceKind()
{
    return lossKind(
        {.kind = "CTCLoss",
         .title = "Connectionist temporal classification",
         .help =
             "−ln of the probability that log-probabilities over time spell the target sequence, summed "
             "over all alignments with repetitions and blanks; for speech and handwriting, where nobody "
             "knows which time step belongs to which letter.\n\nlog_probs N×T×C (from LogSoftmax with dim "
             "−1; the batch first, PyTorch takes T×N×C), targets N×S class indices, padded at their end. "
             "The lengths N tell how many time steps and how many indices of a sample count; left "
             "unconnected, all do. The mean divides each sample's loss by the length of its target. T must "
             "be at least S, more when letters repeat.\n\nGraves et al., Connectionist Temporal "
             "Classification, 2006.",
         .inputs = {{"log_probs"},
                    LossParts::targetPort("targets"),
                    LossParts::targetPort("input_lengths", true),
                    LossParts::targetPort("target_lengths", true)},
         .params = {integer("blank", 0, "Class index that stands for no letter.", 0),
                    boolean("zero_infinity", false,
                            "Counts a loss as 0 where the target is too long for the input, instead of as "
                            "infinity.")},
         .check = checkSequences});
}

} // namespace

std::vector<NodeKind> classLosses()
{
    return {crossEntropyKind(), likelihoodKind(), binaryScoreKind(), binaryProbabilityKind(), sequenceKind()};
}

} // namespace athanor
