// Any thread (pure functions). Where the keyboard goes from a node.
#pragma once

#include "engine/graph/graph.h"

namespace athanor {

enum class Heading { Left, Right, Up, Down };
enum class TabOrder { Forward, Backward };

/// The node after (or before) `current` in data order; from nothing the first (or last). Nothing at the
/// end, so that Tab leaves the canvas instead of going round for ever.
std::optional<NodeId> tabTarget(const Graph& graph, const std::optional<NodeId>& current, TabOrder order);

/// The node an arrow key goes to: along an edge that leads that way, else the nearest node on that side.
std::optional<NodeId> arrowTarget(const Graph& graph, const NodeId& current, Heading heading);

} // namespace athanor
