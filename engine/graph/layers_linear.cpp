#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>

namespace athanor {
namespace {

using namespace part;

ShapeResult inputRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.passThrough(); // checkNetwork hands the field's type in
    return std::move(rule).finish();
}

Extent countWeights(const ShapeRule& rule, Extent in, Extent out)
{
    return product({sum({in, rule.flag("bias") ? 1 : 0}), out});
}

ShapeResult linearRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const Extent out = rule.at("out_features");
    if (!rule.input()) {
        const Extent in = rule.infer("in_features", kUnknown, "features");
        rule.setParameters(countWeights(rule, in, out));
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    std::vector<Extent> dims = rule.input()->dims;
    if (dims.size() < 2) {
        rule.problem({}, "takes N×…×features, but gets " + rule.input()->text(),
                     "there is no axis beside the batch");
        rule.output({kBatch, out});
        return std::move(rule).finish();
    }
    const Extent in = rule.infer("in_features", dims.back(), "features",
                                 "; or, behind images, insert AdaptiveAvgPool2d before the Flatten");
    dims.back() = out;
    rule.setParameters(countWeights(rule, in, out));
    rule.setMacs(product({in, product(std::span(dims).subspan(1))}));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind inputKind()
{
    return {
        .kind = "Input",
        .family = NodeFamily::Input,
        .title = "Input field",
        .help = "Where a field of the data enters the network: `image`, `features`, `label`, `target`, … Its "
                "shape is the shape of the field, with the batch axis N first.",
        .inputs = {},
        .outputs = oneOutput(),
        .params = {required({.name = "field",
                             .type = ParamType::Text,
                             .help = "Name of the data's field that enters here, such as image or label."})},
        .shapeRule = inputRule};
}

NodeKind linearKind()
{
    return {.kind = "Linear",
            .family = NodeFamily::Linear,
            .title = "Linear (fully connected)",
            .help = "y = x·Wᵀ + b over the last axis; every other axis is kept.\n\nN×…×in_features → "
                    "N×…×out_features. Weight out_features×in_features, both weight and bias start uniform "
                    "in ±1/√in_features.\n\nPyTorch: `torch.nn.Linear`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {inferred(integer("in_features", {},
                                        "Length of the input's last axis; follows from the input.", 1)),
                       required(integer("out_features", {},
                                        "Length of the output's last axis: number of units.", 1)),
                       boolean("bias", true, "Adds a learned number to every unit.")},
            .shapeRule = linearRule,
            .stateNames = weightAndBias};
}

// Two inputs that are alike but for their last axis.
bool checkPair(ShapeRule& rule)
{
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& input = rule.input(i);
        const std::string place = i == 0 ? "" : "input2";
        if (input && input->rank() < 2)
            rule.problem(place, "takes N×…×features, but gets " + input->text(),
                         "there is no axis beside the batch");
        else if (i > 0 && input && input->type == ElementType::Index)
            rule.problem(place, "takes numbers, but gets class indices (" + input->text() + ")",
                         "connect a layer's output");
    }
    const auto& first = rule.input(0);
    const auto& second = rule.input(1);
    if (!first || !second || first->rank() < 2 || second->rank() < 2)
        return false;
    const bool alike = std::equal(first->dims.begin(), first->dims.end() - 1, second->dims.begin(),
                                  second->dims.end() - 1, [](Extent a, Extent b) {
                                      return a == b || a == kUnknown || b == kUnknown;
                                  });
    if (!alike)
        rule.problem("input2", "input1 is " + first->text() + ", but input2 is " + second->text(),
                     "both must be alike but for the last axis: nothing is repeated silently");
    return alike;
}

ShapeResult bilinearRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const bool alike = checkPair(rule);
    const auto lastOf = [&](std::size_t index) {
        const auto& input = rule.input(index);
        return input && input->rank() >= 2 ? input->dims.back() : kUnknown;
    };
    const Extent in1 = rule.infer("in1_features", lastOf(0), "features at input1");
    const Extent in2 = rule.infer("in2_features", lastOf(1), "features at input2");
    const Extent out = rule.at("out_features");
    rule.setParameters(product({out, sum({product({in1, in2}), rule.flag("bias") ? 1 : 0})}));
    if (!alike) {
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    std::vector<Extent> dims = rule.input()->dims;
    for (std::size_t i = 1; i < dims.size(); ++i)
        if (dims[i] == kUnknown)
            dims[i] = rule.input(1)->dims[i];
    dims.back() = out;
    rule.setMacs(product({in1, in2, product(std::span(dims).subspan(1))}));
    rule.output(std::move(dims));
    return std::move(rule).finish();
}

NodeKind bilinearKind()
{
    return {.kind = "Bilinear",
            .family = NodeFamily::Linear,
            .title = "Bilinear",
            .help = "y_k = x₁ᵀ·A_k·x₂ + b_k over the last axes of two inputs: every product of their features is "
                    "weighed.\n\nN×…×in1_features and N×…×in2_features → N×…×out_features. Weight "
                    "out_features×in1_features×in2_features, both weight and bias start uniform in "
                    "±1/√in1_features.\n\nPyTorch: `torch.nn.Bilinear`.",
            .inputs = {{"input1"}, {"input2"}},
            .outputs = oneOutput(),
            .params = {inferred(integer("in1_features", {},
                                        "Length of the first input's last axis; follows from it.", 1)),
                       inferred(integer("in2_features", {},
                                        "Length of the second input's last axis; follows from it.", 1)),
                       required(integer("out_features", {},
                                        "Length of the output's last axis: number of units.", 1)),
                       boolean("bias", true, "Adds a learned number to every unit.")},
            .shapeRule = bilinearRule,
            .stateNames = weightAndBias};
}

ShapeResult identityRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.passThrough();
    return std::move(rule).finish();
}

NodeKind identityKind()
{
    return {.kind = "Identity",
            .family = NodeFamily::Linear,
            .title = "Identity",
            .help = "y = x. A place to look at what flows by, or to switch a layer off.\n\nPyTorch: "
                    "`torch.nn.Identity`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {},
            .shapeRule = identityRule};
}

} // namespace

std::vector<NodeKind> linearLayers()
{
    return {inputKind(), linearKind(), bilinearKind(), identityKind()};
}

} // namespace athanor
