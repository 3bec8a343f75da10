// GUI thread. The graphs that marks are drawn with; only MetricPlot's own .cpp files include this.
#pragma once

#include "ui/plot/metric_plot.h"
#include "ui/plot/plot_canvas.h"

namespace athanor {

/// All of them belong to the canvas.
struct MetricPlot::MarkGraphs {
    explicit MarkGraphs(PlotCanvas& canvas);
    void setColors(const Theme& theme);

    QCPGraph* nonFinite;   ///< on the top edge
    QCPGraph* nonPositive; ///< on the bottom edge, logarithmic axis
    QCPGraph* edits;       ///< below the non-finite ones
    QCPGraph* warnings;
    QCPGraph* errors;
    QCPItemText* emptyText; ///< says why nothing is drawn
};

} // namespace athanor
