// GUI thread. What several tests of plots share.
#pragma once

#include "engine/metrics/series_store.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/series_source.h"
#include "ui/theme/theme.h"

#include <QTest>

#include <functional>
#include <memory>

namespace athanor {

/// A run of this process whose samples the test appends by hand.
class HandFedRun {
public:
    HandFedRun() : m_store(std::make_shared<SeriesStore>()), m_source(std::make_shared<LiveSeriesSource>(m_store)) {}

    SeriesIndex add(const std::string& name, const std::string& unit = {}, SeriesRole role = SeriesRole::Essential)
    {
        m_store->addSeries({name, unit, role});
        return static_cast<SeriesIndex>(m_store->seriesCount() - 1);
    }
    void append(SeriesIndex series, std::int64_t step, double value)
    {
        const Sample sample{series, step, value};
        m_store->append({&sample, 1});
    }
    void fill(SeriesIndex series, std::int64_t from, std::int64_t to, const std::function<double(std::int64_t)>& value)
    {
        std::vector<Sample> samples;
        for (std::int64_t step = from; step <= to; ++step)
            samples.push_back({series, step, value(step)});
        m_store->append(samples);
    }
    [[nodiscard]] std::shared_ptr<const SeriesStore> store() const { return m_store; }
    [[nodiscard]] std::shared_ptr<SeriesSource> source() const { return m_source; }

private:
    std::shared_ptr<SeriesStore> m_store;
    std::shared_ptr<SeriesSource> m_source;
};

/// Draws the plot as its clock would, and waits for the queued replot.
inline void drawNow(MetricPlot& plot)
{
    const int before = plot.canvas()->replotCount();
    plot.refresh();
    QTRY_VERIFY(plot.canvas()->replotCount() > before);
}

/// The canvas position of a place in data coordinates.
inline QPoint positionOf(const MetricPlot& plot, double step, double value)
{
    return {static_cast<int>(plot.canvas()->xAxis->coordToPixel(step)),
            static_cast<int>(plot.canvas()->yAxis->coordToPixel(value))};
}

inline void turnWheel(QWidget& widget, const QPoint& position, int notches, Qt::KeyboardModifiers modifiers = {})
{
    QWheelEvent event(QPointF(position), widget.mapToGlobal(QPointF(position)), QPoint(), QPoint(0, 120 * notches),
                      Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(&widget, &event);
}

inline void movePointer(QWidget& widget, const QPoint& to, Qt::MouseButtons buttons = Qt::NoButton,
                        Qt::KeyboardModifiers modifiers = {})
{
    QMouseEvent move(QEvent::MouseMove, QPointF(to), widget.mapToGlobal(QPointF(to)), Qt::NoButton, buttons, modifiers);
    QCoreApplication::sendEvent(&widget, &move);
}

inline void drag(QWidget& widget, const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {})
{
    QTest::mousePress(&widget, Qt::LeftButton, modifiers, from);
    for (int i = 1; i <= 4; ++i)
        movePointer(widget, from + (to - from) * i / 4, Qt::LeftButton, modifiers);
    QTest::mouseRelease(&widget, Qt::LeftButton, modifiers, to);
}

} // namespace athanor
