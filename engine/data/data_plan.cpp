#include "engine/data/data_plan.h"

#include "engine/data/dataset.h"

#include <algorithm>

namespace athanor {

namespace {

PlanNode planNode(const Node& node)
{
    return {node.id, node.kind, completeParams(*dataCatalog().find(node.kind), node.params)};
}

NodeFamily familyOf(const Node& node)
{
    return dataCatalog().find(node.kind)->family;
}

/// Nodes from `id` back to a source or a Parts node; the first one is that end.
std::vector<const Node*> chainTo(const Graph& graph, const NodeId& id)
{
    std::vector<const Node*> chain;
    for (const Node* node = graph.find(id); node != nullptr;) {
        chain.push_back(node);
        const std::vector<Edge> incoming = graph.incoming(node->id);
        if (node->kind == "Parts" || familyOf(*node) == NodeFamily::Source || incoming.empty())
            break;
        node = graph.find(incoming.front().from.node);
    }
    std::reverse(chain.begin(), chain.end());
    return chain;
}

std::size_t partOf(const std::string& port)
{
    return port == "val" ? 1 : port == "test" ? 2 : 0;
}

/// A chain that starts at a source; a Split in it is set apart.
Result<PlanBranch> planBranch(const Graph& graph, const NodeId& end, std::optional<PlanNode>& split)
{
    const std::vector<const Node*> chain = chainTo(graph, end);
    PlanBranch branch;
    branch.source = planNode(*chain.front());
    for (const Edge& edge : graph.incoming(chain.front()->id)) {
        std::optional<PlanNode> inner;
        Result<PlanBranch> joined = planBranch(graph, edge.from.node, inner);
        if (!joined)
            return joined.error();
        if (inner || !joined->transforms.empty())
            return (inner ? *inner : joined->transforms.front())
                .error(ErrorCode::InvalidArgument, {},
                       "stands before the " + branch.source.kind + " '" + branch.source.id + "'",
                       "Sources are put together first; place it behind " + branch.source.id);
        branch.joined.push_back(std::move(*joined));
    }
    for (std::size_t i = 1; i < chain.size(); ++i) {
        if (familyOf(*chain[i]) == NodeFamily::Transform)
            branch.transforms.push_back(planNode(*chain[i]));
        else if (chain[i]->kind == "Split")
            split = planNode(*chain[i]);
    }
    return branch;
}

} // namespace

Error PlanNode::error(ErrorCode code, const std::string& parameter, std::string message,
                      std::string hint) const
{
    return {code, std::move(message), dataPlace(id, parameter), std::move(hint), {}};
}

Result<DataPlan> makeDataPlan(const Graph& data)
{
    for (const Problem& problem : checkData(data).problems)
        if (problem.severity == Severity::Error)
            return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, {}};
    const auto loader = std::find_if(data.nodes().begin(), data.nodes().end(),
                                     [](const Node& node) { return familyOf(node) == NodeFamily::Loader; });
    DataPlan plan;
    plan.loader = planNode(*loader);
    const std::vector<const Node*> chain = chainTo(data, loader->id);
    if (chain.front()->kind != "Parts") {
        Result<PlanBranch> branch = planBranch(data, loader->id, plan.split);
        if (!branch)
            return branch.error();
        plan.branches[0] = std::move(*branch);
        return plan;
    }
    for (const Edge& edge : data.incoming(chain.front()->id)) {
        Result<PlanBranch> branch = planBranch(data, edge.from.node, plan.split);
        if (!branch)
            return branch.error();
        plan.branches[partOf(edge.to.port)] = std::move(*branch);
    }
    for (std::size_t i = 1; i < chain.size(); ++i)
        if (familyOf(*chain[i]) == NodeFamily::Transform)
            plan.transforms.push_back(planNode(*chain[i]));
    return plan;
}

} // namespace athanor
