#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

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
    const Extent in = rule.infer("in_features", dims.back(), "features");
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
    return {inputKind(), linearKind(), identityKind()};
}

} // namespace athanor
