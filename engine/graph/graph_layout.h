// Any thread. Automatic layout (Graphviz dot through libgvc).
#pragma once

#include "engine/graph/graph.h"

namespace athanor {

struct NodeSize {
    double width = 160;
    double height = 56;
};

enum class LayoutDirection { LeftToRight, TopToBottom };

/// Layered positions (top left corners) for every node, canvas units. A pure function: same graph, same
/// answer. libgvc is not reentrant, so calls are serialized inside.
std::map<NodeId, Position> layoutGraph(const Graph& graph, const std::map<NodeId, NodeSize>& sizes,
                                       LayoutDirection direction = LayoutDirection::LeftToRight);

} // namespace athanor
