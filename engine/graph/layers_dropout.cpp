#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

using namespace part;

ShapeResult dropoutRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    rule.passThrough();
    return std::move(rule).finish();
}

ShapeResult dropout2dRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    rule.needRank({4}, "N×C×H×W");
    rule.passThrough();
    return std::move(rule).finish();
}

ParamSpec probability()
{
    ParamSpec p = real("p", 0.5, "Probability of being zeroed, 0 to 1.", 0, 1);
    p.live = true;
    return p;
}

NodeKind dropoutKind(const std::string& kind, const std::string& title, const std::string& help,
                     ShapeResult (*rule)(const ShapeContext&))
{
    return {.kind = kind,
            .family = NodeFamily::Dropout,
            .title = title,
            .help = help + "\n\nPyTorch: `torch.nn." + kind + "`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {probability()},
            .shapeRule = rule};
}

} // namespace

std::vector<NodeKind> dropoutLayers()
{
    return {
        dropoutKind("Dropout", "Dropout",
                    "In training zeroes each element with probability p and scales the rest by 1 / (1 − p); "
                    "in evaluation it does nothing.",
                    dropoutRule),
        dropoutKind("Dropout2d", "Dropout of channels",
                    "In training zeroes whole channels with probability p and scales the rest by 1 / (1 − "
                    "p). Input N×C×H×W.",
                    dropout2dRule),
        dropoutKind(
            "AlphaDropout", "Alpha dropout",
            "In training sets each element to −1.7581 (the lowest value of SELU) with probability p, and "
            "scales and shifts all so that mean 0 and variance 1 stay: the dropout that goes with SELU. In "
            "evaluation it does nothing.",
            dropoutRule),
    };
}

} // namespace athanor
