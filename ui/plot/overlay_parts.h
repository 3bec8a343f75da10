// GUI thread. What an OverlayPlot holds; only its own .cpp files include this.
#pragma once

#include "ui/plot/dense_lines.h"
#include "ui/plot/overlay_plot.h"
#include "ui/plot/plot_canvas.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace athanor {

inline constexpr std::size_t kRawLimit = 16'384;     ///< points in sight that are reduced as they are
inline constexpr std::size_t kOutlinePoints = 8'192; ///< of a whole curve when more are in sight

/// The points of `curve` in [from, to] with one more on each side.
inline std::pair<std::size_t, std::size_t> pointsInSight(const std::vector<double>& x, double from, double to)
{
    auto first = std::lower_bound(x.begin(), x.end(), from);
    auto last = std::upper_bound(x.begin(), x.end(), to);
    if (first != x.begin())
        --first;
    if (last != x.end())
        ++last;
    return {static_cast<std::size_t>(first - x.begin()), static_cast<std::size_t>(last - x.begin())};
}

struct OverlayPlot::Drawn {
    OverlayCurve curve;
    Curve outline; ///< of a long curve; else empty
    bool isShown = true;
    std::int64_t nonFinite = 0;
    ReducedCurve drawing;
    QCPGraph* line = nullptr; ///< all of the canvas
    QCPGraph* dots = nullptr;
    QCPGraph* low = nullptr;
    QCPGraph* high = nullptr;

    [[nodiscard]] ReducedCurve reduced(const PixelColumns& columns, ValueScale scale) const
    {
        auto [first, last] = pointsInSight(curve.curve.x, columns.from, columns.to);
        const Curve* source = &curve.curve;
        if (last - first > kRawLimit && !outline.empty()) {
            source = &outline;
            std::tie(first, last) = pointsInSight(outline.x, columns.from, columns.to);
        }
        ColumnReducer reducer(columns, scale);
        for (std::size_t i = first; i < last; ++i)
            reducer.add(source->x[i], source->y[i]);
        return reducer.finish();
    }
    [[nodiscard]] ReducedCurve reducedEdge(const std::vector<double>& edge, const PixelColumns& columns,
                                           ValueScale scale) const
    {
        const auto [first, last] = pointsInSight(curve.curve.x, columns.from, columns.to);
        ColumnReducer reducer(columns, scale);
        for (std::size_t i = first; i < last; ++i)
            reducer.add(curve.curve.x[i], edge[i]);
        return reducer.finish();
    }
    /// The point nearest to x; nullopt when the curve is not there.
    [[nodiscard]] std::optional<PlotPoint> nearest(double x) const
    {
        const auto& xs = curve.curve.x;
        if (xs.empty())
            return std::nullopt;
        auto at = static_cast<std::size_t>(std::lower_bound(xs.begin(), xs.end(), x) - xs.begin());
        if (at == xs.size() || (at > 0 && x - xs[at - 1] < xs[at] - x))
            --at;
        return PlotPoint{xs[at], curve.curve.y[at]};
    }
};

struct OverlayPlot::Marks {
    DenseLines* dense = nullptr;
    QCPGraph* nonFinite = nullptr;
    QCPItemText* emptyText = nullptr;
};

} // namespace athanor
