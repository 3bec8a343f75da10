// Any thread. The kind of a node as it stands in its graph: the ports of some kinds depend on the node.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/node_catalog.h"

#include <memory>

namespace athanor {

/// A catalog's kind (not owned, it lives for ever), or one that was made for a node.
using KindPtr = std::shared_ptr<const NodeKind>;

/// The kind of `node` with the ports that this node has; null when the catalog does not know it. `graph` is
/// the whole graph (not one of its groups); `node` may be any node, whether it lies in it or not.
/// This is the one place that knows a node's ports: ask it, not the catalog, wherever ports matter.
KindPtr resolveKind(const Graph& graph, const Node& node, const NodeCatalog& catalog);

} // namespace athanor
