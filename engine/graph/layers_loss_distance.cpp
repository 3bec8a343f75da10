#include "engine/graph/loss_rules.h"

namespace athanor {
namespace {

using namespace part;

// Vectors N×D at the first ports, all of one shape.
void checkVectors(ShapeRule& rule, const std::vector<std::string>& ports)
{
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const auto& vectors = rule.input(i);
        if (!vectors)
            continue;
        if (vectors->rank() != 2)
            rule.problem(i == 0 ? std::string() : ports[i],
                         ports[i] + " takes vectors N×D, but gets " + vectors->text(),
                         "put a Flatten before it");
        else if (i > 0 && vectors->type == ElementType::Index)
            rule.problem(ports[i],
                         ports[i] + " takes numbers, but gets class indices (" + vectors->text() + ")",
                         "connect a layer's output");
        else if (i > 0 && rule.input() && rule.input()->rank() == 2 &&
                 !sameMeaning(rule.input()->dims, vectors->dims))
            rule.problem(ports[i],
                         ports.front() + " is " + rule.input()->text() + ", but " + ports[i] + " is " +
                             vectors->text(),
                         "all must have the same shape: nothing is repeated silently");
    }
}

void checkCosine(ShapeRule& rule)
{
    checkVectors(rule, {"input1", "input2"});
    const auto& target = rule.input(2);
    if (target && checkTwoClasses(rule, *target) && !sameMeaning(target->dims, {kBatch}))
        rule.problem("target", "takes one target per pair, N, but gets " + target->text(),
                     "1 for a pair that belongs together, −1 for one that does not");
}

void checkTriplet(ShapeRule& rule)
{
    checkVectors(rule, {"anchor", "positive", "negative"});
}

void checkHinge(ShapeRule& rule)
{
    const auto& target = rule.input(1);
    if (target && checkTwoClasses(rule, *target))
        checkSameShape(rule, 1, "target");
}

const char* const kSigns =
    " The target is 1 or −1; class indices count as 1 for the class 1 and −1 for the class 0.";

NodeKind cosineKind()
{
    return lossKind(
        {.kind = "CosineEmbeddingLoss",
         .title = "Cosine distance of pairs",
         .help = std::string(
                     "1 − cos(x₁, x₂) for pairs of vectors N×D that belong together (y = 1), max(0, cos(x₁, "
                     "x₂) − margin) for others (y = −1).") +
                 kSigns,
         .inputs = {{"input1"}, {"input2"}, LossParts::targetPort("target")},
         .params = {real("margin", 0.0,
                         "Cosine up to which vectors that do not belong together are left alone, −1 to 1.",
                         -1, 1)},
         .check = checkCosine});
}

NodeKind tripletKind()
{
    return lossKind(
        {.kind = "TripletMarginLoss",
         .title = "Triplet margin",
         .help = "max(0, d(a, p) − d(a, n) + margin) with d(x, y) = ‖x − y + eps‖_p, for vectors N×D of an "
                 "anchor, of something like it and of something unlike it. It has no target: what is alike "
                 "lies in how the data is paired.\n\nBalntas et al., Learning local feature descriptors with "
                 "triplets, 2016.",
         .inputs = {{"anchor"}, {"positive"}, {"negative"}},
         .params = {positive(
                        real("margin", 1.0, "By how much the unlike must be farther away than the like.")),
                    real("p", 2.0, "Order of the norm; 2: Euclidean distance.", 0),
                    real("eps", 1e-6, "Added to the difference, against a root of zero.", 0),
                    boolean("swap", false,
                            "Takes the distance between the like and the unlike instead where it "
                            "is shorter than that from the anchor.")},
         .check = checkTriplet});
}

NodeKind hingeKind()
{
    return lossKind(
        {.kind = "HingeEmbeddingLoss",
         .title = "Hinge on distances",
         .help =
             std::string("x for a distance x of things that belong together (y = 1), max(0, margin − x) for "
                         "others (y = −1). Input and target of one shape.") +
             kSigns,
         .params = {real("margin", 1.0,
                         "Distance from which things that do not belong together are left alone.")},
         .check = checkHinge});
}

} // namespace

std::vector<NodeKind> distanceLosses()
{
    return {cosineKind(), tripletKind(), hingeKind()};
}

} // namespace athanor
