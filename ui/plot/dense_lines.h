// GUI thread. Very many dense curves on one canvas; only OverlayPlot's .cpp file includes this.
#pragma once

#include "ui/plot/plot_canvas.h"
#include "ui/plot/series_reduce.h"

#include <QColor>
#include <QLine>

#include <vector>

namespace athanor {

/// Upright pieces of one pixel's width: what is seen of one curve.
using VisibleSpans = std::vector<QLine>;

/// One curve in pixels; NaN y is a gap.
using PixelLine = std::vector<PlotPoint>;

/// What is seen of each curve when later ones cover earlier ones, on columns from `left` to `right`: every pixel once, so
/// that hundreds of curves of noise cost no more than the area they cover.
std::vector<VisibleSpans> visibleSpans(const std::vector<PixelLine>& curves, int left, int right);

/// Draws all curves at once by their visible pixels. Without antialiasing, as fits what is that dense.
class DenseLines : public QCPAbstractPlottable {
public:
    explicit DenseLines(PlotCanvas& canvas); ///< the canvas owns it
    struct Line {
        std::vector<PlotPoint> points; ///< in the axes' coordinates
        QColor color;
    };
    void setLines(std::vector<Line> lines) { m_lines = std::move(lines); }

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }
    QCPRange getKeyRange(bool& found, QCP::SignDomain) const override;
    QCPRange getValueRange(bool& found, QCP::SignDomain, const QCPRange&) const override;

protected:
    void draw(QCPPainter* painter) override;
    void drawLegendIcon(QCPPainter*, const QRectF&) const override {}

private:
    std::vector<Line> m_lines;
};

} // namespace athanor
