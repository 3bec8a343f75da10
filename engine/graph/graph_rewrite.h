// Any thread (pure functions). Edits as a person means them: draw a wire, put a node into one, take a node out of a
// chain. Each is worked out as plain GraphEdits; the graph itself is not changed.
#pragma once

#include "engine/graph/graph_edit.h"
#include "engine/graph/node_catalog.h"

#include <span>

namespace athanor {

/// A graph with the catalog that its kinds are looked up in. Both are borrowed.
struct GraphContext {
    const Graph& graph;
    const NodeCatalog& catalog;
};

/// An end of an edge with the port's name written out: `conv1` → `conv1:input`. A port that the node does not
/// have, or a node of an unknown kind, stays as it is written.
PortRef fullInput(const GraphContext& context, const PortRef& end);
PortRef fullOutput(const GraphContext& context, const PortRef& end);
/// As it is written in files: the port's name is left out where there is only one.
PortRef shortInput(const GraphContext& context, const PortRef& end);
PortRef shortOutput(const GraphContext& context, const PortRef& end);

/// The input that an edge dropped on a node as a whole goes to: the first free one (needed ones before
/// optional ones), then one that takes many, then the first. Nothing when the node has no input.
std::optional<PortRef> bestInput(const GraphContext& context, const NodeId& node);
/// The node's first output; nothing when it has none.
std::optional<PortRef> firstOutput(const GraphContext& context, const NodeId& node);

/// The edge that holds an input which takes one edge only; nothing while it is free, or takes many.
std::optional<Edge> holderOf(const GraphContext& context, const PortRef& input);

/// Draws an edge. An edge that holds its input already makes room. Refused (with the reason): a port that the
/// node does not have, a node feeding itself, a cycle, the same edge twice.
Result<GraphEdit> connectEdit(const GraphContext& context, const Edge& edge);

/// Draws `edge` instead of `old`, in its place. Refused as by connectEdit().
Result<GraphEdit> replugEdit(const GraphContext& context, const Edge& old, const Edge& edge);

/// Puts a node into an edge: its source feeds the node's best input, its first output what the edge fed. The
/// node is in the graph already and has no edge, or comes with `added` (which is done first). Refused when it
/// lacks an input or an output.
Result<GraphEdit> insertEdit(const GraphContext& context, const Edge& edge, const NodeId& node,
                             const std::optional<edit::AddNode>& added);

/// Adds a node behind another one, joined when it fits: put into the edge that leaves `after` when there is
/// exactly one, else fed by its first output. A node that has no input stands free.
GraphEdit addAfterEdit(const GraphContext& context, const NodeId& after, const edit::AddNode& added);

/// Whether the neighbours of a removed node are joined.
enum class Healing { Join, Leave };

/// Removes nodes and edges. With Healing::Join, a node that has one edge in and all its edges out of one port
/// hands what feeds it to what it fed; so a whole run of selected nodes closes up.
GraphEdit removeEdit(const GraphContext& context, const std::vector<NodeId>& nodes, std::span<const Edge> edges,
                     Healing healing);

/// A free name for a new node: Conv2d → conv1, MaxPool2d → maxpool1, any loss → loss1.
NodeId newNodeName(const Graph& graph, const NodeKind& kind);

/// What is written into a new node: where PyTorch's default cannot be used here, what can (batch_first).
Json newNodeParams(const NodeKind& kind);

/// What can be told of a kind before a node of it exists: whether it can take `type` (nothing: any) at its
/// first input with the parameters it would have. False for kinds without an input.
bool takes(const NodeKind& kind, const std::optional<TensorType>& type);

} // namespace athanor
