// Any thread (pure functions). Which node, parameter or port a problem's path speaks of.
#pragma once

#include "engine/graph/graph.h"

#include <optional>
#include <string>
#include <string_view>

namespace athanor {

struct ProblemPlace {
    NodeId node;
    std::string detail; ///< parameter or port; empty: the node as a whole
};

/// The node that a path such as `network/conv1/kernel_size` speaks of, `part` being `network` or `data`;
/// nothing when it is of no node of `graph`. Ids of group members contain '/', so the longest id that is
/// there wins.
std::optional<ProblemPlace> problemPlace(const std::string& where, std::string_view part, const Graph& graph);

} // namespace athanor
