// GUI thread. The mouse and keys on a plot's canvas, as movements of what it shows.
#pragma once

#include <functional>

namespace athanor {

class PlotCanvas;
class PlotViewport;

/// Wheel, selected ranges and panning move `viewport`; `changed` is called after each. Both live in one plot.
void steerViewport(PlotCanvas& canvas, PlotViewport& viewport, const std::function<void()>& changed);

} // namespace athanor
