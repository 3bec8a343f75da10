// Any thread (pure functions). Where in a network's groups a person looks.
#pragma once

#include "engine/graph/flat_graph.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

/// A group instance that was opened, one inside the other; `copy` is which one, of a group that repeats.
struct OpenGroup {
    NodeId instance;
    std::int64_t copy = 0;
    bool operator==(const OpenGroup&) const = default;
};
using GroupPath = std::vector<OpenGroup>; ///< from the outside in; empty: the network itself

struct GroupPlace {
    GroupPath path;
    std::string definition; ///< of the innermost group; empty: the network itself
    std::string prefix;     ///< of the flat names of its members: "", "block1/", "stage1/2/block2/"
};

/// Follows a path as far as it leads.
GroupPlace placeAt(const Graph& network, const GroupPath& path);

/// A node by its flat name with what follows it (`block1/0/conv/kernel_size`): the place that shows it, its name
/// there, and what follows. Nothing when there is no such node.
struct PlacedNode {
    GroupPath path;
    NodeId node;
    std::string detail;
};
std::optional<PlacedNode> findPlaced(const Graph& network, const std::string& flat);

} // namespace athanor
