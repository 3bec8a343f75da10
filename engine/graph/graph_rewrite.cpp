#include "engine/graph/graph_rewrite.h"

#include "engine/graph/resolved_kind.h"

#include <algorithm>
#include <cctype>

namespace athanor {
namespace {

using Ports = std::vector<PortSpec>;

KindPtr kindOf(const GraphContext& context, const NodeId& id)
{
    const Node* node = context.graph.find(id);
    return node == nullptr ? nullptr : resolveKind(context.graph, *node, context.catalog);
}

const PortSpec* portOf(const Ports& ports, const std::string& name)
{
    if (name.empty())
        return ports.empty() ? nullptr : &ports.front();
    const auto port = std::find_if(ports.begin(), ports.end(), [&](const auto& spec) { return spec.name == name; });
    return port == ports.end() ? nullptr : &*port;
}

PortRef full(const Ports& ports, const PortRef& end)
{
    const PortSpec* port = portOf(ports, end.port);
    return port == nullptr ? end : PortRef{end.node, port->name};
}

PortRef shortened(const Ports& ports, const PortRef& end)
{
    const bool only = ports.size() == 1 && portOf(ports, end.port) != nullptr;
    return only ? PortRef{end.node, {}} : full(ports, end);
}

std::optional<Error> refuseEnds(const GraphContext& context, const Edge& edge)
{
    const auto refused = [](const PortRef& end, const std::string& message) {
        return Error{ErrorCode::InvalidArgument, message, end.text(), {}, {}};
    };
    const KindPtr source = kindOf(context, edge.from.node);
    if (source && portOf(source->outputs, edge.from.port) == nullptr)
        return refused(edge.from, source->outputs.empty() ? "'" + edge.from.node + "' is an end: nothing can follow it"
                                                          : "there is no output '" + edge.from.text() + "'");
    const KindPtr target = kindOf(context, edge.to.node);
    if (target && portOf(target->inputs, edge.to.port) == nullptr)
        return refused(edge.to, target->inputs.empty() ? "'" + edge.to.node + "' has no input"
                                                       : "there is no input '" + edge.to.text() + "'");
    return std::nullopt;
}

// The sequence when all of it can be applied.
Result<GraphEdit> tried(const Graph& graph, edit::Sequence sequence)
{
    Graph copy = graph;
    GraphEdit edit{std::move(sequence)};
    if (auto change = apply(copy, edit); !change)
        return change.error();
    return edit;
}

std::optional<std::size_t> placeOf(const Graph& graph, const Edge& edge)
{
    const auto it = std::find(graph.edges().begin(), graph.edges().end(), edge);
    return it == graph.edges().end() ? std::nullopt
                                     : std::optional(static_cast<std::size_t>(it - graph.edges().begin()));
}

// Draws an edge at the end, where cycles are refused, and moves it to its place: the order of the edges into
// one port counts (Concat).
void drawAt(edit::Sequence& sequence, const Edge& edge, std::size_t place)
{
    sequence.edits.push_back({edit::Connect{edge, std::nullopt}});
    sequence.edits.push_back({edit::Disconnect{edge}});
    sequence.edits.push_back({edit::Connect{edge, place}});
}

bool isThere(const Graph& graph, const Edge& edge)
{
    return placeOf(graph, edge).has_value();
}

// Removes one node from `graph`, and writes down how.
void removeNode(Graph& graph, const NodeId& id, Healing healing, edit::Sequence& sequence)
{
    const auto in = graph.incoming(id);
    const auto out = graph.outgoing(id);
    const bool onePort = !out.empty() && std::all_of(out.begin(), out.end(), [&](const Edge& edge) {
        return edge.from.port == out.front().from.port;
    });
    const auto run = [&](GraphEdit edit) {
        if (apply(graph, edit))
            sequence.edits.push_back(std::move(edit));
    };
    const bool joins = healing == Healing::Join && in.size() == 1 && onePort;
    for (const Edge& edge : joins ? out : std::vector<Edge>()) {
        const Edge joint{in.front().from, edge.to};
        const auto place = placeOf(graph, edge);
        if (isThere(graph, joint) || joint.from.node == joint.to.node)
            continue;
        run({edit::Disconnect{edge}});
        run({edit::Connect{joint, place}}); // in its place: the order of the edges into one port counts
    }
    run({edit::RemoveNode{id}});
}

} // namespace

PortRef fullInput(const GraphContext& context, const PortRef& end)
{
    const KindPtr kind = kindOf(context, end.node);
    return kind ? full(kind->inputs, end) : end;
}

PortRef fullOutput(const GraphContext& context, const PortRef& end)
{
    const KindPtr kind = kindOf(context, end.node);
    return kind ? full(kind->outputs, end) : end;
}

PortRef shortInput(const GraphContext& context, const PortRef& end)
{
    const KindPtr kind = kindOf(context, end.node);
    return kind ? shortened(kind->inputs, end) : end;
}

PortRef shortOutput(const GraphContext& context, const PortRef& end)
{
    const KindPtr kind = kindOf(context, end.node);
    return kind ? shortened(kind->outputs, end) : end;
}

std::optional<PortRef> bestInput(const GraphContext& context, const NodeId& node)
{
    const KindPtr kind = kindOf(context, node);
    if (!kind || kind->inputs.empty())
        return std::nullopt;
    std::set<std::string> taken;
    for (const Edge& edge : context.graph.incoming(node))
        taken.insert(full(kind->inputs, edge.to).port);
    const auto first = [&](auto fits) -> std::optional<PortRef> {
        const auto port = std::find_if(kind->inputs.begin(), kind->inputs.end(), fits);
        return port == kind->inputs.end() ? std::nullopt : std::optional(shortened(kind->inputs, {node, port->name}));
    };
    if (const auto needed = first([&](const PortSpec& port) { return !port.optional && !taken.contains(port.name); }))
        return needed;
    if (const auto many = first([](const PortSpec& port) { return port.variadic; }))
        return many;
    if (const auto free = first([&](const PortSpec& port) { return !taken.contains(port.name); }))
        return free;
    return shortened(kind->inputs, {node, kind->inputs.front().name});
}

std::optional<PortRef> firstOutput(const GraphContext& context, const NodeId& node)
{
    const KindPtr kind = kindOf(context, node);
    if (!kind || kind->outputs.empty())
        return std::nullopt;
    return shortened(kind->outputs, {node, {}});
}

std::optional<Edge> holderOf(const GraphContext& context, const PortRef& input)
{
    const KindPtr kind = kindOf(context, input.node);
    const PortSpec* port = kind ? portOf(kind->inputs, input.port) : nullptr;
    if (port == nullptr || port->variadic)
        return std::nullopt;
    for (const Edge& edge : context.graph.incoming(input.node))
        if (portOf(kind->inputs, edge.to.port) == port)
            return edge;
    return std::nullopt;
}

Result<GraphEdit> connectEdit(const GraphContext& context, const Edge& edge)
{
    if (auto error = refuseEnds(context, edge))
        return *std::move(error);
    const Edge drawn{shortOutput(context, edge.from), shortInput(context, edge.to)};
    if (isThere(context.graph, edge) || isThere(context.graph, drawn))
        return Error{ErrorCode::InvalidArgument, "these two ports are connected already", drawn.to.text(), {}, {}};
    if (const auto holder = holderOf(context, edge.to))
        return replugEdit(context, *holder, edge);
    return tried(context.graph, {{{edit::Connect{drawn, std::nullopt}}}});
}

Result<GraphEdit> replugEdit(const GraphContext& context, const Edge& old, const Edge& edge)
{
    if (auto error = refuseEnds(context, edge))
        return *std::move(error);
    const auto place = placeOf(context.graph, old);
    if (!place)
        return Error{ErrorCode::NotFound, "there is no such edge", old.from.text() + " -> " + old.to.text(), {}, {}};
    const Edge drawn{shortOutput(context, edge.from), shortInput(context, edge.to)};
    edit::Sequence sequence{{{edit::Disconnect{old}}}};
    const auto holder = holderOf(context, edge.to);
    const bool displaces = holder && *holder != old;
    if (displaces)
        sequence.edits.push_back({edit::Disconnect{*holder}});
    const bool after = displaces && placeOf(context.graph, *holder) < place;
    drawAt(sequence, drawn, *place - (after ? 1 : 0));
    return tried(context.graph, std::move(sequence));
}

Result<GraphEdit> insertEdit(const GraphContext& context, const Edge& edge, const NodeId& node,
                             const std::optional<edit::AddNode>& added)
{
    Graph with = context.graph;
    edit::Sequence sequence;
    if (added) {
        sequence.edits.push_back({*added});
        if (auto change = apply(with, sequence.edits.front()); !change)
            return change.error();
    }
    const GraphContext grown{with, context.catalog};
    const auto place = placeOf(with, edge);
    const auto input = bestInput(grown, node);
    const auto output = firstOutput(grown, node);
    if (!place || !input || !output)
        return Error{ErrorCode::InvalidArgument,
                     !place   ? "there is no such edge"
                     : !input ? "'" + node + "' has no input, so it cannot stand in an edge"
                              : "'" + node + "' is an end: nothing can follow it",
                     edge.from.text() + " -> " + edge.to.text(),
                     {},
                     {}};
    sequence.edits.push_back({edit::Disconnect{edge}});
    sequence.edits.push_back({edit::Connect{{edge.from, *input}, std::nullopt}});
    drawAt(sequence, {*output, edge.to}, *place);
    return tried(context.graph, std::move(sequence));
}

GraphEdit addAfterEdit(const GraphContext& context, const NodeId& after, const edit::AddNode& added)
{
    const auto out = context.graph.outgoing(after);
    if (out.size() == 1)
        if (auto inserted = insertEdit(context, out.front(), added.node.id, added))
            return *std::move(inserted);
    edit::Sequence sequence{{{added}}};
    Graph with = context.graph;
    const auto source = firstOutput(context, after);
    const auto input = apply(with, sequence.edits.front()) ? bestInput({with, context.catalog}, added.node.id)
                                                           : std::nullopt;
    if (source && input)
        sequence.edits.push_back({edit::Connect{{*source, *input}, std::nullopt}});
    return {std::move(sequence)};
}

GraphEdit removeEdit(const GraphContext& context, const std::vector<NodeId>& nodes, std::span<const Edge> edges,
                     Healing healing)
{
    Graph graph = context.graph;
    edit::Sequence sequence;
    for (const Edge& edge : edges) {
        GraphEdit cut{edit::Disconnect{edge}};
        if (apply(graph, cut))
            sequence.edits.push_back(std::move(cut));
    }
    for (const NodeId& id : nodes)
        removeNode(graph, id, healing, sequence);
    return {std::move(sequence)};
}

NodeId newNodeName(const Graph& graph, const NodeKind& kind)
{
    if (kind.isLoss())
        return freeNodeId(graph, "loss");
    std::string stem = kind.kind;
    const std::size_t size = stem.size();
    if (size > 2 && stem[size - 1] == 'd' && std::isdigit(static_cast<unsigned char>(stem[size - 2])) != 0)
        stem.resize(size - 2);
    std::transform(stem.begin(), stem.end(), stem.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return freeNodeId(graph, stem);
}

Json newNodeParams(const NodeKind& kind)
{
    return kind.param("batch_first") != nullptr ? Json{{"batch_first", true}} : Json::object();
}

bool takes(const NodeKind& kind, const std::optional<TensorType>& type)
{
    if (kind.inputs.empty())
        return false;
    if (!type || !kind.shapeRule)
        return true;
    ShapeContext shapes;
    shapes.params = completeParams(kind, Json::object());
    shapes.inputs.push_back(type);
    for (std::size_t port = 1; port < kind.inputs.size(); ++port)
        shapes.inputs.emplace_back();
    const ShapeResult result = kind.shapeRule(shapes);
    return std::none_of(result.problems.begin(), result.problems.end(),
                        [](const ShapeProblem& problem) { return problem.parameter.empty(); });
}

} // namespace athanor
