// GUI thread. The scrolling grid that plots stand in: one to three columns by width, order by drag.
#pragma once

#include <QScrollArea>

#include <vector>

namespace athanor {

class MetricPlot;
class Theme;

class PlotGrid : public QScrollArea {
    Q_OBJECT
public:
    explicit PlotGrid(Theme& theme, QWidget* parent = nullptr);

    /// In the order of the grid; the grid takes them as children, those no longer named are only unparented.
    void setPlots(const std::vector<MetricPlot*>& plots);
    [[nodiscard]] int columnCount() const;
    void reveal(MetricPlot* plot);

    /// While a plot is dragged to this point: shows where it would go.
    void showDropAt(const QPoint& globalPosition);
    /// The plot that one dropped there would stand before; nullptr: at the end.
    [[nodiscard]] MetricPlot* plotBehind(const QPoint& globalPosition) const;
    void hideDrop();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    class Surface;
    void place();
    [[nodiscard]] std::size_t placeAt(const QPoint& globalPosition) const;

    Theme& m_theme;
    Surface* m_surface;
    std::vector<MetricPlot*> m_plots;
};

} // namespace athanor
