#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <span>

namespace athanor {
namespace {

using namespace part;

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

// What an elementwise operation makes of two shapes; nullopt when they do not go together.
std::optional<std::vector<Extent>> commonDims(std::span<const Extent> a, std::span<const Extent> b)
{
    if (a.size() != b.size())
        return std::nullopt;
    std::vector<Extent> dims;
    for (std::size_t d = 0; d < a.size(); ++d) {
        const auto extent = commonExtent(a[d], b[d]);
        if (!extent)
            return std::nullopt;
        dims.push_back(*extent);
    }
    return dims;
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
        if (auto dims = commonDims(common->dims, input->dims))
            common->dims = std::move(*dims);
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

ShapeResult stackRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    std::optional<TensorType> common;
    for (std::size_t i = 0; i < rule.inputCount(); ++i) {
        const auto& input = rule.input(i);
        if (!input)
            continue;
        rule.needFloat(i);
        bool same = !common || common->rank() == input->rank();
        for (std::size_t d = 0; common && same && d < input->dims.size(); ++d) {
            Extent& extent = common->dims[d];
            same = extent == input->dims[d] || extent == kUnknown || input->dims[d] == kUnknown;
            extent = extent == kUnknown ? input->dims[d] : extent;
        }
        if (!same)
            rule.problem(
                {}, "stacks equal shapes, but gets " + common->text() + " and " + input->text(),
                "bring them to one shape before, or use Concat, which joins along an axis that is there");
        if (!common)
            common = input;
    }
    const auto axis = common ? rule.innerAxis("dim", common->rank() + 1) : std::nullopt;
    if (axis)
        common->dims.insert(common->dims.begin() + *axis, static_cast<Extent>(rule.inputCount()));
    rule.output(axis ? std::move(common) : std::nullopt);
    return std::move(rule).finish();
}

// The two sides of a matrix product, both known and of a rank that fits; false with a problem.
bool matricesFit(ShapeRule& rule, const TensorType& a, const TensorType& b)
{
    const std::string both = "gets " + a.text() + " and " + b.text();
    if (a.rank() < 3 || a.rank() != b.rank()) {
        rule.problem({}, "multiplies matrices N×…×A×B with N×…×B×C, but " + both,
                     a.rank() < 3 || b.rank() < 3
                         ? "one matrix per sample is needed: N×F is a vector, which Linear weighs; "
                           "Unsqueeze makes a matrix of it"
                         : "Unsqueeze gives the smaller one the axis that it lacks");
        return false;
    }
    const Extent inner = a.dims.back(), rows = b.dims[b.dims.size() - 2];
    if (inner >= 0 && rows >= 0 && inner != rows) {
        rule.problem({},
                     both + ": rows of " + std::to_string(inner) +
                         " numbers cannot be multiplied with columns of " + std::to_string(rows),
                     inner == b.dims.back()
                         ? "transpose `other` with Permute"
                         : "the last axis of `input` and the last but one of `other` must be "
                           "equal");
        return false;
    }
    return true;
}

ShapeResult matrixProductRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat(0);
    rule.needFloat(1);
    const auto &a = rule.input(0), &b = rule.input(1);
    if (!a || !b || !matricesFit(rule, *a, *b)) {
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    const std::size_t outer = a->dims.size() - 2;
    auto dims = commonDims(std::span(a->dims).first(outer), std::span(b->dims).first(outer));
    if (!dims) {
        rule.problem({}, "multiplies matrix by matrix, but gets " + a->text() + " and " + b->text(),
                     "the axes before the last two must be equal; an extent of 1 is repeated");
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    dims->push_back(a->dims[outer]);
    dims->push_back(b->dims.back());
    rule.setMacs(product({product(std::span(*dims).subspan(1)), a->dims.back()}));
    rule.output(std::move(*dims));
    return std::move(rule).finish();
}

ShapeResult reductionRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat();
    const auto axes = rule.input() ? rule.innerAxes("dim", rule.input()->rank()) : std::nullopt;
    if (!axes) {
        rule.output(std::nullopt);
        return std::move(rule).finish();
    }
    TensorType type = *rule.input();
    for (auto axis = axes->rbegin(); axis != axes->rend(); ++axis)
        if (rule.flag("keepdim"))
            type.dims[static_cast<std::size_t>(*axis)] = 1;
        else
            type.dims.erase(type.dims.begin() + *axis);
    rule.output(std::optional(std::move(type)));
    return std::move(rule).finish();
}

ShapeResult padToMatchRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.needFloat(0);
    const auto &input = rule.input(0), &other = rule.input(1);
    std::optional<TensorType> type = input;
    if (input && other && (input->rank() < 3 || input->rank() != other->rank())) {
        rule.problem({},
                     "brings N×C×… to the extents of another N×C×…, but gets " + input->text() + " and " +
                         other->text(),
                     "both need the same number of axes, with at least one behind the channels");
        type.reset();
    }
    for (std::size_t d = 2; type && d < type->dims.size(); ++d)
        type->dims[d] = other ? other->dims[d] : kUnknown;
    rule.output(std::move(type));
    return std::move(rule).finish();
}

NodeKind combineKind(const std::string& kind, const std::string& title, const std::string& help,
                     std::vector<PortSpec> inputs, std::vector<ParamSpec> params = {},
                     ShapeResult (*rule)(const ShapeContext&) = elementwiseRule)
{
    return {.kind = kind,
            .family = NodeFamily::Combine,
            .title = title,
            .help = help,
            .inputs = std::move(inputs),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = rule};
}

std::vector<PortSpec> manyInputs()
{
    return {{.name = "input", .variadic = true}};
}

std::vector<PortSpec> twoInputs()
{
    return {{"input"}, {"other"}};
}

std::vector<NodeKind> elementwiseKinds()
{
    return {
        combineKind("Add", "Add",
                    "x₁ + x₂ + …, element by element: the join of a residual connection. An extent of 1 is "
                    "repeated.\n\nPyTorch: `torch.add`.",
                    manyInputs()),
        combineKind("Subtract", "Subtract",
                    "input − other, element by element. An extent of 1 is repeated.\n\nPyTorch: `torch.sub`.",
                    twoInputs()),
        combineKind("Multiply", "Multiply",
                    "x₁ · x₂ · …, element by element: gates and attention maps. An extent of 1 is "
                    "repeated.\n\nPyTorch: `torch.mul`.",
                    manyInputs()),
        combineKind(
            "Divide", "Divide",
            "input / other, element by element; not a number or infinite where other is 0. An extent of 1 "
            "is repeated.\n\nPyTorch: `torch.div`.",
            twoInputs()),
    };
}

std::vector<NodeKind> joiningKinds()
{
    return {
        combineKind(
            "MatMul", "Matrix product",
            "input · other for each sample: N×…×A×B and N×…×B×C give N×…×A×C. The axes between the batch and "
            "the matrices must be equal; an extent of 1 is repeated.\n\nPyTorch: `torch.matmul`.",
            twoInputs(), {}, matrixProductRule),
        combineKind("Concat", "Concatenate",
                    "Joins its inputs along one axis, in the order of their edges; all other extents must be "
                    "equal.\n\nPyTorch: `torch.cat`.",
                    manyInputs(),
                    {integer("dim", 1,
                             "Axis to join along; 1 is channels or features, negative counts from the end.")},
                    concatRule),
        combineKind("Stack", "Stack",
                    "Puts inputs of one shape beside each other along a new axis, in the order of their "
                    "edges: two of "
                    "N×F give N×2×F.\n\nPyTorch: `torch.stack`.",
                    manyInputs(),
                    {integer("dim", 1, "Where the new axis is in the output; negative counts from its end.")},
                    stackRule),
        combineKind(
            "PadToMatch", "Pad to match",
            "Brings `input` to the extents of `other` behind the channels: what is missing is filled with "
            "zeros, what is too much is cut off, half of it on each side (the odd one behind). What a U-Net "
            "needs before it joins an upsampled map with an earlier one.\n\nBoth N×C×…, of one rank; the "
            "channels stay those of `input`.\n\nPyTorch: `torch.nn.functional.pad` by the "
            "differences, negative where it cuts.",
            twoInputs(), {}, padToMatchRule),
    };
}

NodeKind reductionKind(const std::string& kind, const std::string& title, const std::string& help,
                       const std::string& function)
{
    return combineKind(
        kind, title,
        help +
            " over the axes `dim` of each sample: N×C×H×W gives N×C with dim [2, 3], and N×C×1×1 with "
            "keepdim.\n\nPyTorch: `torch." +
            function + "`.",
        oneInput(),
        {nullable(integers("dim", nullptr, "Axis or axes that go away; null: all behind the batch.",
                           -kLargestInteger, 0)),
         boolean("keepdim", false, "Keeps the axes with length 1.")},
        reductionRule);
}

} // namespace

std::vector<NodeKind> combineLayers()
{
    std::vector<NodeKind> kinds = elementwiseKinds();
    for (NodeKind& kind : joiningKinds())
        kinds.push_back(std::move(kind));
    kinds.push_back(reductionKind("Mean", "Mean", "The mean", "mean"));
    kinds.push_back(reductionKind("Sum", "Sum", "The sum", "sum"));
    kinds.push_back(reductionKind("Max", "Maximum", "The largest value", "amax"));
    kinds.push_back(reductionKind("Min", "Minimum", "The smallest value", "amin"));
    return kinds;
}

} // namespace athanor
