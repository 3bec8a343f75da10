// Any thread (pure functions). A graph with its groups opened: what is checked, trained and exported.
#pragma once

#include "engine/graph/graph_check.h"

#include <map>
#include <string>
#include <vector>

namespace athanor {

/// Where a node of a flattened graph stands in the graph as it was drawn.
struct DrawnPlace {
    std::string definition; ///< empty: in the graph itself
    NodeId node;
    bool operator==(const DrawnPlace&) const = default;
};

/// An instance of a group as its surroundings see it.
struct OpenedInstance {
    std::vector<NodeId> outputs; ///< members that its outputs come from, in port order
    Json params;                 ///< as written
};

struct FlatGraph {
    /// Members of the group instance `block1` are `block1/conv`; of its third copy, when it repeats, `block1/2/conv`.
    /// The ports stay as nodes of the kinds GroupInput and GroupOutput that pass on what enters them. Nodes that
    /// share a group's weights become nodes that share the weights of its members. Groups that cannot be opened
    /// (see `problems`) stay as they are. No definitions, positions, comments.
    Graph graph;
    std::map<NodeId, DrawnPlace> places;        ///< of every node of `graph`
    std::map<NodeId, OpenedInstance> instances; ///< by name ("stage1/block2"), those that were opened
    std::vector<Problem>
        problems; ///< of groups and shared nodes, each at its instance: network/stage1/block2/repeat
};

/// Opens all groups, however deep.
FlatGraph flattened(const Graph& graph);

/// False for a graph that is flat as it is: it has no node of the kinds Group and Shared, nor ports.
bool hasGroups(const Graph& graph);

/// The graph inside of a definition together with all definitions, so that what works on graphs works there as
/// well. An empty graph when there is no such definition.
Graph insideOf(const Graph& graph, const std::string& definition);

/// The instances that lead from the graph to a flat node, and the node itself, as drawn:
/// `stage1/0/block2/conv` → {"", "stage1"}, {"Stage", "block2"}, {"Block", "conv"}. Ends before what is not there.
std::vector<DrawnPlace> drawnPath(const Graph& graph, const std::string& flat);

} // namespace athanor
