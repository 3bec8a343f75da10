// GUI thread (pure functions). Positions for nodes that have none, so that every node can be drawn.
#pragma once

#include "engine/graph/graph_layout.h"

namespace athanor {

/// The size nodes are drawn in, canvas units. Layout and canvas agree on it.
inline constexpr NodeSize kNodeSize{160, 52};

/// Positions for the whole graph. Graphs too big for Graphviz to answer at once are put in plain layers by
/// their distance from the sources.
std::map<NodeId, Position> layOut(const Graph& graph, LayoutDirection direction = LayoutDirection::LeftToRight);

/// Positions for those nodes of `graph` that have none: a full layout when no node has one, else each
/// beside a neighbour that has. Empty when nothing is missing.
std::map<NodeId, Position> missingPositions(const Graph& graph);

} // namespace athanor
