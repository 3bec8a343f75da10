#include "ui/plot/dense_lines.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

struct Span {
    int low = 0; ///< none: low > high
    int high = -1;
    void add(double y)
    {
        constexpr double kFarthest = 1e6; // a canvas is smaller
        const int pixel = static_cast<int>(std::floor(std::clamp(y, -kFarthest, kFarthest)));
        if (low > high) {
            low = high = pixel;
        } else {
            low = std::min(low, pixel);
            high = std::max(high, pixel);
        }
    }
};

/// Per column what a line passes through.
std::vector<Span> spansOf(const PixelLine& line, int left, int right)
{
    std::vector<Span> spans(static_cast<std::size_t>(right - left + 1));
    const auto at = [&](int column) -> Span& { return spans[static_cast<std::size_t>(column - left)]; };
    for (std::size_t i = 0; i < line.size(); ++i) {
        const PlotPoint& from = line[i];
        if (std::isnan(from.y))
            continue;
        const bool isLast = i + 1 == line.size() || std::isnan(line[i + 1].y);
        const PlotPoint& to = isLast ? from : line[i + 1];
        const int first = std::max(left, static_cast<int>(std::floor(std::max(from.x, left - 1.0))));
        const int last = std::min(right, static_cast<int>(std::floor(std::min(to.x, right + 1.0))));
        if (first == last) { // nearly always: points lie closer than columns
            at(first).add(from.y);
            at(first).add(to.y);
            continue;
        }
        for (int column = first; column <= last; ++column) {
            const auto yAt = [&](double x) {
                return to.x > from.x ? from.y + (to.y - from.y) * (x - from.x) / (to.x - from.x) : to.y;
            };
            at(column).add(column <= from.x ? from.y : yAt(column));
            at(column).add(column + 1 >= to.x ? to.y : yAt(column + 1));
        }
    }
    return spans;
}

/// Pixels of one column that are taken, as disjoint intervals in rising order.
class Covered {
public:
    void clear() { m_taken.clear(); }
    /// Calls `show` for each part of the span that is still free, and takes the span.
    template <typename Show>
    void take(const Span& span, Show show)
    {
        int from = span.low;
        auto first = std::lower_bound(m_taken.begin(), m_taken.end(), span.low,
                                      [](const Span& one, int low) { return one.high < low; });
        auto next = first;
        Span merged = span;
        for (; next != m_taken.end() && next->low <= span.high; ++next) {
            if (from < next->low)
                show(from, next->low - 1);
            from = std::max(from, next->high + 1);
            merged.low = std::min(merged.low, next->low);
            merged.high = std::max(merged.high, next->high);
        }
        if (from <= span.high)
            show(from, span.high);
        m_taken.insert(m_taken.erase(first, next), merged);
    }

private:
    std::vector<Span> m_taken;
};

} // namespace

std::vector<VisibleSpans> visibleSpans(const std::vector<PixelLine>& curves, int left, int right)
{
    std::vector<VisibleSpans> out(curves.size());
    if (right < left)
        return out;
    std::vector<std::vector<Span>> spans;
    for (const PixelLine& curve : curves)
        spans.push_back(spansOf(curve, left, right));
    Covered covered;
    for (int column = left; column <= right; ++column) {
        covered.clear();
        for (std::size_t i = curves.size(); i-- > 0;) { // the last one lies on top
            const Span& span = spans[i][static_cast<std::size_t>(column - left)];
            if (span.low <= span.high)
                covered.take(span,
                             [&](int low, int high) { out[i].emplace_back(column, low, column, high); });
        }
    }
    return out;
}

DenseLines::DenseLines(PlotCanvas& canvas) : QCPAbstractPlottable(canvas.xAxis, canvas.yAxis)
{
    setAntialiased(false);
}

QCPRange DenseLines::getKeyRange(bool& found, QCP::SignDomain) const
{
    found = false;
    return {};
}

QCPRange DenseLines::getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const
{
    found = false;
    return {};
}

void DenseLines::draw(QCPPainter* painter)
{
    if (m_lines.empty())
        return;
    const QRect area = keyAxis()->axisRect()->rect();
    std::vector<PixelLine> curves;
    // The axes' own conversion takes longer than all else.
    const double left = keyAxis()->coordToPixel(keyAxis()->range().lower);
    const double perX =
        (keyAxis()->coordToPixel(keyAxis()->range().upper) - left) / keyAxis()->range().size();
    const double bottom = valueAxis()->coordToPixel(valueAxis()->range().lower);
    const double perY =
        (valueAxis()->coordToPixel(valueAxis()->range().upper) - bottom) / valueAxis()->range().size();
    const bool isLinear = valueAxis()->scaleType() == QCPAxis::stLinear;
    const auto yOf = [&](double y) {
        return isLinear ? bottom + (y - valueAxis()->range().lower) * perY : valueAxis()->coordToPixel(y);
    };
    for (const Line& line : m_lines) {
        PixelLine& pixels = curves.emplace_back();
        pixels.reserve(line.points.size());
        for (const PlotPoint& point : line.points) {
            const bool isGap = std::isnan(point.y);
            const double y =
                isGap ? point.y : std::clamp(yOf(point.y), area.top() - 1.0, area.bottom() + 1.0);
            pixels.push_back({left + (point.x - keyAxis()->range().lower) * perX, y});
        }
    }
    const auto spans = visibleSpans(curves, area.left(), area.right());
    painter->setAntialiasing(false);
    for (std::size_t i = 0; i < spans.size(); ++i) {
        painter->setPen(QPen(m_lines[i].color, 1));
        painter->drawLines(spans[i].data(), static_cast<int>(spans[i].size()));
    }
}

} // namespace athanor
