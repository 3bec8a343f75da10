#include "engine/graph/fix_context.h"

#include <algorithm>

namespace athanor {
namespace {

/// Where a target can come from: an Input that is there, or one to add.
struct Target {
    std::string field;
    std::optional<NodeId> node;
    TensorType type;
};

bool hasInput(const FixContext& context, const std::string& field, NodeId* id)
{
    for (const Node& node : context.graph().nodes()) {
        const KindPtr kind = context.kindOf(node.id);
        if (kind && kind->family == NodeFamily::Input && node.params.value("field", Json()) == field) {
            *id = node.id;
            return true;
        }
    }
    return false;
}

// Fields that can be a target, the likeliest first: those with a target's name, then those that feed nothing.
std::vector<Target> targets(const FixContext& context)
{
    std::vector<Target> all;
    for (const auto& [field, type] : context.fields().fields) {
        Target target{field, std::nullopt, type};
        NodeId id;
        if (hasInput(context, field, &id)) {
            const auto uses = context.graph().outgoing(id);
            const bool feedsLayers = std::any_of(uses.begin(), uses.end(), [&](const Edge& edge) {
                const KindPtr kind = context.kindOf(edge.to.node);
                return kind && !kind->isLoss();
            });
            if (feedsLayers)
                continue;
            target.node = id;
        }
        all.push_back(std::move(target));
    }
    const auto rank = [](const Target& target) {
        return target.field == "label" || target.field == "target" ? 0 : target.node ? 1 : 2;
    };
    std::stable_sort(all.begin(), all.end(), [&](const Target& a, const Target& b) { return rank(a) < rank(b); });
    return all;
}

// The steps that connect a target to a port, adding its Input where it is missing.
std::string connectTarget(FixContext& context, const Target& target, const PortRef& to, edit::Sequence& steps)
{
    if (target.node) {
        steps.edits.push_back(GraphEdit{edit::Connect{{{*target.node, {}}, to}, {}}});
        return "connect it to " + *target.node;
    }
    Node input = context.newNode("Input", {{"field", target.field}});
    const NodeId& field = target.field;
    if (isValidNodeId(field)) // named like its field where nothing else is
        input.id = context.graph().find(field) == nullptr ? field : freeNodeId(context.graph(), field);
    const NodeId id = input.id;
    steps.edits.push_back(
        GraphEdit{edit::AddNode{std::move(input), placeBeside(context.graph(), to.node, -1, 1), {}}});
    steps.edits.push_back(GraphEdit{edit::Connect{{{id, {}}, to}, {}}});
    return "add the Input " + target.field + " and connect it";
}

std::string capital(std::string text)
{
    if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
        text[0] = static_cast<char>(text[0] - 'a' + 'A');
    return text;
}

// Nothing, or the wrong thing, is connected to the target.
void offerTarget(FixContext& context, const std::string& port)
{
    const PortRef to{context.node()->id, port};
    const std::vector<Edge> now = context.edgesInto(to.node, port);
    for (const Target& target : targets(context)) {
        edit::Sequence steps;
        for (const Edge& edge : now)
            steps.edits.push_back(GraphEdit{edit::Disconnect{edge}});
        if (target.node && !now.empty() && now.front().from.node == *target.node)
            continue;
        std::string text = capital(connectTarget(context, target, to, steps));
        context.offer(std::move(text), GraphEdit{std::move(steps)});
    }
}

bool endsIn(const FixContext& context, const NodeId& id, const char* kind)
{
    const Node* node = context.graph().find(id);
    return node != nullptr && node->kind == kind;
}

// The losses that fit an output and a target, the usual one first.
std::vector<std::string> lossesFor(const FixContext& context, const NodeId& end, const TensorType& output,
                                   const TensorType& target)
{
    if (target.type == ElementType::Float)
        return {"MSELoss", "CrossEntropyLoss"};
    if (endsIn(context, end, "LogSoftmax"))
        return {"NLLLoss"};
    const bool oneScore = output.rank() == 1 || (output.rank() >= 2 && output.dims[1] == 1);
    if (endsIn(context, end, "Sigmoid") && oneScore)
        return {"BCELoss"};
    return oneScore ? std::vector<std::string>{"BCEWithLogitsLoss", "CrossEntropyLoss"}
                    : std::vector<std::string>{"CrossEntropyLoss", "BCEWithLogitsLoss"};
}

// Nodes with an output that nothing uses, and that are no Input.
std::vector<NodeId> ends(const FixContext& context)
{
    std::vector<NodeId> found;
    for (const Node& node : context.graph().nodes()) {
        const KindPtr kind = context.kindOf(node.id);
        if (kind && !kind->outputs.empty() && kind->family != NodeFamily::Input &&
            context.graph().outgoing(node.id).empty())
            found.push_back(node.id);
    }
    return found;
}

// The network has no loss: the one that fits the label's type, at its only open end.
void offerLoss(FixContext& context)
{
    const std::vector<NodeId> open = ends(context);
    if (open.size() != 1)
        return;
    const NodeId& end = open.front();
    const auto output = context.typeOf({{end, {}}, {}});
    if (!output)
        return;
    for (const Target& target : targets(context))
        for (const std::string& kind : lossesFor(context, end, *output, target.type)) {
            if (context.catalog().find(kind) == nullptr)
                continue;
            Node loss = context.newNode(kind);
            const NodeId id = loss.id;
            const auto place = placeBeside(context.graph(), end, 1, 0);
            edit::Sequence steps{{GraphEdit{edit::AddNode{std::move(loss), place, {}}},
                                  GraphEdit{edit::Connect{{{end, {}}, {id, "input"}}, {}}}}};
            const std::string rest = connectTarget(context, target, {id, "target"}, steps);
            if (!target.node && place) // placeBeside knows only nodes that are there
                for (GraphEdit& step : steps.edits)
                    if (auto* add = std::get_if<edit::AddNode>(&step.what); add != nullptr && !add->position)
                        add->position = placeBeside(context.graph(), end, 0, 1);
            context.offer("Add " + kind + " after " + end + ", " + rest, GraphEdit{std::move(steps)});
        }
}

// The last layer that decides how many numbers come out, seen from a loss.
std::optional<NodeId> lastLayer(const FixContext& context, NodeId id)
{
    while (const auto into = context.mainInput(id)) {
        id = into->from.node;
        const KindPtr kind = context.kindOf(id);
        if (!kind)
            return std::nullopt;
        if (kind->param("out_features") != nullptr || kind->param("out_channels") != nullptr)
            return id;
        const bool keepsShape = kind->family == NodeFamily::Activation || kind->family == NodeFamily::Dropout ||
                                kind->family == NodeFamily::Normalization || kind->family == NodeFamily::Pooling ||
                                kind->kind == "Identity" || kind->kind == "Flatten";
        if (!keepsShape)
            return std::nullopt;
    }
    return std::nullopt;
}

// More classes than scores, or values of another length.
void offerOutputs(FixContext& context, const TensorType& target)
{
    const auto layer = lastLayer(context, context.node()->id);
    if (!layer)
        return;
    const std::string name = context.kindOf(*layer)->param("out_features") != nullptr ? "out_features" : "out_channels";
    const Extent wanted = target.type == ElementType::Index ? target.classes
                          : target.rank() == 1              ? 1
                          : target.rank() == 2              ? target.dims[1]
                                                            : 0;
    if (wanted > 0)
        context.offer("Give " + *layer + " " + std::to_string(wanted) + (wanted == 1 ? " output" : " outputs"),
                      GraphEdit{edit::SetParameter{*layer, name, wanted}});
}

// A Linear that was put onto an image works on its rows only, and the loss is where that shows.
void offerFlattenBefore(FixContext& context)
{
    NodeId id = context.node()->id;
    std::optional<Edge> first;
    while (const auto into = context.mainInput(id)) {
        const auto type = context.typeOf(*into);
        if (context.graph().find(id)->kind == "Linear" && type && type->rank() >= 3)
            first = into;
        id = into->from.node;
    }
    if (!first)
        return;
    context.offer("Insert Flatten before " + first->to.node,
                  insertOnEdge(context.graph(), *first, {context.newNode("Flatten")}));
}

void offerOtherLoss(FixContext& context, const Edge& input, const TensorType& output, const TensorType& target)
{
    for (const std::string& kind : lossesFor(context, input.from.node, output, target)) {
        const NodeKind* other = context.catalog().find(kind);
        if (other != nullptr && other->kind != context.node()->kind)
            context.offer("Make it a " + kind, replaceNode(context.graph(), withKind(*context.node(), *other)));
    }
}

} // namespace

void offerLossFixes(FixContext& context)
{
    if (!context.isNetwork())
        return;
    if (context.problem().where == "network" && ends(context).size() == 1)
        offerLoss(context);
    if (context.node() == nullptr || !context.kind() || !context.kind()->isLoss())
        return;
    const auto input = context.mainInput(context.node()->id);
    const std::vector<Edge> target = context.edgesInto(context.node()->id, "target");
    if (context.detail() == "target" && target.empty()) {
        offerTarget(context, "target");
        return;
    }
    if (!input || target.size() != 1 || context.kind()->param(context.detail()) != nullptr)
        return;
    const auto output = context.typeOf(*input), wanted = context.typeOf(target.front());
    if (!output || !wanted)
        return;
    offerFlattenBefore(context);
    offerOutputs(context, *wanted);
    offerOtherLoss(context, *input, *output, *wanted);
    if (context.detail() == "target")
        offerTarget(context, "target");
}

} // namespace athanor
