#include "engine/graph/problem_fixes.h"

#include "engine/graph/fix_context.h"
#include "engine/graph/flat_graph.h"

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

// The graph that a problem's node is drawn in: the whole one, or the inside of a group.
class Surroundings {
public:
    Surroundings(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes)
        : m_graph(graph), m_setting(setting), m_nodes(nodes)
    {
        if (hasGroups(graph))
            m_flat = flattened(graph);
    }
    void enter(const Problem& problem)
    {
        m_definition.clear();
        m_place = problemPlace(problem.where, m_setting.part, m_flat ? m_flat->graph : m_graph);
        if (!m_place || !m_flat)
            return;
        const auto drawn = m_flat->places.find(m_place->node);
        if (drawn == m_flat->places.end() || drawn->second.definition.empty())
            return;
        m_definition = drawn->second.definition;
        m_inside = insideOf(m_graph, m_definition);
        m_insideNodes.clear();
        const std::string prefix = m_place->node.substr(0, m_place->node.size() - drawn->second.node.size());
        for (auto it = m_nodes.lower_bound(prefix); it != m_nodes.end() && it->first.starts_with(prefix); ++it)
            m_insideNodes.emplace(it->first.substr(prefix.size()), it->second);
        m_place->node = drawn->second.node;
    }
    [[nodiscard]] FixContext context(const Problem& problem) const
    {
        return m_definition.empty() ? FixContext(m_graph, m_setting, m_nodes, problem, m_place)
                                    : FixContext(m_inside, m_setting, m_insideNodes, problem, m_place);
    }
    [[nodiscard]] GraphEdit asDrawn(GraphEdit edit) const { return editInside(m_definition, std::move(edit)); }

private:
    const Graph& m_graph;
    const FixSetting& m_setting;
    const std::map<NodeId, NodeCheck>& m_nodes;
    std::optional<FlatGraph> m_flat;
    std::string m_definition; ///< empty: the whole graph
    Graph m_inside;
    std::map<NodeId, NodeCheck> m_insideNodes;
    std::optional<ProblemPlace> m_place;
};

std::vector<SuggestedFix> certainFixes(const FixContext& context, const Surroundings& around,
                                       const std::string& part, const Problem& problem, Trial& trial)
{
    std::vector<SuggestedFix> fixes;
    for (const auto& [text, candidate] : context.candidates()) {
        if (fixes.size() == kFixesPerProblem || trial.isExhausted())
            break;
        const bool isThere = std::any_of(fixes.begin(), fixes.end(),
                                         [&, &said = text](const SuggestedFix& fix) { return fix.text == said; });
        const GraphEdit edit = around.asDrawn(candidate);
        if (!isThere && trial.cures(problem, edit))
            fixes.push_back({text, {}, PartEdit{part, edit}});
    }
    return fixes;
}

} // namespace

void suggestFixes(const Graph& graph, const FixSetting& setting, const std::map<NodeId, NodeCheck>& nodes,
                  std::vector<Problem>& problems)
{
    Trial trial(graph, setting, problems);
    Surroundings around(graph, setting, nodes);
    for (Problem& problem : problems) {
        if (!isOf(problem, setting.part))
            continue;
        around.enter(problem);
        FixContext context = around.context(problem);
        offerParameterFixes(context);
        offerNodeFixes(context);
        offerEdgeFixes(context);
        offerLossFixes(context);
        offerOrderFixes(context);
        problem.fixes = certainFixes(context, around, setting.part, problem, trial);
    }
}

} // namespace athanor
