#include "engine/graph/graph_check.h"

#include "engine/graph/graph_checker.h"

#include <algorithm>

namespace athanor {

std::string_view severityName(Severity severity)
{
    switch (severity) {
    case Severity::Info:
        return "info";
    case Severity::Warning:
        return "warning";
    case Severity::Error:
        return "error";
    }
    return "error";
}

Json problemJson(const Problem& problem)
{
    Json fixes = Json::array();
    for (const SuggestedFix& fix : problem.fixes)
        fixes.push_back(fixJson(fix));
    return {{"where", problem.where},
            {"severity", severityName(problem.severity)},
            {"message", problem.message},
            {"hint", problem.hint},
            {"fixes", std::move(fixes)}};
}

bool GraphCheck::ok() const
{
    return std::none_of(problems.begin(), problems.end(),
                        [](const Problem& problem) { return problem.severity == Severity::Error; });
}

GraphCheck checkNetwork(const Graph& network, const FieldTypes& fields, const ScriptTyper& typer)
{
    GraphChecker checker;
    checker.check(network, fields, typer);
    return std::move(checker).take();
}

} // namespace athanor
