#include "ui/bridge/graph_placement.h"

#include <algorithm>

namespace athanor {
namespace {

constexpr std::size_t kGraphvizLimit = 400; ///< nodes; dot answers within about a second up to here
constexpr double kLayerGap = 96;            ///< between two layers, with the text of a shape in it
constexpr double kShapeRoom = 48;           ///< what the gap of Graphviz's layout lacks for that
constexpr double kRowGap = 32;

/// Number of the layer of each node: the longest way from a source. Members of cycles go to layer 0.
std::map<NodeId, int> layers(const Graph& graph)
{
    std::map<NodeId, std::vector<NodeId>> sources;
    for (const Edge& edge : graph.edges()) {
        sources[edge.to.node].push_back(edge.from.node);
    }
    std::map<NodeId, int> layer;
    for (const NodeId& id : graph.topologicalOrder()) {
        int own = 0;
        for (const NodeId& source : sources[id]) {
            const auto known = layer.find(source);
            own = std::max(own, known == layer.end() ? 0 : known->second + 1);
        }
        layer[id] = own;
    }
    return layer;
}

std::map<NodeId, Position> plainLayers(const Graph& graph, LayoutDirection direction)
{
    const auto layer = layers(graph);
    std::map<int, int> rows;
    std::map<NodeId, Position> result;
    for (const Node& node : graph.nodes()) {
        const auto known = layer.find(node.id);
        const int column = known == layer.end() ? 0 : known->second;
        const int row = rows[column]++;
        if (direction == LayoutDirection::LeftToRight) {
            result[node.id] = {column * (kNodeSize.width + kLayerGap), row * (kNodeSize.height + kRowGap)};
        } else {
            result[node.id] = {row * (kNodeSize.width + kRowGap), column * (kNodeSize.height + kLayerGap)};
        }
    }
    return result;
}

bool overlaps(const Position& a, const Position& b)
{
    return std::abs(a.x - b.x) < kNodeSize.width && std::abs(a.y - b.y) < kNodeSize.height;
}

Position freePlace(Position wish, const std::map<NodeId, Position>& taken)
{
    while (std::any_of(taken.begin(), taken.end(), [&](const auto& other) { return overlaps(other.second, wish); })) {
        wish.y += kNodeSize.height + kRowGap;
    }
    return wish;
}

/// Right of a placed source, else left of a placed target, else at the origin.
Position wishFor(const Graph& graph, const NodeId& id, const std::map<NodeId, Position>& placed)
{
    for (const Edge& edge : graph.incoming(id)) {
        if (const auto source = placed.find(edge.from.node); source != placed.end()) {
            return {source->second.x + kNodeSize.width + kLayerGap, source->second.y};
        }
    }
    for (const Edge& edge : graph.outgoing(id)) {
        if (const auto target = placed.find(edge.to.node); target != placed.end()) {
            return {target->second.x - kNodeSize.width - kLayerGap, target->second.y};
        }
    }
    return {};
}

} // namespace

std::map<NodeId, Position> layOut(const Graph& graph, LayoutDirection direction)
{
    if (graph.nodes().size() > kGraphvizLimit) {
        return plainLayers(graph, direction);
    }
    // Made wider for the layout, so that the shape on an edge from left to right finds its place.
    const double room = direction == LayoutDirection::LeftToRight ? kShapeRoom : 0;
    std::map<NodeId, NodeSize> sizes;
    for (const Node& node : graph.nodes()) {
        sizes[node.id] = {kNodeSize.width + room, kNodeSize.height};
    }
    std::map<NodeId, Position> positions = layoutGraph(graph, sizes, direction);
    for (auto& [id, position] : positions) {
        position.x += room / 2;
    }
    return positions;
}

std::map<NodeId, Position> missingPositions(const Graph& graph)
{
    auto placed = graph.positions();
    const auto isPlaced = [&](const Node& node) { return placed.contains(node.id); };
    if (std::none_of(graph.nodes().begin(), graph.nodes().end(), isPlaced)) {
        return layOut(graph);
    }
    std::map<NodeId, Position> result;
    for (const Node& node : graph.nodes()) {
        if (!isPlaced(node)) {
            const Position place = freePlace(wishFor(graph, node.id, placed), placed);
            placed[node.id] = place;
            result[node.id] = place;
        }
    }
    return result;
}

} // namespace athanor
