#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>

namespace athanor {
namespace {

using namespace part;

ShapeResult flattenRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    if (!rule.input()) {
        const bool whole = rule.at("start_dim") == 1 && rule.param("end_dim") == -1;
        rule.output(whole ? std::optional(TensorType{{kBatch, kUnknown}}) : std::nullopt);
        return std::move(rule).finish();
    }
    TensorType type = *rule.input();
    const auto first = rule.axis("start_dim", type.rank());
    const auto last = rule.axis("end_dim", type.rank());
    if (!first || !last) {
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    if (*first > *last) {
        rule.problem("end_dim", "end_dim lies before start_dim",
                     "the defaults, 1 and -1, flatten all but the batch");
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    if (*first == 0 && *last > 0)
        rule.problem("start_dim", "start_dim 0 would merge the batch with what follows", "start at 1");
    const auto begin = type.dims.begin() + *first, end = type.dims.begin() + *last + 1;
    const Extent merged =
        end - begin == 1 ? *begin : product(std::span(&*begin, static_cast<std::size_t>(end - begin)));
    type.dims.erase(begin + 1, end);
    type.dims[static_cast<std::size_t>(*first)] = merged;
    rule.output(std::optional(std::move(type)));
    return std::move(rule).finish();
}

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

// One extent of the result of an elementwise operation; nullopt when the two do not go together.
std::optional<Extent> commonExtent(Extent a, Extent b)
{
    if (a == b || b == 1)
        return a;
    if (a == 1)
        return b;
    if (a == kUnknown || b == kUnknown)
        return kUnknown;
    return std::nullopt;
}

ShapeResult elementwiseRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    std::optional<TensorType> common;
    std::string said;
    for (std::size_t i = 0; i < rule.inputCount(); ++i) {
        const auto& input = rule.input(i);
        if (!input)
            continue;
        rule.needFloat(i);
        if (!common) {
            common = input;
            continue;
        }
        bool fits = common->rank() == input->rank();
        std::vector<Extent> dims;
        for (std::size_t d = 0; fits && d < common->dims.size(); ++d) {
            const auto extent = commonExtent(common->dims[d], input->dims[d]);
            fits = extent.has_value();
            dims.push_back(extent.value_or(kUnknown));
        }
        if (fits)
            common->dims = std::move(dims);
        else if (said.empty())
            said = "combines element by element, but gets " + common->text() + " and " + input->text();
    }
    if (!said.empty())
        rule.problem(
            {}, said,
            "bring them to one shape before, with a convolution or Linear; an extent of 1 is repeated");
    rule.output(common);
    return std::move(rule).finish();
}

// What Concat makes of two inputs; nullopt when they do not go together.
std::optional<TensorType> joined(TensorType whole, const TensorType& next, std::size_t axis)
{
    if (whole.rank() != next.rank())
        return std::nullopt;
    for (std::size_t d = 0; d < whole.dims.size(); ++d) {
        Extent& mine = whole.dims[d];
        const Extent theirs = next.dims[d];
        if (d == axis)
            mine = sum({mine, theirs});
        else if (mine == kUnknown)
            mine = theirs;
        else if (theirs != kUnknown && mine != theirs)
            return std::nullopt;
    }
    return whole;
}

ShapeResult concatRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    std::optional<TensorType> whole;
    std::optional<int> axis;
    bool complete = true;
    for (std::size_t i = 0; i < rule.inputCount(); ++i) {
        const auto& input = rule.input(i);
        complete = complete && input.has_value();
        if (!input)
            continue;
        rule.needFloat(i);
        if (!whole) {
            whole = input;
            axis = rule.axis("dim", input->rank());
            if (axis == 0)
                rule.problem("dim", "dim 0 is the batch: samples cannot be joined to each other",
                             "use 1, the channels or features");
            continue;
        }
        if (!axis)
            continue;
        if (auto both = joined(*whole, *input, static_cast<std::size_t>(*axis)))
            whole = std::move(both);
        else
            rule.problem({},
                         "joins along axis " + std::to_string(*axis) + ", but gets " + whole->text() +
                             " and " + input->text(),
                         "all other extents must be equal");
    }
    if (!axis)
        whole.reset();
    else if (!complete && whole)
        whole->dims[static_cast<std::size_t>(*axis)] = kUnknown;
    rule.output(whole);
    return std::move(rule).finish();
}

NodeKind flattenKind()
{
    return {.kind = "Flatten",
            .family = NodeFamily::Shape,
            .title = "Flatten",
            .help = "Makes one axis of the axes start_dim to end_dim: N×C×H×W → N×(C·H·W) with the "
                    "defaults.\n\nPyTorch: `torch.nn.Flatten`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = {integer("start_dim", 1,
                               "First axis to merge; 0 is the batch, negative counts from the end."),
                       integer("end_dim", -1, "Last axis to merge; negative counts from the end.")},
            .shapeRule = flattenRule};
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
            .params = {real("p", 0.5, "Probability of being zeroed, 0 to 1.", 0, 1)},
            .shapeRule = rule};
}

NodeKind combineKind(const std::string& kind, const std::string& title, const std::string& help,
                     std::vector<PortSpec> inputs)
{
    return {.kind = kind,
            .family = NodeFamily::Combine,
            .title = title,
            .help = help,
            .inputs = std::move(inputs),
            .outputs = oneOutput(),
            .params = {},
            .shapeRule = elementwiseRule};
}

std::vector<PortSpec> manyInputs()
{
    return {{.name = "input", .variadic = true}};
}

} // namespace

std::vector<NodeKind> shapeLayers()
{
    return {
        flattenKind(),
        dropoutKind("Dropout", "Dropout",
                    "In training zeroes each element with probability p and scales the rest by 1 / (1 − p); "
                    "in evaluation it does nothing.",
                    dropoutRule),
        dropoutKind("Dropout2d", "Dropout of channels",
                    "In training zeroes whole channels with probability p and scales the rest by 1 / (1 − "
                    "p). Input N×C×H×W.",
                    dropout2dRule),
        combineKind("Add", "Add",
                    "x₁ + x₂ + …, element by element: the join of a residual connection. An extent of 1 is "
                    "repeated.\n\nPyTorch: `torch.add`.",
                    manyInputs()),
        combineKind("Subtract", "Subtract",
                    "input − other, element by element. An extent of 1 is repeated.\n\nPyTorch: `torch.sub`.",
                    {{"input"}, {"other"}}),
        combineKind("Multiply", "Multiply",
                    "x₁ · x₂ · …, element by element: gates and attention maps. An extent of 1 is "
                    "repeated.\n\nPyTorch: `torch.mul`.",
                    manyInputs()),
        NodeKind{
            .kind = "Concat",
            .family = NodeFamily::Combine,
            .title = "Concatenate",
            .help = "Joins its inputs along one axis, in the order of their edges; all other extents must be "
                    "equal.\n\nPyTorch: `torch.cat`.",
            .inputs = manyInputs(),
            .outputs = oneOutput(),
            .params = {integer(
                "dim", 1, "Axis to join along; 1 is channels or features, negative counts from the end.")},
            .shapeRule = concatRule},
    };
}

} // namespace athanor
