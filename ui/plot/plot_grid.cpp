#include "ui/plot/plot_grid.h"

#include "ui/plot/metric_plot.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QScrollBar>
#include <QTimer>

#include <algorithm>
#include <cmath>
#include <optional>

namespace athanor {
namespace {

constexpr int kPlotHeight = 264;
constexpr int kWidthPerColumn = 420;
constexpr int kMaxColumns = 3;
constexpr int kGap = spacing::kBetween;

} // namespace

/// Paints where a dragged plot would go.
class PlotGrid::Surface : public QWidget {
public:
    explicit Surface(const Theme& theme) : m_theme(theme) {}
    void setDropLine(const std::optional<QLine>& line)
    {
        m_dropLine = line;
        update();
    }

protected:
    void paintEvent(QPaintEvent*) override
    {
        if (!m_dropLine)
            return;
        QPainter painter(this);
        painter.setPen(QPen(m_theme.color(ColorRole::Accent), 3));
        painter.drawLine(*m_dropLine);
    }

private:
    const Theme& m_theme;
    std::optional<QLine> m_dropLine;
};

PlotGrid::PlotGrid(Theme& theme, QWidget* parent) : QScrollArea(parent), m_theme(theme), m_surface(new Surface(theme))
{
    setObjectName(QStringLiteral("plotGrid"));
    setAccessibleName(tr("Plots"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn); // its coming and going would change the width
    setFocusPolicy(Qt::NoFocus);
    m_surface->setObjectName(QStringLiteral("plotSurface"));
    setWidget(m_surface);
}

void PlotGrid::setPlots(const std::vector<MetricPlot*>& plots)
{
    for (MetricPlot* plot : m_plots) {
        if (std::find(plots.begin(), plots.end(), plot) == plots.end()) {
            plot->hide();
            plot->setParent(nullptr);
        }
    }
    m_plots = plots;
    for (MetricPlot* plot : m_plots) {
        if (plot->parentWidget() != m_surface)
            plot->setParent(m_surface);
        plot->show();
    }
    // Keyboard order follows the order of the grid.
    for (std::size_t i = 1; i < m_plots.size(); ++i)
        QWidget::setTabOrder(m_plots[i - 1], m_plots[i]);
    place();
}

int PlotGrid::columnCount() const
{
    return std::clamp((viewport()->width() - kGap) / kWidthPerColumn, 1, kMaxColumns);
}

void PlotGrid::place()
{
    const int columns = columnCount();
    const int width = (viewport()->width() - kGap) / columns - kGap;
    for (std::size_t i = 0; i < m_plots.size(); ++i) {
        const int column = static_cast<int>(i) % columns;
        const int row = static_cast<int>(i) / columns;
        m_plots[i]->setGeometry(kGap + column * (width + kGap), kGap + row * (kPlotHeight + kGap), width, kPlotHeight);
    }
    const int rows = (static_cast<int>(m_plots.size()) + columns - 1) / columns;
    m_surface->resize(viewport()->width(), kGap + rows * (kPlotHeight + kGap));
}

void PlotGrid::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    place();
}

void PlotGrid::showEvent(QShowEvent* event)
{
    QScrollArea::showEvent(event);
    place();
}

void PlotGrid::reveal(MetricPlot* plot)
{
    ensureWidgetVisible(plot, 0, kGap);
}

std::size_t PlotGrid::placeAt(const QPoint& globalPosition) const
{
    const QPoint position = m_surface->mapFromGlobal(globalPosition);
    const int columns = columnCount();
    const int cellWidth = std::max(1, (viewport()->width() - kGap) / columns);
    const int row = std::max(0, (position.y() - kGap) / (kPlotHeight + kGap));
    // Beyond the middle of a plot means behind it.
    const int column = std::clamp((position.x() - kGap + cellWidth / 2) / cellWidth, 0, columns);
    return std::min(static_cast<std::size_t>(row * columns + column), m_plots.size());
}

MetricPlot* PlotGrid::plotBehind(const QPoint& globalPosition) const
{
    const std::size_t place = placeAt(globalPosition);
    return place < m_plots.size() ? m_plots[place] : nullptr;
}

void PlotGrid::showDropAt(const QPoint& globalPosition)
{
    if (m_plots.empty())
        return;
    const std::size_t place = placeAt(globalPosition);
    const bool isLast = place == m_plots.size();
    const QRect cell = m_plots[isLast ? place - 1 : place]->geometry();
    const int x = isLast ? cell.right() + kGap / 2 : cell.left() - kGap / 2;
    m_surface->setDropLine(QLine(x, cell.top(), x, cell.bottom()));
    const QPoint inView = viewport()->mapFromGlobal(globalPosition);
    ensureVisible(0, inView.y() + verticalScrollBar()->value(), 0, kGap);
}

void PlotGrid::hideDrop()
{
    m_surface->setDropLine({});
}

} // namespace athanor
