#include "engine/graph/catalog_parts.h"
#include "engine/graph/groups.h"
#include "engine/graph/shape_rules.h"

namespace athanor {
namespace {

ShapeResult passThrough(const ShapeContext& context)
{
    ShapeRule rule(context);
    rule.passThrough();
    return std::move(rule).finish();
}

// A group is checked by its members, a shared node by the rule of the node that it shares.
ShapeResult nothingKnown(const ShapeContext&)
{
    return {};
}

ShapeResult unknownOutput(const ShapeContext&)
{
    ShapeResult result;
    result.outputs.resize(1);
    return result;
}

NodeKind port(const char* kind, std::string title, std::string help)
{
    return {.kind = kind,
            .family = NodeFamily::Group,
            .title = std::move(title),
            .help = std::move(help),
            .inputs = part::oneInput(),
            .outputs = part::oneOutput(),
            .params = {},
            .shapeRule = passThrough};
}

} // namespace

std::vector<NodeKind> groupKinds()
{
    ParamSpec definition{.name = "definition",
                         .type = ParamType::Text,
                         .help = "Name of the group's definition: all instances of one are changed together.",
                         .required = true};
    ParamSpec repeat =
        part::integer("repeat", 1,
                      "How many copies run one after the other, each with weights of its own: the "
                      "first output of one is the first input of the next.",
                      1);
    repeat.maximum = static_cast<double>(kMostRepeats);
    ParamSpec of{.name = "of",
                 .type = ParamType::Text,
                 .help = "Name of the node or group, in the same graph, whose weights are used here as well.",
                 .required = true};
    return {
        {.kind = kGroupKind,
         .family = NodeFamily::Group,
         .title = "Group",
         .help =
             "Nodes that are used as one, drawn once and used as often as wanted, like a `torch.nn.Module` "
             "of "
             "one's own. Its weights are named after the instance: `block1.conv.weight`; with `repeat` like "
             "those of a `torch.nn.Sequential`: `block1.0.conv.weight`.",
         .inputs = {},
         .outputs = {},
         .params = {std::move(definition), std::move(repeat)},
         .shapeRule = nothingKnown},
        port(kGroupInputKind, "Input of a group",
             "A port of the group that it lies in; the port has this node's name. It passes on what enters "
             "the group."),
        port(kGroupOutputKind, "Output of a group",
             "A port of the group that it lies in; the port has this node's name. What enters it leaves the "
             "group."),
        {.kind = kSharedKind,
         .family = NodeFamily::Group,
         .title = "Shared weights",
         .help =
             "Runs another node once more, on other inputs and with the same weights, as in a Siamese "
             "network "
             "or with tied embeddings. The weights are counted once, keep the other node's name, and their "
             "gradients add up, as when a `torch.nn.Module` is called twice.",
         .inputs = part::oneInput(),
         .outputs = part::oneOutput(),
         .params = {std::move(of)},
         .shapeRule = unknownOutput},
    };
}

} // namespace athanor
