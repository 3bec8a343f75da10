#include "engine/graph/fix_context.h"
#include "engine/graph/graph_rewrite.h"
#include "engine/graph/name_match.h"

#include <algorithm>

namespace athanor {
namespace {

GraphEdit connect(const PortRef& from, const PortRef& to)
{
    return GraphEdit{edit::Connect{{from, to}, {}}};
}

const PortSpec* inputPort(const FixContext& context)
{
    const auto& ports = context.kind()->inputs;
    const auto port = std::find_if(ports.begin(), ports.end(),
                                   [&](const PortSpec& spec) { return spec.name == context.detail(); });
    return port == ports.end() ? nullptr : &*port;
}

// Outputs that nothing uses yet, of nodes that do not come after this one.
std::vector<PortRef> freeOutputs(const FixContext& context)
{
    std::vector<PortRef> free;
    for (const Node& node : context.graph().nodes()) {
        const KindPtr kind = context.kindOf(node.id);
        if (!kind || kind->outputs.empty() || !context.graph().outgoing(node.id).empty() ||
            context.leadsTo(context.node()->id, node.id))
            continue;
        free.push_back({node.id, kind->outputs.size() == 1 ? std::string() : kind->outputs.front().name});
    }
    return free;
}

void offerMissingInput(FixContext& context, const PortSpec& port)
{
    const std::vector<PortRef> free = freeOutputs(context);
    if (free.size() == 1)
        context.offer("Connect it to " + free.front().node, connect(free.front(), {context.node()->id, port.name}));
}

// A join of one: what it joins goes straight on.
void offerHeal(FixContext& context)
{
    const NodeId& id = context.node()->id;
    context.offer("Remove " + id, removeEdit({context.graph(), context.catalog()}, {id}, {}, Healing::Join));
}

// Two edges into a port that takes one: a node that joins them.
void offerJoin(FixContext& context, const std::vector<Edge>& edges)
{
    for (const char* kind : {"Add", "Concat"}) {
        Node node = context.newNode(kind);
        const NodeId id = node.id;
        edit::Sequence sequence;
        for (const Edge& edge : edges)
            sequence.edits.push_back(GraphEdit{edit::Disconnect{edge}});
        sequence.edits.push_back(
            GraphEdit{edit::AddNode{std::move(node), placeBeside(context.graph(), edges[0].to.node, -0.5, -0.7), {}}});
        for (const Edge& edge : edges)
            sequence.edits.push_back(connect(edge.from, {id, {}}));
        sequence.edits.push_back(connect({id, {}}, edges[0].to));
        context.offer(std::string("Join them with ") + kind, GraphEdit{std::move(sequence)});
    }
}

// The input that is brought to the shape of the other: the shortcut around the layers, else the later one.
std::pair<Edge, Edge> shortcutAndOther(const FixContext& context, const Edge& first, const Edge& second)
{
    const bool firstIsShortcut = context.leadsTo(first.from.node, second.from.node);
    return firstIsShortcut ? std::pair{first, second} : std::pair{second, first};
}

// The layer that makes `from` of the shape `to`, a kind and its parameters; empty kind: there is none.
Node projection(const TensorType& from, const TensorType& to)
{
    Node node;
    if (from.rank() != to.rank() || from.rank() < 2 || from.rank() > 5)
        return node;
    const Extent channels = from.rank() == 2 ? to.dims.back() : to.dims[1];
    if (channels < 1)
        return node;
    if (from.rank() == 2) {
        node.kind = "Linear";
        node.params = {{"out_features", channels}};
        return node;
    }
    Json stride = Json::array();
    for (std::size_t i = 2; i < from.dims.size(); ++i) {
        if (from.dims[i] < 1 || to.dims[i] < 1 || from.dims[i] < to.dims[i])
            return node;
        stride.push_back((from.dims[i] + to.dims[i] - 1) / to.dims[i]);
    }
    node.kind = std::string("Conv") + static_cast<char>('0' + from.rank() - 2) + "d";
    node.params = {{"out_channels", channels}, {"kernel_size", 1}};
    if (std::any_of(stride.begin(), stride.end(), [](const Json& entry) { return entry != 1; }))
        node.params["stride"] = std::move(stride);
    return node;
}

void offerProjection(FixContext& context, const Edge& into, const TensorType& from, const TensorType& to)
{
    Node node = projection(from, to);
    if (node.kind.empty() || context.catalog().find(node.kind) == nullptr)
        return;
    const bool isLinear = node.kind == "Linear";
    const std::string what = isLinear ? std::string("Linear") : "a 1×1 " + node.kind;
    node.id = context.newNode(node.kind).id;
    context.offer("Insert " + what + " with " + std::to_string(isLinear ? to.dims.back() : to.dims[1]) +
                      (isLinear ? " outputs" : " channels") + " after " + into.from.node,
                  insertOnEdge(context.graph(), into, {std::move(node)}));
}

// PadToMatch takes what is to be padded and what it is to match.
void offerPadding(FixContext& context, const Edge& into, const Edge& like)
{
    const NodeKind* kind = context.catalog().find("PadToMatch");
    if (kind == nullptr || kind->inputs.size() != 2)
        return;
    Node node = context.newNode(kind->kind);
    const PortRef other{node.id, kind->inputs[1].name};
    const std::string text = "Insert PadToMatch after " + into.from.node;
    GraphEdit insert = insertOnEdge(context.graph(), into, {std::move(node)});
    context.offer(text, GraphEdit{edit::Sequence{{std::move(insert), connect(like.from, other)}}});
}

void offerMatchingShapes(FixContext& context)
{
    const std::vector<Edge> edges = context.graph().incoming(context.node()->id);
    if (edges.size() != 2)
        return;
    const auto [shortcut, other] = shortcutAndOther(context, edges[0], edges[1]);
    const auto a = context.typeOf(shortcut), b = context.typeOf(other);
    if (!a || !b || *a == *b)
        return;
    if (context.node()->kind != "Concat") {
        offerProjection(context, shortcut, *a, *b);
        offerProjection(context, other, *b, *a);
    }
    offerPadding(context, shortcut, other);
    offerPadding(context, other, shortcut);
}

// An edge to a port or a node that is not there.
void offerLooseEdges(FixContext& context)
{
    const NodeId& id = context.node()->id;
    std::vector<std::string> ids, inputs;
    for (const Node& node : context.graph().nodes())
        ids.push_back(node.id);
    for (const PortSpec& port : context.kind()->inputs)
        inputs.push_back(port.name);
    std::vector<Edge> edges = context.graph().incoming(id);
    for (const Edge& edge : context.graph().outgoing(id))
        edges.push_back(edge);
    for (const Edge& edge : edges) {
        Edge right = edge;
        for (PortRef* end : {&right.from, &right.to})
            if (context.graph().find(end->node) == nullptr)
                end->node = nearestName(end->node, ids);
        if (edge.to.node == id && edge.to.port == context.detail() && !context.detail().empty())
            right.to.port = nearestName(edge.to.port, inputs);
        const bool isWhole = !right.from.node.empty() && !right.to.node.empty();
        const GraphEdit remove{edit::Disconnect{edge}};
        if (isWhole && right != edge)
            context.offer("Connect " + right.from.text() + " to " + right.to.text(),
                          GraphEdit{edit::Sequence{{remove, connect(right.from, right.to)}}});
        if (!isWhole || right != edge)
            context.offer("Remove the edge " + edge.from.text() + " → " + edge.to.text(), remove);
    }
}

} // namespace

void offerEdgeFixes(FixContext& context)
{
    if (context.node() == nullptr || !context.kind())
        return;
    if (const PortSpec* port = inputPort(context)) {
        const std::vector<Edge> edges = context.edgesInto(context.node()->id, port->name);
        if (edges.empty() && !context.kind()->isLoss())
            offerMissingInput(context, *port);
        else if (edges.size() == 1 && port->variadic)
            offerHeal(context);
        else if (edges.size() == 2 && !port->variadic && context.isNetwork())
            offerJoin(context, edges);
        return;
    }
    offerLooseEdges(context);
    if (context.isNetwork() && context.kind()->family == NodeFamily::Combine)
        offerMatchingShapes(context);
}

} // namespace athanor
