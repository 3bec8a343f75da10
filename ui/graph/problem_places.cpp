#include "ui/graph/problem_places.h"

#include "ui/graph/node_text.h"

#include <algorithm>

namespace athanor {

std::optional<std::pair<NodeId, std::string>> nodeOfPath(const std::string& where, GraphPart part, const Graph& graph)
{
    const std::string prefix = std::string(partName(part)) + "/";
    if (!where.starts_with(prefix)) {
        return std::nullopt;
    }
    const std::string rest = where.substr(prefix.size());
    for (std::size_t end = rest.size();; end = rest.find_last_of("/:", end - 1)) {
        if (end == std::string::npos || end == 0) {
            return std::nullopt;
        }
        if (graph.find(rest.substr(0, end))) {
            return std::pair{rest.substr(0, end), end < rest.size() ? rest.substr(end + 1) : std::string()};
        }
    }
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
