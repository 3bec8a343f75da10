// Any thread (pure functions). Cures of problems that can be applied with one click.
#pragma once

#include "engine/graph/graph_check.h"

#include <functional>

namespace athanor {

/// How the graph was checked, so that a cure can be tried.
struct FixSetting {
    std::string part;                              ///< "network" or "data"
    const NodeCatalog* catalog = nullptr;          ///< of that part; not null
    FieldTypes fields;                             ///< network only
    std::function<GraphCheck(const Graph&)> check; ///< checkNetwork or checkData as it was made
};

/// Adds to each of the problems that is of this part the fixes that are certain, the best first. Every one was
/// tried: applied to a copy of the graph it cures its problem, makes no new error where it changes something,
/// and leaves no more errors than there were. `nodes` is what the check said of the nodes. Trying costs checks,
/// so that in a very large graph only the first problems get fixes.
void suggestFixes(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes,
                  std::vector<Problem>& problems);

} // namespace athanor
