#include "ui/graph/problem_places.h"

#include "engine/graph/problem_place.h"
#include "ui/graph/node_text.h"

#include <algorithm>

namespace athanor {

std::optional<std::pair<NodeId, std::string>> nodeOfPath(const std::string& where, GraphPart part, const Graph& graph)
{
    const auto place = problemPlace(where, partName(part), graph);
    return place ? std::optional(std::pair{place->node, place->detail}) : std::nullopt;
}

std::map<NodeId, std::vector<NodeProblem>> problemsByNode(const std::vector<Problem>& problems, GraphPart part,
                                                          const Graph& graph)
{
    std::map<NodeId, std::vector<NodeProblem>> result;
    for (const Problem& problem : problems) {
        if (const auto place = nodeOfPath(problem.where, part, graph)) {
            result[place->first].push_back({place->second, problem});
        }
    }
    return result;
}

std::vector<SuggestedFix> fixesOf(const std::vector<NodeProblem>& problems)
{
    std::vector<SuggestedFix> fixes;
    for (const NodeProblem& entry : problems) {
        for (const SuggestedFix& fix : entry.problem.fixes) {
            const bool isThere = std::any_of(fixes.begin(), fixes.end(),
                                             [&](const SuggestedFix& other) { return other.text == fix.text; });
            if (fix.canBeApplied() && !isThere) {
                fixes.push_back(fix);
            }
        }
    }
    return fixes;
}

std::optional<Severity> worstSeverity(const std::vector<NodeProblem>& problems)
{
    std::optional<Severity> worst;
    for (const NodeProblem& entry : problems) {
        worst = std::max(worst.value_or(Severity::Info), entry.problem.severity);
    }
    return worst;
}

QString problemText(const Problem& problem)
{
    const QString message = QString::fromStdString(problem.message);
    return problem.hint.empty() ? message : message + u'\n' + QString::fromStdString(problem.hint);
}

} // namespace athanor
