// The plots of MetricsBoard: made, filled, moved, closed, and kept.
#include "ui/bridge/text_format.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/notice_bar.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_clock.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/series_tree.h"
#include "ui/plot/step_cursor.h"

#include <QCryptographicHash>
#include <QSettings>

#include <algorithm>

namespace athanor {
namespace {

/// Settings keys must not hold slashes of a file's path.
QString layoutKey(const QString& project)
{
    const QByteArray hash = QCryptographicHash::hash(project.toUtf8(), QCryptographicHash::Sha1).toHex();
    return QStringLiteral("board/layouts/") + QString::fromLatin1(hash);
}

} // namespace

std::vector<MetricPlot*> MetricsBoard::plots() const
{
    std::vector<MetricPlot*> plots;
    for (const PlotSpec& spec : m_layout.plots()) {
        if (const auto found = m_plots.find(spec.id); found != m_plots.end())
            plots.push_back(found->second);
    }
    return plots;
}

void MetricsBoard::fillPlots()
{
    for (const PlotSpec& spec : m_layout.plots()) {
        const PlotContents contents = contentsOf(spec, m_infos);
        if (contents.series.empty())
            continue;
        const auto found = m_plots.find(spec.id);
        MetricPlot* plot = found != m_plots.end() ? found->second : makePlot(spec);
        fillPlot(*plot, spec, contents);
    }
    arrangePlots();
}

void MetricsBoard::fillPlot(MetricPlot& plot, const PlotSpec& spec, const PlotContents& contents)
{
    plot.setTitle(contents.title, contents.unit);
    if (contents.matching > contents.series.size()) {
        plot.setRemark(tr("%1 of %2").arg(contents.series.size()).arg(countText(static_cast<std::int64_t>(contents.matching))),
                       tr("There are %1 series of this kind; the tree on the left adds the others.")
                           .arg(countText(static_cast<std::int64_t>(contents.matching))));
    } else {
        plot.setRemark({}, {});
    }
    QStringList wanted;
    for (const std::string& name : contents.series)
        wanted << QString::fromStdString(name);
    if (plot.series() == wanted)
        return;
    plot.clearCurves();
    for (const std::string& name : contents.series)
        plot.addCurve(m_source, name);
    const QSignalBlocker blocker(plot); // what is restored need not be kept again
    for (const QString& name : spec.hiddenSeries)
        plot.setCurveShown(name, false);
}

MetricPlot* MetricsBoard::makePlot(const PlotSpec& spec)
{
    auto* plot = new MetricPlot(m_theme, *m_cursor, this);
    plot->setObjectName(QStringLiteral("plot:") + spec.id);
    plot->canvas()->setWheelNeedsFocus(true);
    plot->setLogarithmic(spec.isLogarithmic);
    plot->setSmoothingSpan(spec.smoothingSpan);
    connect(plot, &MetricPlot::closeRequested, this, [this, id = spec.id] { closePlot(id); });
    connect(plot, &MetricPlot::moveRequested, this, [this, id = spec.id](int places) { movePlot(id, places); });
    connect(plot, &MetricPlot::headerDragged, m_grid, &PlotGrid::showDropAt);
    connect(plot, &MetricPlot::headerDropped, this,
            [this, id = spec.id](const QPoint& position) { dropPlot(id, position); });
    connect(plot, &MetricPlot::optionsChanged, this, [this, id = spec.id] { keepOptions(id); });
    connect(plot, &MetricPlot::seriesActivated, this, &MetricsBoard::selectNodeOf);
    connect(plot, &MetricPlot::markActivated, this, &MetricsBoard::placeActivated);
    connect(plot, &MetricPlot::exportFailed, m_notice, &NoticeBar::showError);
    m_clock->add(plot);
    m_plots.emplace(spec.id, plot);
    return plot;
}

MetricPlot* MetricsBoard::addPlot(const QStringList& series)
{
    const PlotSpec spec = PlotSpec::ofSeries(series);
    if (contentsOf(spec, m_infos).series.empty())
        return nullptr;
    m_layout.add(spec);
    fillPlots();
    updateMarks();
    updateHighlight(false);
    saveLayout();
    MetricPlot* plot = m_plots.at(spec.id);
    m_grid->reveal(plot);
    return plot;
}

void MetricsBoard::removeSeries(const QString& series)
{
    for (const PlotSpec& spec : std::vector(m_layout.plots())) {
        const auto found = m_plots.find(spec.id);
        if (found == m_plots.end() || !found->second->series().contains(series))
            continue;
        if (found->second->series().size() == 1) {
            closePlot(spec.id);
        } else if (spec.isUsers()) {
            PlotSpec* kept = m_layout.find(spec.id);
            kept->series.removeAll(series);
            found->second->removeCurve(series.toStdString());
        } else {
            found->second->setCurveShown(series, false); // a default plot keeps its place for it in the legend
        }
    }
    updatePlotted();
    saveLayout();
}

bool MetricsBoard::shows(const QString& series) const
{
    return std::any_of(m_plots.begin(), m_plots.end(),
                       [&](const auto& entry) { return entry.second->isCurveShown(series); });
}

void MetricsBoard::showSeries(const QString& series)
{
    for (MetricPlot* plot : plots()) {
        if (!plot->series().contains(series))
            continue;
        if (!plot->isCurveShown(series))
            plot->setCurveShown(series, true);
        m_grid->reveal(plot);
        return;
    }
    addPlot({series});
}

void MetricsBoard::closePlot(const QString& id)
{
    const auto found = m_plots.find(id);
    if (found == m_plots.end())
        return;
    MetricPlot* plot = found->second;
    m_clock->remove(plot);
    m_plots.erase(found);
    m_layout.close(id);
    arrangePlots();
    plot->hide();
    plot->deleteLater(); // its own button may have asked for it
    saveLayout();
}

void MetricsBoard::dropPlot(const QString& id, const QPoint& globalPosition)
{
    m_grid->hideDrop();
    const MetricPlot* behind = m_grid->plotBehind(globalPosition);
    const auto found = std::find_if(m_plots.begin(), m_plots.end(), [&](const auto& entry) { return entry.second == behind; });
    m_layout.move(id, found == m_plots.end() ? QString() : found->first);
    arrangePlots();
    saveLayout();
}

void MetricsBoard::movePlot(const QString& id, int places)
{
    // Among the plots that are shown; the layout may hold others that this run has no series for.
    const std::vector<MetricPlot*> shown = plots();
    const auto at = std::find(shown.begin(), shown.end(), m_plots.at(id)) - shown.begin();
    const auto target = std::clamp<std::ptrdiff_t>(at + (places > 0 ? places + 1 : places), 0,
                                                   static_cast<std::ptrdiff_t>(shown.size()));
    QString before;
    for (const auto& [other, plot] : m_plots) {
        if (target < static_cast<std::ptrdiff_t>(shown.size()) && plot == shown[static_cast<std::size_t>(target)])
            before = other;
    }
    m_layout.move(id, before);
    arrangePlots();
    saveLayout();
}

void MetricsBoard::arrangePlots()
{
    m_grid->setPlots(plots());
    updatePlotted();
}

void MetricsBoard::updatePlotted()
{
    std::set<QString> plotted;
    for (const auto& [id, plot] : m_plots) {
        for (const QString& series : plot->series()) {
            if (plot->isCurveShown(series))
                plotted.insert(series);
        }
    }
    m_tree->setPlotted(plotted);
}

void MetricsBoard::keepOptions(const QString& id)
{
    PlotSpec* spec = m_layout.find(id);
    const auto plot = m_plots.find(id);
    if (spec == nullptr || plot == m_plots.end())
        return;
    spec->isLogarithmic = plot->second->isLogarithmic();
    spec->smoothingSpan = plot->second->smoothingSpan();
    spec->hiddenSeries = plot->second->hiddenSeries();
    updatePlotted();
    saveLayout();
}

void MetricsBoard::clearPlots()
{
    m_grid->setPlots({});
    for (const auto& [id, plot] : m_plots) {
        m_clock->remove(plot);
        delete plot;
    }
    m_plots.clear();
}

void MetricsBoard::resetLayout()
{
    clearPlots();
    m_layout = BoardLayout();
    m_settings.remove(layoutKey(m_projectKey));
    fillPlots();
    updateMarks();
    updateHighlight(false);
}

void MetricsBoard::restoreLayout()
{
    m_layout = BoardLayout::fromJson(m_settings.value(layoutKey(m_projectKey)).toByteArray());
}

void MetricsBoard::saveLayout()
{
    m_settings.setValue(layoutKey(m_projectKey), m_layout.toJson());
}

} // namespace athanor
