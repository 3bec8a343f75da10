#include "engine/graph/graph_arrange.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {
namespace {

struct Placed {
    NodeId id;
    Position position;
};

std::vector<Placed> placed(const Graph& graph, const std::set<NodeId>& nodes)
{
    std::vector<Placed> result;
    for (const NodeId& id : nodes)
        if (const auto it = graph.positions().find(id); it != graph.positions().end())
            result.push_back({id, it->second});
    return result;
}

double Position::*coordinate(Axis axis)
{
    return axis == Axis::Horizontal ? &Position::x : &Position::y;
}

// A rectangle's extent along one axis: first edge, middle, last edge.
struct Span {
    double first;
    double last;
    [[nodiscard]] std::array<double, 3> marks() const { return {first, (first + last) / 2, last}; }
};

Span spanOf(const Rect& rect, Axis axis)
{
    return axis == Axis::Horizontal ? Span{rect.x, rect.x + rect.width} : Span{rect.y, rect.y + rect.height};
}

struct Pull {
    double by = 0;
    bool found = false;
};

// The shortest way that puts one of the marks on a mark of another rectangle.
Pull nearestPull(const Rect& dragged, const std::vector<Rect>& others, double reach, Axis axis)
{
    Pull best;
    for (const Rect& other : others)
        for (const double mark : spanOf(dragged, axis).marks())
            for (const double goal : spanOf(other, axis).marks()) {
                const double by = goal - mark;
                if (std::abs(by) <= reach && (!best.found || std::abs(by) < std::abs(best.by)))
                    best = {by, true};
            }
    return best;
}

// Lines at the marks that now coincide, over the extent of all that lies on them.
void addGuides(const Rect& snapped, const std::vector<Rect>& others, Axis axis, std::vector<Guide>& guides)
{
    constexpr double kSame = 0.01;
    const Axis across = axis == Axis::Horizontal ? Axis::Vertical : Axis::Horizontal;
    for (const double mark : spanOf(snapped, axis).marks()) {
        Span extent = spanOf(snapped, across);
        bool met = false;
        for (const Rect& other : others) {
            const auto marks = spanOf(other, axis).marks();
            if (std::none_of(marks.begin(), marks.end(), [&](double m) { return std::abs(m - mark) < kSame; }))
                continue;
            met = true;
            extent.first = std::min(extent.first, spanOf(other, across).first);
            extent.last = std::max(extent.last, spanOf(other, across).last);
        }
        if (met)
            guides.push_back({across, mark, extent.first, extent.last});
    }
}

} // namespace

edit::Move alignMove(const Graph& graph, const std::set<NodeId>& nodes, Alignment alignment)
{
    edit::Move move;
    const auto list = placed(graph, nodes);
    if (list.size() < 2)
        return move;
    const bool across =
        alignment == Alignment::Left || alignment == Alignment::Centre || alignment == Alignment::Right;
    const auto member = coordinate(across ? Axis::Horizontal : Axis::Vertical);
    const auto [low, high] = std::minmax_element(list.begin(), list.end(), [&](const auto& a, const auto& b) {
        return a.position.*member < b.position.*member;
    });
    // All are of one size, so their last edges are level when their first ones are.
    const double first = low->position.*member, last = high->position.*member;
    const double goal = alignment == Alignment::Left || alignment == Alignment::Top        ? first
                        : alignment == Alignment::Right || alignment == Alignment::Bottom ? last
                                                                                          : (first + last) / 2;
    for (const auto& [id, position] : list) {
        Position to = position;
        to.*member = goal;
        move.to[id] = to;
    }
    return move;
}

edit::Move distributeMove(const Graph& graph, const std::set<NodeId>& nodes, Axis axis)
{
    edit::Move move;
    auto list = placed(graph, nodes);
    if (list.size() < 3)
        return move;
    const auto member = coordinate(axis);
    std::stable_sort(list.begin(), list.end(),
                     [&](const auto& a, const auto& b) { return a.position.*member < b.position.*member; });
    const double first = list.front().position.*member, last = list.back().position.*member;
    for (std::size_t i = 0; i < list.size(); ++i) {
        Position to = list[i].position;
        to.*member = first + (last - first) * static_cast<double>(i) / static_cast<double>(list.size() - 1);
        move.to[list[i].id] = to;
    }
    return move;
}

Snap snapRect(const Rect& dragged, const std::vector<Rect>& others, double reach, double grid)
{
    const auto along = [&](Axis axis) {
        if (const Pull pull = nearestPull(dragged, others, reach, axis); pull.found)
            return pull.by;
        const double at = spanOf(dragged, axis).first;
        return std::round(at / grid) * grid - at;
    };
    Snap snap{along(Axis::Horizontal), along(Axis::Vertical), {}};
    const Rect snapped{dragged.x + snap.dx, dragged.y + snap.dy, dragged.width, dragged.height};
    addGuides(snapped, others, Axis::Horizontal, snap.guides);
    addGuides(snapped, others, Axis::Vertical, snap.guides);
    return snap;
}

} // namespace athanor
