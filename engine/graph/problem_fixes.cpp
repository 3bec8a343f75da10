#include "engine/graph/problem_fixes.h"

#include "engine/graph/fix_context.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

constexpr std::size_t kVisits = 40'000;     // nodes that are checked again, all in all: below half a second
constexpr std::size_t kFixesPerProblem = 3; // a choice, not a catalog

using Said = std::set<std::pair<std::string, std::string>>;

bool isOf(const Problem& problem, const std::string& part)
{
    return problem.where == part || problem.where.starts_with(part + "/");
}

Said errorsOf(const std::vector<Problem>& problems, const std::string& part)
{
    Said said;
    for (const Problem& problem : problems)
        if (problem.severity == Severity::Error && isOf(problem, part))
            said.emplace(problem.where, problem.message);
    return said;
}

bool isAt(const std::string& where, const std::set<NodeId>& nodes, const std::string& part, const Graph& graph)
{
    const auto place = problemPlace(where, part, graph);
    return place && nodes.contains(place->node);
}

// Applies candidates to copies of the graph and checks them again.
class Trial {
public:
    Trial(const Graph& graph, const FixSetting& setting, const std::vector<Problem>& problems)
        : m_graph(graph), m_setting(setting), m_errors(errorsOf(problems, setting.part))
    {}
    [[nodiscard]] bool isExhausted() const { return m_visits + m_graph.nodes().size() > kVisits; }
    bool cures(const Problem& problem, const GraphEdit& edit)
    {
        Graph changed = m_graph;
        const auto change = apply(changed, edit);
        if (!change)
            return false;
        m_visits += changed.nodes().size();
        const GraphCheck after = m_setting.check(changed);
        for (const Problem& left : after.problems)
            if (left.where == problem.where && left.message == problem.message)
                return false;
        const Said errors = errorsOf(after.problems, m_setting.part);
        if (errors.size() > m_errors.size())
            return false;
        return std::none_of(errors.begin(), errors.end(), [&](const auto& error) {
            return !m_errors.contains(error) && isAt(error.first, change->touched, m_setting.part, changed);
        });
    }

private:
    const Graph& m_graph;
    const FixSetting& m_setting;
    Said m_errors;
    std::size_t m_visits = 0;
};

} // namespace

void suggestFixes(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes,
                  std::vector<Problem>& problems)
{
    Trial trial(graph, setting, problems);
    for (Problem& problem : problems) {
        if (!isOf(problem, setting.part))
            continue;
        FixContext context(graph, setting, nodes, problem);
        offerParameterFixes(context);
        offerNodeFixes(context);
        offerEdgeFixes(context);
        offerLossFixes(context);
        std::vector<SuggestedFix> fixes;
        for (const auto& [text, edit] : context.candidates()) {
            if (fixes.size() == kFixesPerProblem || trial.isExhausted())
                break;
            const bool isThere = std::any_of(fixes.begin(), fixes.end(), [&, &said = text](const SuggestedFix& fix) {
                return fix.text == said;
            });
            if (!isThere && trial.cures(problem, edit))
                fixes.push_back({text, {}, PartEdit{setting.part, edit}});
        }
        problem.fixes = std::move(fixes);
    }
}

} // namespace athanor
