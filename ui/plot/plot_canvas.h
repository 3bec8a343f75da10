// GUI thread. The drawing area of a MetricPlot: axes, grid, gestures, and the cursor that is painted over it.
#pragma once

#include "ui/plot/cursor_readout.h"
#include "ui/plot/plot_axis.h"
#include "ui/plot/qcustomplot_wrap.h"

#include <optional>

namespace athanor {

class Theme;

/// Knows nothing of series: it reports gestures in data coordinates and is told what ranges to show.
class PlotCanvas : public QCustomPlot {
    Q_OBJECT
public:
    explicit PlotCanvas(Theme& theme, QWidget* parent = nullptr);

    void setRanges(const AxisRange& x, const AxisRange& y, ValueScale scale);
    /// Pixel columns of the drawing area.
    [[nodiscard]] int columnCount() const;
    /// The hidden axis that marks stand on: 0 = bottom edge, 1 = top edge of the drawing area.
    [[nodiscard]] QCPAxis* edgeAxis() const { return yAxis2; }
    /// Distance of `pixels` on that axis.
    [[nodiscard]] double edgeDistance(double pixels) const;

    void setReadout(const std::optional<CursorReadout>& readout);
    [[nodiscard]] const std::optional<CursorReadout>& readout() const { return m_readout; }
    /// The wheel zooms only with the focus here, else it scrolls what is around (with Ctrl it always zooms).
    void setWheelNeedsFocus(bool needsFocus) { m_wheelNeedsFocus = needsFocus; }
    [[nodiscard]] int replotCount() const { return m_replotCount; }

Q_SIGNALS:
    void wheelZoomed(double factor, const QPointF& anchor, Qt::Orientation orientation);
    void rangeSelected(double from, double to, Qt::Orientation orientation);
    void panned(double shareX, double shareY);
    void hovered(double step);
    void pointerLeft();
    void clicked(const QPointF& position);
    void doubleClicked();

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    enum class Gesture { None, SelectX, SelectY, Pan };
    void applyTheme();
    void paintSelection(QPainter& painter) const;
    void paintCursor(QPainter& painter) const;
    [[nodiscard]] QPointF valueAt(const QPointF& position) const;
    [[nodiscard]] QRect area() const;

    Theme& m_theme;
    std::optional<CursorReadout> m_readout;
    Gesture m_gesture = Gesture::None;
    bool m_gestureMoved = false;
    bool m_wheelNeedsFocus = false;
    QPointF m_pressed;
    QPointF m_current;
    int m_replotCount = 0;
};

} // namespace athanor
