#include "engine/graph/fix_context.h"
#include "engine/graph/graph_rewrite.h"

#include <algorithm>
#include <set>

namespace athanor {
namespace {

/// The only edge out of a node; nothing when there are none or several.
std::optional<Edge> onlyOutput(const Graph& graph, const NodeId& id)
{
    std::optional<Edge> found;
    for (const Edge& edge : graph.edges()) {
        if (edge.from.node != id)
            continue;
        if (found)
            return std::nullopt;
        found = edge;
    }
    return found;
}

std::optional<Edge> onlyInput(const Graph& graph, const NodeId& id)
{
    std::optional<Edge> found;
    for (const Edge& edge : graph.edges()) {
        if (edge.to.node != id)
            continue;
        if (found)
            return std::nullopt;
        found = edge;
    }
    return found;
}

/// Where a transform may have to be moved to: what it stands on the wrong side of.
bool isLandmark(const std::string& kind)
{
    static const std::set<std::string> kinds = {"ToTensor", "Split", "Normalize", "Standardize", "MinMax"};
    return kinds.contains(kind);
}

/// Nodes that follow each other, in a new order of the same nodes: the places on the canvas stay, too.
std::optional<GraphEdit> reordered(const Graph& graph, const std::vector<NodeId>& run, const std::vector<NodeId>& order)
{
    const std::optional<Edge> into = onlyInput(graph, run.front());
    const std::optional<Edge> out = onlyOutput(graph, run.back());
    if (!into || !out)
        return std::nullopt;
    edit::Sequence sequence{{GraphEdit{edit::Disconnect{*into}}, GraphEdit{edit::Disconnect{*out}}}};
    for (std::size_t i = 0; i + 1 < run.size(); ++i)
        sequence.edits.push_back(GraphEdit{edit::Disconnect{*onlyOutput(graph, run[i])}});
    PortRef last = into->from;
    edit::Move move;
    for (std::size_t i = 0; i < run.size(); ++i) {
        sequence.edits.push_back(GraphEdit{edit::Connect{{last, {order[i], {}}}, {}}});
        last = {order[i], {}};
        if (const auto place = graph.positions().find(run[i]); place != graph.positions().end())
            move.to[order[i]] = place->second;
    }
    sequence.edits.push_back(GraphEdit{edit::Connect{{last, out->to}, {}}});
    if (!move.to.empty())
        sequence.edits.push_back(GraphEdit{std::move(move)});
    return GraphEdit{std::move(sequence)};
}

/// Behind the next landmarks, as far as nodes simply follow each other.
void offerMovesBehind(FixContext& context)
{
    const Graph& graph = context.graph();
    std::vector<NodeId> run = {context.node()->id};
    for (std::optional<Edge> next = onlyOutput(graph, run.back()); next; next = onlyOutput(graph, run.back())) {
        if (!onlyInput(graph, next->to.node) || run.size() > graph.nodes().size())
            return;
        run.push_back(next->to.node);
        const KindPtr kind = context.kindOf(run.back());
        if (!kind || !isLandmark(kind->kind))
            continue;
        std::vector<NodeId> order = run;
        std::rotate(order.begin(), order.begin() + 1, order.end());
        if (std::optional<GraphEdit> edit = reordered(graph, run, order))
            context.offer("Move it behind " + run.back(), std::move(*edit));
    }
}

void offerMovesBefore(FixContext& context)
{
    const Graph& graph = context.graph();
    std::vector<NodeId> run = {context.node()->id};
    for (std::optional<Edge> before = onlyInput(graph, run.front()); before; before = onlyInput(graph, run.front())) {
        if (!onlyOutput(graph, before->from.node) || run.size() > graph.nodes().size())
            return;
        run.insert(run.begin(), before->from.node);
        const KindPtr kind = context.kindOf(run.front());
        if (kind && kind->family == NodeFamily::Split)
            return; // nothing has to stand before the parts are told apart
        if (!kind || !isLandmark(kind->kind))
            continue;
        std::vector<NodeId> order = run;
        std::rotate(order.begin(), order.end() - 1, order.end());
        if (std::optional<GraphEdit> edit = reordered(graph, run, order))
            context.offer("Move it before " + run.front(), std::move(*edit));
    }
}

} // namespace

void offerOrderFixes(FixContext& context)
{
    if (context.isNetwork() || context.node() == nullptr || !context.kind() ||
        context.kind()->family != NodeFamily::Transform || !context.detail().empty())
        return;
    offerMovesBehind(context);
    offerMovesBefore(context);
    if (!context.problem().hint.starts_with("remove"))
        return;
    const GraphContext graph{context.graph(), context.catalog()};
    context.offer("Remove " + context.node()->id, removeEdit(graph, {context.node()->id}, {}, Healing::Join));
}

} // namespace athanor
