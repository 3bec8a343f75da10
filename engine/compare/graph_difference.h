// Any thread (pure functions). What tells two graphs apart: nodes, parameters, edges, groups.
#pragma once

#include "engine/graph/graph.h"
#include "engine/graph/node_catalog.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace athanor {

/// A parameter that the two nodes have differently; nullopt: the node's kind has none of the name.
struct ParameterDifference {
    std::string name;
    std::optional<Json> before;
    std::optional<Json> after;
    bool operator==(const ParameterDifference&) const = default;
};

enum class NodeChange {
    Added,
    Removed,
    Changed, ///< another kind or other parameters
    Renamed, ///< only its name: same kind, same parameters, same surroundings
};
std::string nodeChangeName(NodeChange change); ///< "added", …

struct NodeDifference {
    NodeChange change = NodeChange::Changed;
    NodeId before; ///< empty: not there. Members of a group's definition are `definition/node`.
    NodeId after;
    std::string kindBefore;
    std::string kindAfter;
    std::vector<ParameterDifference> parameters;
};

struct GraphDifference {
    std::vector<NodeDifference>
        nodes;                      ///< in the order of `after`, then what was removed, then inside of groups
    std::vector<Edge> addedEdges;   ///< by the names in `after`
    std::vector<Edge> removedEdges; ///< by the names in `before`
    [[nodiscard]] bool empty() const { return nodes.empty() && addedEdges.empty() && removedEdges.empty(); }
};

/// Nodes belong together by their names; of the others those that have kind, parameters and a surrounding in common.
/// Whether a default was written out, positions, comments and the order of nodes make no difference.
GraphDifference graphDifference(const Graph& before, const Graph& after, const NodeCatalog& catalog);

/// Both graphs in one, to be drawn: all of `after`, and beside it what was removed.
struct MergedGraph {
    Graph graph; ///< positions as in `after`; what was removed has none
    std::map<NodeId, NodeDifference>
        changes; ///< by the names in `graph`; an instance of a group that changed inside too
    std::set<Edge> added;
    std::set<Edge> removed;
};
MergedGraph mergedGraph(const Graph& before, const Graph& after, const GraphDifference& difference);

/// {"nodes": [{"change", "node", "was", "kind", "kind_was", "parameters": [{"name", "before", "after"}]}],
/// "edges_added": [[from, to]], "edges_removed": […]}
Json graphDifferenceJson(const GraphDifference& difference);

} // namespace athanor
