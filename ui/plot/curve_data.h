// Any thread (plain data, no Qt). Puts the points of one curve together from what is at hand: the history's
// buckets, raw points read from the store, and the newest raw samples; then reduces them for drawing.
#pragma once

#include "engine/metrics/series_store.h"
#include "engine/store/run_store.h"
#include "ui/plot/series_reduce.h"

#include <optional>

namespace athanor {

/// Raw points of a part of the past, read from the run store.
struct HistoryWindow {
    std::int64_t from = 0; ///< every stored point of [from, to] is in `points` …
    std::int64_t to = -1;
    SeriesPoints points;
    double stepsPerColumn = 0; ///< … unless this is > 0: then they were thinned to columns of this width
    [[nodiscard]] bool isComplete() const { return stepsPerColumn == 0; }
};

struct CurveDrawing {
    ReducedCurve raw;
    ReducedCurve smoothed; ///< empty without smoothing
    /// Within the range some drawn bucket is wider than a pixel column: raw points would show more.
    bool isCoarse = false;
};

struct CurveOptions {
    PixelColumns columns;
    ValueScale scale = ValueScale::Linear;
    double smoothingSpan = 0; ///< steps; 0 = none
};

/// `history` may be nullptr. Where it is there, it wins over buckets; raw samples of the view win over both.
CurveDrawing drawCurve(const SeriesView& view, const HistoryWindow* history, const CurveOptions& options);

/// The exact points of [from, to] that are at hand without the store; nullopt when some of them are only in
/// buckets.
std::optional<SeriesPoints> rawPoints(const SeriesView& view, std::int64_t from, std::int64_t to);

} // namespace athanor
