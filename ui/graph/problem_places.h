// Any thread (pure functions). Which node, parameter or port a problem's path speaks of.
#pragma once

#include "ui/bridge/project_document.h"

#include <QString>

namespace athanor {

/// A problem of one node.
struct NodeProblem {
    std::string detail; ///< parameter or port; empty: the node as a whole
    Problem problem;
};

/// The problems of one graph by node. Ids of group members contain '/', so the longest id that is there wins.
std::map<NodeId, std::vector<NodeProblem>> problemsByNode(const std::vector<Problem>& problems, GraphPart part,
                                                          const Graph& graph);

/// The node a path such as `network/conv1/kernel_size` speaks of; nothing when it is of no node of `graph`.
std::optional<std::pair<NodeId, std::string>> nodeOfPath(const std::string& where, GraphPart part,
                                                         const Graph& graph);

/// The fixes of all problems of a node, each text once: what a menu of that node offers.
std::vector<SuggestedFix> fixesOf(const std::vector<NodeProblem>& problems);

/// The worst of them; nothing for none.
std::optional<Severity> worstSeverity(const std::vector<NodeProblem>& problems);

/// "message" and, on a line of its own, the hint.
QString problemText(const Problem& problem);

} // namespace athanor
