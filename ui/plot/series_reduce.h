// Any thread (plain data, no Qt). Reduces a series to what pixel columns can show: first, minimum, maximum
// and last of each ("M4"), so that a one-pixel line through the result covers the extremes of the whole.
#pragma once

#include "engine/store/run_store.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace athanor {

struct PlotPoint {
    double x = 0;
    double y = 0; ///< NaN: a gap in the line
};

enum class ValueScale { Linear, Log };

/// A visible range of steps and the pixel columns it is drawn on.
struct PixelColumns {
    double from = 0;
    double to = 1;
    int count = 1;
    [[nodiscard]] double stepsPerColumn() const { return (to - from) / count; }
};

/// What is drawn of one curve.
struct ReducedCurve {
    std::vector<PlotPoint> line;     ///< ascending x, with one point outside on each side; NaN y = gap
    std::vector<PlotPoint> isolated; ///< finite points with a gap on both sides, which no line shows
    std::vector<double> nonFinite;   ///< steps of NaN and infinite values, one per column
    std::vector<double> nonPositive; ///< log scale: steps of values ≤ 0, one per column
    std::size_t visiblePoints = 0;   ///< finite points added within the range
    /// Of the finite (on a log scale: positive) values within the range; minimum > maximum when there is none.
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
};

/// Takes points in ascending x, then gives the reduced curve. A value that cannot be drawn makes a gap
/// between columns; inside one column a gap cannot be seen and is left out.
class ColumnReducer {
public:
    ColumnReducer(const PixelColumns& columns, ValueScale scale);
    void add(double x, double y);
    ReducedCurve finish();

private:
    struct Column {
        std::int64_t index = 0;
        PlotPoint first, minimum, maximum, last;
    };
    void addUndrawable(double x, double y);
    void flush();
    void emitPoint(const PlotPoint& point);
    void breakLine();

    PixelColumns m_columns;
    ValueScale m_scale;
    ReducedCurve m_result;
    std::optional<PlotPoint> m_leadIn;  ///< the newest drawable point before the range
    std::optional<PlotPoint> m_leadOut; ///< the first drawable point after it
    std::optional<Column> m_column;
    bool m_gapPending = false;
    bool m_past = false; ///< a point after the range was seen
    std::size_t m_runLength = 0; ///< emitted points since the last gap
};

/// Of ascending steps, those in the range, one for each column.
std::vector<double> onePerColumn(const std::vector<double>& steps, const PixelColumns& columns);

/// The subset of raw points that draws the same on these columns, non-finite ones included (first and last
/// of each column), plus the nearest point on each side of the range. Steps must be ascending.
SeriesPoints thinned(const SeriesPoints& points, const PixelColumns& columns);

} // namespace athanor
