#include "engine/graph/catalog_parts.h"
#include "engine/graph/shape_rules.h"

#include <algorithm>
#include <set>

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

// Ends a rule whose output cannot be told.
ShapeResult unknownOutput(ShapeRule& rule)
{
    rule.output(std::nullopt);
    return std::move(rule).finish();
}

// Ends a rule with the input's values in other extents.
ShapeResult withDims(ShapeRule& rule, std::vector<Extent> dims)
{
    TensorType type = *rule.input();
    type.dims = std::move(dims);
    rule.output(std::optional(std::move(type)));
    return std::move(rule).finish();
}

// The extents of a list that split up `whole` numbers; one −1 stands for what is left. nullopt with a problem.
std::optional<std::vector<Extent>> splitExtents(ShapeRule& rule, const std::string& name, Extent whole,
                                                const std::string& ofWhat)
{
    std::vector<Extent> extents;
    Extent written = 1;
    std::optional<std::size_t> open;
    for (std::size_t i = 0; rule.param(name).is_array() && i < rule.param(name).size(); ++i) {
        const Extent extent = rule.at(name, i);
        if (extent == 0 || extent < -1 || (extent == -1 && open)) {
            rule.problem(name,
                         extent == 0 ? name + " has an extent of 0, which holds no numbers"
                                     : name + " leaves more than one extent open",
                         "write extents of 1 or more, and -1 for at most one that follows from the input");
            return std::nullopt;
        }
        if (extent == -1)
            open = i;
        else
            written = product({written, extent});
        extents.push_back(extent);
    }
    if (open)
        extents[*open] = kUnknown;
    if (whole < 0)
        return extents;
    if (open ? whole % written != 0 : whole != written) {
        rule.problem(name,
                     name + (open ? " splits into parts of " : " holds ") + std::to_string(written) +
                         " numbers, but " + ofWhat + " of the input " + rule.input()->text() + " holds " +
                         std::to_string(whole),
                     open ? "the written extents must divide it"
                          : "write -1 for one extent: it follows then");
        return std::nullopt;
    }
    if (open)
        extents[*open] = whole / written;
    return extents;
}

ShapeResult unflattenRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    if (!rule.input())
        return unknownOutput(rule);
    std::vector<Extent> dims = rule.input()->dims;
    const auto axis = rule.innerAxis("dim", rule.input()->rank());
    if (!axis)
        return unknownOutput(rule);
    const auto place = dims.begin() + *axis;
    const auto extents = splitExtents(rule, "unflattened_size", *place, "axis " + std::to_string(*axis));
    if (!extents)
        return unknownOutput(rule);
    dims.insert(dims.erase(place), extents->begin(), extents->end());
    return withDims(rule, std::move(dims));
}

ShapeResult reshapeRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    const Extent whole = rule.input() ? product(withoutBatch(*rule.input())) : kUnknown;
    auto extents = splitExtents(rule, "shape", whole, "each sample");
    if (!extents)
        return unknownOutput(rule);
    extents->insert(extents->begin(), kBatch);
    if (rule.input())
        return withDims(rule, std::move(*extents));
    rule.output(std::move(*extents));
    return std::move(rule).finish();
}

ShapeResult permuteRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    const Json& order = rule.param("dims");
    const std::string hint = "write each axis of the input once, the batch first: [0, 2, 3, 1] makes "
                             "channels-last of N×C×H×W";
    if (!rule.input() || !order.is_array())
        return unknownOutput(rule);
    const TensorType& type = *rule.input();
    if (static_cast<int>(order.size()) != type.rank()) {
        rule.problem("dims",
                     "dims has " + std::to_string(order.size()) + " entries, but the input " + type.text() +
                         " has " + std::to_string(type.rank()) + " axes",
                     hint);
        return unknownOutput(rule);
    }
    std::vector<Extent> dims;
    std::set<Extent> seen;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const Extent written = rule.at("dims", i);
        const Extent axis = written < 0 ? written + type.rank() : written;
        const bool exists = axis >= 0 && axis < type.rank();
        if (!exists || !seen.insert(axis).second || (axis == 0) != (i == 0)) {
            rule.problem("dims",
                         !exists ? "dims names axis " + std::to_string(written) + ", which " + type.text() +
                                       " does not have"
                         : axis == 0 || i == 0
                             ? "dims moves the batch, which is the first axis of everything here"
                             : "dims names axis " + std::to_string(written) + " twice",
                         hint);
            return unknownOutput(rule);
        }
        dims.push_back(type.dims[static_cast<std::size_t>(axis)]);
    }
    return withDims(rule, std::move(dims));
}

ShapeResult squeezeRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    if (!rule.input())
        return unknownOutput(rule);
    const std::vector<Extent>& dims = rule.input()->dims;
    const bool all = rule.isNull("dim");
    // Without a written axis an unknown extent leaves the rank open.
    if (all && std::find(dims.begin(), dims.end(), kUnknown) != dims.end())
        return unknownOutput(rule);
    const auto axes = all ? std::vector<int>() : rule.innerAxes("dim", rule.input()->rank());
    if (!axes)
        return unknownOutput(rule);
    std::vector<Extent> kept;
    for (std::size_t i = 0; i < dims.size(); ++i) {
        const bool named = std::find(axes->begin(), axes->end(), static_cast<int>(i)) != axes->end();
        if (named && dims[i] > 1)
            rule.problem("dim",
                         "axis " + std::to_string(i) + " of " + rule.input()->text() + " is " +
                             std::to_string(dims[i]) + " long: only an axis of length 1 can be taken away",
                         "name another axis, or leave dim out to take away all of length 1");
        if (!named && !(all && dims[i] == 1))
            kept.push_back(dims[i]);
    }
    return withDims(rule, std::move(kept));
}

ShapeResult unsqueezeRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    if (!rule.input())
        return unknownOutput(rule);
    const auto axis = rule.innerAxis("dim", rule.input()->rank() + 1);
    if (!axis)
        return unknownOutput(rule);
    std::vector<Extent> dims = rule.input()->dims;
    dims.insert(dims.begin() + *axis, 1);
    return withDims(rule, std::move(dims));
}

// Length of start:end:step along an axis, as Python slices; nullopt when nothing is left.
std::optional<Extent> slicedExtent(const ShapeRule& rule, Extent whole)
{
    const Extent start = rule.at("start"), step = rule.at("step");
    const Extent end = rule.isNull("end") ? whole : rule.at("end");
    const auto fromFront = [&](Extent at) { return std::clamp<Extent>(at < 0 ? at + whole : at, 0, whole); };
    const Extent length = fromFront(end) - fromFront(start);
    return length > 0 ? std::optional((length + step - 1) / std::max<Extent>(step, 1)) : std::nullopt;
}

ShapeResult sliceRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    if (!rule.input())
        return unknownOutput(rule);
    const auto axis = rule.innerAxis("dim", rule.input()->rank());
    if (!axis)
        return unknownOutput(rule);
    std::vector<Extent> dims = rule.input()->dims;
    Extent& extent = dims[static_cast<std::size_t>(*axis)];
    if (extent >= 0) {
        const auto length = slicedExtent(rule, extent);
        if (!length)
            rule.problem(
                "end",
                "nothing is left of axis " + std::to_string(*axis) + " of " + rule.input()->text() +
                    ", which is " + std::to_string(extent) + " long",
                "start must lie before end and inside the axis; negative numbers count from its end");
        extent = length.value_or(kUnknown);
    }
    return withDims(rule, std::move(dims));
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

NodeKind shapeKind(const std::string& kind, const std::string& title, const std::string& help,
                   std::vector<ParamSpec> params, ShapeResult (*rule)(const ShapeContext&))
{
    return {.kind = kind,
            .family = NodeFamily::Shape,
            .title = title,
            .help = help,
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = rule};
}

ParamSpec extentList(const std::string& name, const std::string& help)
{
    return required(
        {.name = name, .type = ParamType::IntList, .help = help, .minimum = -1, .maximum = kLargestInteger});
}

std::vector<NodeKind> splittingKinds()
{
    return {
        shapeKind(
            "Unflatten", "Unflatten",
            "Splits one axis into several: N×(C·H·W) → N×C×H×W with dim 1 and unflattened_size [C, H, W]. "
            "The reverse of Flatten.\n\nPyTorch: `torch.nn.Unflatten`.",
            {required(integer("dim", {},
                              "Axis to split; 1 is the first behind the batch, negative counts "
                              "from the end.")),
             extentList("unflattened_size",
                        "Extents that the axis is split into; one may be -1 and follows.")},
            unflattenRule),
        shapeKind(
            "Reshape", "Reshape",
            "Reads the numbers of each sample, in their order, into other extents; their count must stay the "
            "same. The batch axis stays in front.\n\nPyTorch: `x.reshape(x.size(0), *shape)`.",
            {extentList("shape", "Extents of the output behind the batch axis; one may be -1 and follows.")},
            reshapeRule),
    };
}

} // namespace

std::vector<NodeKind> shapeLayers()
{
    std::vector<NodeKind> kinds = splittingKinds();
    kinds.insert(kinds.begin(), flattenKind());
    kinds.push_back(shapeKind(
        "Permute", "Permute axes",
        "Puts the axes in another order; the numbers move with them. With [0, 2, 1] N×T×F becomes "
        "N×F×T, which Conv1d takes.\n\nPyTorch: `torch.permute`.",
        {required({.name = "dims",
                   .type = ParamType::IntList,
                   .help = "Which axis of the input goes where, each once; the batch, 0, stays first.",
                   .minimum = -kLargestInteger,
                   .maximum = kLargestInteger})},
        permuteRule));
    kinds.push_back(shapeKind(
        "Squeeze", "Squeeze",
        "Takes axes of length 1 away: N×1×T → N×T. The batch axis stays, also when it is 1 long. An axis "
        "that is longer is an error here, where PyTorch keeps it silently.\n\nPyTorch: "
        "`torch.squeeze`.",
        {nullable(integers("dim", nullptr,
                           "Axis to take away, or a list; null: all of length 1 behind the batch.",
                           -kLargestInteger, 0))},
        squeezeRule));
    kinds.push_back(shapeKind(
        "Unsqueeze", "Unsqueeze",
        "Puts in an axis of length 1: N×T → N×1×T with dim 1.\n\nPyTorch: `torch.unsqueeze`.",
        {required(integer("dim", {},
                          "Where the axis is in the output; negative counts from its end, -1 is last."))},
        unsqueezeRule));
    kinds.push_back(
        shapeKind("Slice", "Slice",
                  "Keeps a part of one axis: `start`, `start + step`, … up to before `end`, as Python's "
                  "`x[:, start:end:step]`.\n\nPyTorch: slicing of a tensor.",
                  {integer("dim", 1, "Axis to cut; 1 is channels or time, negative counts from the end."),
                   integer("start", 0, "First place that is kept; negative counts from the end of the axis."),
                   nullable(integer("end", nullptr,
                                    "Place before which it ends; negative counts from the end of the axis; "
                                    "null: up to the end.")),
                   integer("step", 1, "Keeps every step-th place.", 1)},
                  sliceRule));
    return kinds;
}

} // namespace athanor
