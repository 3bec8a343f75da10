// Any thread. The kind of a node as it stands in its graph: the ports of some kinds depend on the node.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/node_catalog.h"

#include <memory>

namespace athanor {

/// A catalog's kind (not owned, it lives for ever), or one that was made for a node.
using KindPtr = std::shared_ptr<const NodeKind>;

/// The kind of `node` with the ports that this node has; null when the catalog does not know it. `graph` holds
/// the node and the definitions (a definition itself: see insideOf()). This is the one place that knows a
/// node's ports: ask it, not the catalog, wherever ports matter.
KindPtr resolveKind(const Graph& graph, const Node& node, const NodeCatalog& catalog);

/// The same in a flattened graph (flat_graph.h), where the ports of groups pass on what they get. Null also
/// for a Group and a Shared that could not be flattened: what was wrong with them has been said.
KindPtr resolveFlatKind(const Graph& flat, const Node& node, const NodeCatalog& catalog);

/// The kind of a node that shares the weights of one of the kind `owner`: Shared with the owner's ports.
KindPtr sharedKind(const NodeKind& owner, const NodeCatalog& catalog);

} // namespace athanor
