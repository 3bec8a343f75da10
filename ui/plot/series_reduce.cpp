#include "ui/plot/series_reduce.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::int64_t columnOf(double x, const PixelColumns& columns)
{
    const double share = (x - columns.from) / (columns.to - columns.from);
    return std::min(static_cast<std::int64_t>(share * columns.count), static_cast<std::int64_t>(columns.count) - 1);
}

/// Indices of one column's points that have to survive.
struct Survivors {
    static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
    std::size_t first = kNone, last = kNone, minimum = kNone, maximum = kNone;
    std::size_t firstNonFinite = kNone, lastNonFinite = kNone;

    void add(const std::vector<double>& values, std::size_t i)
    {
        if (!std::isfinite(values[i])) {
            firstNonFinite = std::min(firstNonFinite, i);
            lastNonFinite = i;
            return;
        }
        first = std::min(first, i);
        last = i;
        if (minimum == kNone || values[i] < values[minimum])
            minimum = i;
        if (maximum == kNone || values[i] > values[maximum])
            maximum = i;
    }
    void moveTo(const SeriesPoints& from, SeriesPoints& to)
    {
        std::array indices{first, last, minimum, maximum, firstNonFinite, lastNonFinite};
        std::sort(indices.begin(), indices.end());
        const auto end = std::unique(indices.begin(), indices.end());
        for (auto it = indices.begin(); it != end && *it != kNone; ++it) {
            to.steps.push_back(from.steps[*it]);
            to.values.push_back(from.values[*it]);
        }
        *this = {};
    }
};

} // namespace

ColumnReducer::ColumnReducer(const PixelColumns& columns, ValueScale scale) : m_columns(columns), m_scale(scale)
{
    m_columns.count = std::max(1, m_columns.count);
    if (!(m_columns.to > m_columns.from))
        m_columns.to = m_columns.from + 1;
}

void ColumnReducer::add(double x, double y)
{
    const bool drawable = std::isfinite(y) && (m_scale == ValueScale::Linear || y > 0);
    if (x < m_columns.from) {
        m_leadIn = drawable ? std::optional(PlotPoint{x, y}) : std::nullopt;
        return;
    }
    if (x > m_columns.to) {
        if (drawable && !m_past && !m_gapPending)
            m_leadOut = PlotPoint{x, y};
        m_past = true;
        return;
    }
    if (!drawable) {
        addUndrawable(x, y);
        return;
    }
    const std::int64_t column = columnOf(x, m_columns);
    if (m_column && m_column->index != column)
        flush();
    const PlotPoint point{x, y};
    if (!m_column) {
        if (m_gapPending)
            breakLine();
        m_column = Column{column, point, point, point, point};
    }
    m_gapPending = false;
    m_column->last = point;
    if (y < m_column->minimum.y)
        m_column->minimum = point;
    if (y > m_column->maximum.y)
        m_column->maximum = point;
    ++m_result.visiblePoints;
}

void ColumnReducer::addUndrawable(double x, double y)
{
    m_gapPending = true;
    auto& marks = std::isfinite(y) ? m_result.nonPositive : m_result.nonFinite;
    if (marks.empty() || columnOf(marks.back(), m_columns) != columnOf(x, m_columns))
        marks.push_back(x);
}

ReducedCurve ColumnReducer::finish()
{
    flush();
    if (m_leadOut)
        emitPoint(*m_leadOut);
    if (m_runLength == 1 && m_result.line.back().x >= m_columns.from && m_result.line.back().x <= m_columns.to)
        m_result.isolated.push_back(m_result.line.back());
    if (m_result.visiblePoints == 0) { // the line only passes through: its ends decide the range
        for (const PlotPoint& point : m_result.line) {
            m_result.minimum = std::min(m_result.minimum, point.y);
            m_result.maximum = std::max(m_result.maximum, point.y);
        }
    }
    return std::move(m_result);
}

void ColumnReducer::flush()
{
    if (!m_column)
        return;
    const Column column = *m_column;
    m_column.reset();
    m_result.minimum = std::min(m_result.minimum, column.minimum.y);
    m_result.maximum = std::max(m_result.maximum, column.maximum.y);
    const bool minimumFirst = column.minimum.x <= column.maximum.x;
    emitPoint(column.first);
    emitPoint(minimumFirst ? column.minimum : column.maximum);
    emitPoint(minimumFirst ? column.maximum : column.minimum);
    emitPoint(column.last);
}

void ColumnReducer::emitPoint(const PlotPoint& point)
{
    if (m_result.line.empty() && m_leadIn) {
        m_result.line.push_back(*m_leadIn);
        m_runLength = 1;
    }
    const bool repeated = m_runLength > 0 && m_result.line.back().x == point.x && m_result.line.back().y == point.y;
    if (repeated)
        return;
    m_result.line.push_back(point);
    ++m_runLength;
}

void ColumnReducer::breakLine()
{
    if (m_result.line.empty()) {
        m_leadIn.reset(); // a gap lies between it and the first visible point
        return;
    }
    if (m_runLength == 1 && m_result.line.back().x >= m_columns.from)
        m_result.isolated.push_back(m_result.line.back());
    m_result.line.push_back({m_result.line.back().x, kNaN});
    m_runLength = 0;
}

std::vector<double> onePerColumn(const std::vector<double>& steps, const PixelColumns& columns)
{
    std::vector<double> result;
    for (const double step : steps) {
        if (step < columns.from || step > columns.to)
            continue;
        if (result.empty() || columnOf(result.back(), columns) != columnOf(step, columns))
            result.push_back(step);
    }
    return result;
}

SeriesPoints thinned(const SeriesPoints& points, const PixelColumns& columns)
{
    SeriesPoints result;
    const auto begin = std::lower_bound(points.steps.begin(), points.steps.end(), columns.from,
                                        [](std::int64_t step, double from) { return static_cast<double>(step) < from; });
    auto index = static_cast<std::size_t>(begin - points.steps.begin());
    if (index > 0) {
        result.steps.push_back(points.steps[index - 1]);
        result.values.push_back(points.values[index - 1]);
    }
    Survivors survivors;
    std::int64_t current = -1;
    for (; index < points.steps.size(); ++index) {
        const auto x = static_cast<double>(points.steps[index]);
        if (x > columns.to)
            break;
        const std::int64_t column = columnOf(x, columns);
        if (column != current)
            survivors.moveTo(points, result);
        current = column;
        survivors.add(points.values, index);
    }
    survivors.moveTo(points, result);
    if (index < points.steps.size()) {
        result.steps.push_back(points.steps[index]);
        result.values.push_back(points.values[index]);
    }
    return result;
}

} // namespace athanor
