// Any thread (pure functions). Nodes in line: alignment, even spacing, and the guides a node snaps to while it is
// dragged. Canvas units throughout.
#pragma once

#include "engine/graph/graph_edit.h"

namespace athanor {

enum class Alignment { Left, Centre, Right, Top, Middle, Bottom };
enum class Axis { Horizontal, Vertical };

/// Moves the nodes so that they share an edge or a middle line: the outermost edge of them all, or the middle
/// between the outermost. Nodes are all of one size. Empty with fewer than two nodes.
edit::Move alignMove(const Graph& graph, const std::set<NodeId>& nodes, Alignment alignment);

/// Equal gaps between the nodes along an axis; the outermost stay. Empty with fewer than three nodes.
edit::Move distributeMove(const Graph& graph, const std::set<NodeId>& nodes, Axis axis);

struct Rect {
    double x = 0;
    double y = 0;
    double width = 0;
    double height = 0;
};

/// A line along which something dragged lies level with something else; from `begin` to `end` across both.
struct Guide {
    Axis axis = Axis::Vertical; ///< of the line itself
    double at = 0;
    double begin = 0;
    double end = 0;
};

struct Snap {
    double dx = 0; ///< what to add to the dragged rectangle's place
    double dy = 0;
    std::vector<Guide> guides;
};

/// Snaps a dragged rectangle to the edges and middles of others within `reach`, and to the `grid` where none
/// is near. Only its first corner falls on the grid.
Snap snapRect(const Rect& dragged, const std::vector<Rect>& others, double reach, double grid);

} // namespace athanor
