#include "ui/plot/plot_viewport.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kSmallestWidth = 2;  // steps
constexpr double kAirAtTheEnds = 0.01; // of the run, so that the newest point is not cut by the frame

} // namespace

void PlotViewport::setScale(ValueScale scale)
{
    m_scale = scale;
    m_yIsChosen = false;
}

void PlotViewport::setDataSteps(double first, double last)
{
    m_data = {first, last};
    if (m_mode == RangeMode::Follow)
        m_x = wholeX();
}

void PlotViewport::setVisibleValues(double minimum, double maximum)
{
    if (m_mode == RangeMode::Fixed || m_yIsChosen)
        return;
    m_y = paddedRange(minimum, maximum, m_scale);
}

void PlotViewport::follow()
{
    m_mode = RangeMode::Follow;
    m_yIsChosen = false;
    m_x = wholeX();
}

void PlotViewport::fix()
{
    m_mode = RangeMode::Fixed;
}

void PlotViewport::showX(const AxisRange& range)
{
    if (!startZoom() || !std::isfinite(range.width()))
        return;
    const AxisRange whole = wholeX();
    const double width = std::clamp(range.width(), std::min(kSmallestWidth, whole.width()), whole.width());
    const double middle = (range.from + range.to) / 2;
    const double from = std::clamp(middle - width / 2, whole.from, whole.to - width);
    m_x = {from, from + width};
}

void PlotViewport::showY(const AxisRange& range)
{
    const bool isUsable = std::isfinite(range.from) && std::isfinite(range.to) && range.to > range.from &&
                          std::isnormal(range.width()) && (m_scale == ValueScale::Linear || range.from > 0);
    if (!isUsable || !startZoom())
        return;
    m_yIsChosen = true;
    m_y = range;
}

void PlotViewport::zoomX(double factor, double anchor)
{
    showX(zoomedRange(m_x, factor, anchor, ValueScale::Linear));
}

void PlotViewport::zoomY(double factor, double anchor)
{
    showY(zoomedRange(m_y, factor, anchor, m_scale));
}

void PlotViewport::panX(double share)
{
    showX(pannedRange(m_x, share, ValueScale::Linear));
}

void PlotViewport::panY(double share)
{
    showY(pannedRange(m_y, share, m_scale));
}

AxisRange PlotViewport::wholeX() const
{
    const double width = std::max(kSmallestWidth, m_data.width());
    const double air = width * kAirAtTheEnds;
    const double spare = (width - m_data.width()) / 2; // a single point stands in the middle
    return {m_data.from - spare - air, m_data.to + spare + air};
}

bool PlotViewport::startZoom()
{
    if (m_mode == RangeMode::Fixed)
        return false;
    m_mode = RangeMode::Zoomed;
    return true;
}

} // namespace athanor
