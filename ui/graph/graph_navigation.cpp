#include "ui/graph/graph_navigation.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace athanor {
namespace {

/// Data order; members of cycles, which have none, follow in the order of the file.
std::vector<NodeId> readingOrder(const Graph& graph)
{
    std::vector<NodeId> order = graph.topologicalOrder();
    if (order.size() < graph.nodes().size()) {
        const std::set<NodeId> known(order.begin(), order.end());
        for (const Node& node : graph.nodes()) {
            if (!known.contains(node.id)) {
                order.push_back(node.id);
            }
        }
    }
    return order;
}

struct Offset {
    double along = 0;  ///< in the heading's direction
    double aside = 0;  ///< across it, without sign
};

Offset offset(const Position& from, const Position& to, Heading heading)
{
    const double dx = to.x - from.x;
    const double dy = to.y - from.y;
    switch (heading) {
    case Heading::Left: return {-dx, std::abs(dy)};
    case Heading::Right: return {dx, std::abs(dy)};
    case Heading::Up: return {-dy, std::abs(dx)};
    case Heading::Down: return {dy, std::abs(dx)};
    }
    return {};
}

/// The nearest of `candidates` within `slope` (aside per along) of the heading.
std::optional<NodeId> nearest(const Graph& graph, const NodeId& current, Heading heading,
                              const std::vector<NodeId>& candidates, double slope)
{
    const auto& positions = graph.positions();
    const auto here = positions.find(current);
    std::optional<NodeId> best;
    double bestCost = 0;
    for (const NodeId& id : candidates) {
        const auto there = positions.find(id);
        if (id == current || here == positions.end() || there == positions.end()) {
            continue;
        }
        const Offset way = offset(here->second, there->second, heading);
        const double cost = way.along + 2 * way.aside;
        if (way.along > 0 && way.aside <= slope * way.along && (!best || cost < bestCost)) {
            best = id;
            bestCost = cost;
        }
    }
    return best;
}

} // namespace

std::optional<NodeId> tabTarget(const Graph& graph, const std::optional<NodeId>& current, TabOrder order)
{
    std::vector<NodeId> nodes = readingOrder(graph);
    if (order == TabOrder::Backward) {
        std::reverse(nodes.begin(), nodes.end());
    }
    auto place = current ? std::find(nodes.begin(), nodes.end(), *current) : nodes.end();
    place = place == nodes.end() ? nodes.begin() : std::next(place);
    return place == nodes.end() ? std::nullopt : std::optional(*place);
}

std::optional<NodeId> arrowTarget(const Graph& graph, const NodeId& current, Heading heading)
{
    constexpr double kAlongEdge = 3;
    constexpr double kAnywhere = 2;
    std::vector<NodeId> connected;
    for (const Edge& edge : graph.edges()) {
        if (edge.from.node == current) {
            connected.push_back(edge.to.node);
        } else if (edge.to.node == current) {
            connected.push_back(edge.from.node);
        }
    }
    if (const auto target = nearest(graph, current, heading, connected, kAlongEdge)) {
        return target;
    }
    std::vector<NodeId> all;
    for (const Node& node : graph.nodes()) {
        all.push_back(node.id);
    }
    return nearest(graph, current, heading, all, kAnywhere);
}

} // namespace athanor
