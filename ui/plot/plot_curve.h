// GUI thread. One curve of a MetricPlot; only its own .cpp files include this.
#pragma once

#include "ui/plot/curve_data.h"
#include "ui/plot/qcustomplot_wrap.h"
#include "ui/plot/series_source.h"

#include <QColor>
#include <QString>

#include <memory>
#include <optional>
#include <string>

namespace athanor {

struct PlotCurve {
    std::shared_ptr<SeriesSource> source;
    std::string series;
    QString label;
    QColor color;
    Qt::PenStyle style = Qt::SolidLine;
    bool isShown = true;

    std::optional<SeriesIndex> index; ///< nullopt until the run has registered the series
    std::uint64_t version = 0;        ///< of `view`
    SeriesView view;
    std::optional<HistoryWindow> history;
    CurveDrawing drawing;

    // owned by the canvas
    QCPGraph* line = nullptr;
    QCPGraph* smoothed = nullptr;
    QCPGraph* dots = nullptr; ///< points that no line shows, or all points when they are few

    [[nodiscard]] QString name() const { return QString::fromStdString(series); }
    [[nodiscard]] bool isStale() const
    {
        const auto found = index ? index : source->find(series);
        return found && source->version(*found) != version;
    }
};

/// Labels that tell the names apart: what all have in common at their ends is left out ("train", "val" for
/// train/loss and val/loss; "conv1.weight" for grad_norm/conv1.weight).
std::vector<QString> distinguishingLabels(const std::vector<std::string>& names);

} // namespace athanor
