// The drawing half of MetricPlot: from series to graphs.
#include "ui/bridge/text_format.h"
#include "ui/plot/mark_graphs.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_curve.h"
#include "ui/plot/plot_legend.h"
#include "ui/theme/theme.h"

#include <spdlog/spdlog.h>

#include <QLabel>
#include <QTimerEvent>

#include <algorithm>
#include <cmath>
#include <map>

namespace athanor {
namespace {

constexpr int kHistorySlot = 0;
constexpr std::chrono::milliseconds kAskAgainAfter{500}; // the recorder stores about that often
constexpr double kHistoryMargin = 0.5;                   // read beside the visible range, in widths of it
constexpr std::size_t kFewPoints = 400;                  // up to here lines are wider and antialiased
constexpr double kFewPointsWidth = 1.6;                  // wide lines of many points are slow to draw
constexpr double kPixelsPerDot = 12;                     // points at least that far apart get a dot each
constexpr std::size_t kCurvesWithValues = 4;             // more values would only flicker
constexpr std::chrono::milliseconds kLegendEvery{200};   // numbers that change faster cannot be read
constexpr double kMarkRow = 6;                           // px from the edge
constexpr double kEventRow = 17;

QColor blended(const QColor& color, const QColor& ground, double share)
{
    const auto mix = [share](int a, int b) { return static_cast<int>(std::lround(a + (b - a) * share)); };
    return {mix(color.red(), ground.red()), mix(color.green(), ground.green()), mix(color.blue(), ground.blue())};
}

bool startsWith(const std::string& text, const char* start)
{
    return text.rfind(start, 0) == 0;
}

/// "loss" for train/loss and val/loss: what the two parts have in common.
std::string measuredThing(const std::string& series)
{
    for (const char* part : {"train/", "val/", "test/"}) {
        if (startsWith(series, part))
            return series.substr(std::char_traits<char>::length(part));
    }
    return series;
}

QVector<QCPGraphData> graphData(const std::vector<PlotPoint>& points)
{
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(points.size()));
    for (const PlotPoint& point : points)
        data.append(QCPGraphData(point.x, point.y));
    return data;
}

void setMarkData(QCPGraph* graph, const std::vector<double>& steps, double height)
{
    QVector<QCPGraphData> data;
    for (const double step : steps)
        data.append(QCPGraphData(step, height));
    graph->data()->set(data, false);
}

} // namespace

void MetricPlot::updateLooks()
{
    // One measured thing: the parts differ by colour and line; several: each has a colour, its parts the line.
    std::map<std::string, int> things;
    std::map<SeriesSource*, int> runs;
    std::vector<std::string> names;
    for (const auto& curve : m_curves) {
        things.emplace(measuredThing(curve->series), static_cast<int>(things.size()));
        runs.emplace(curve->source.get(), static_cast<int>(runs.size()));
        names.push_back(curve->series);
    }
    const std::vector<QString> labels = distinguishingLabels(names);
    const QColor ground = m_theme.color(ColorRole::Raised);
    const bool someStandOut = std::any_of(m_curves.begin(), m_curves.end(),
                                          [&](const auto& curve) { return m_highlighted.contains(curve->series); });
    for (std::size_t i = 0; i < m_curves.size(); ++i) {
        PlotCurve& curve = *m_curves[i];
        curve.label = runs.size() > 1 ? curve.source->runName() + u' ' + labels[i] : labels[i];
        curve.style = startsWith(curve.series, "val/")    ? Qt::DashLine
                      : startsWith(curve.series, "test/") ? Qt::DotLine
                                                          : Qt::SolidLine;
        const int color = runs.size() > 1     ? runs[curve.source.get()]
                          : things.size() > 1 ? things[measuredThing(curve.series)]
                                              : static_cast<int>(i);
        curve.color = m_theme.seriesColor(color);
        const bool stepsBack = someStandOut && !m_highlighted.contains(curve.series);
        const QColor drawn = stepsBack ? blended(curve.color, ground, 0.75) : curve.color;
        const QColor raw = m_smoothingSpan > 0 ? blended(drawn, ground, 0.6) : drawn;
        curve.line->setPen(QPen(raw, 1, curve.style));
        curve.smoothed->setPen(QPen(drawn, 1, curve.style));
        curve.dots->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(raw, 1), QBrush(raw), 4));
    }
    m_markGraphs->setColors(m_theme);
    const auto paint = [this](QLabel* badge, ColorRole role) {
        QPalette palette = badge->palette();
        palette.setColor(QPalette::WindowText, m_theme.color(role));
        badge->setPalette(palette);
        badge->setFont(m_theme.font(FontRole::Small));
    };
    paint(m_nonFiniteBadge, ColorRole::Bad);
    paint(m_nonPositiveBadge, ColorRole::Warn);
    paint(m_historyBadge, ColorRole::Warn);
    updateLegend();
    changeView();
}

bool MetricPlot::wantsRefresh() const
{
    if (!isVisible() || m_canvas->visibleRegion().isEmpty())
        return false;
    if (m_isDirty || m_drawnColumns != m_canvas->columnCount())
        return true;
    if (m_isLegendStale && isLegendDue())
        return true;
    return std::any_of(m_curves.begin(), m_curves.end(),
                       [](const auto& curve) { return curve->isShown && curve->isStale(); });
}

bool MetricPlot::isLegendDue() const
{
    return !m_sinceLegend.isValid() || m_sinceLegend.hasExpired(kLegendEvery.count());
}

std::chrono::nanoseconds MetricPlot::paintCost() const
{
    return std::chrono::nanoseconds(static_cast<std::int64_t>(m_canvas->replotTime() * 1e6));
}

void MetricPlot::refresh()
{
    m_isDirty = false;
    m_isLegendStale = true;
    m_drawnColumns = m_canvas->columnCount();
    updateViews();
    drawCurves();
    m_canvas->setRanges(m_viewport.x(), m_viewport.y(), m_viewport.scale());
    drawMarks();
    updateBadges();
    if (isLegendDue())
        updateLegend();
    askForHistory();
    updateReadout();
    m_canvas->replot(QCustomPlot::rpQueuedReplot);
}

void MetricPlot::updateViews()
{
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const auto& curve : m_curves) {
        if (!curve->isShown)
            continue;
        if (!curve->index)
            curve->index = curve->source->find(curve->series);
        if (!curve->index)
            continue;
        if (curve->isStale() || curve->view.count == 0) {
            curve->view = curve->source->view(*curve->index);
            curve->version = curve->view.version;
        }
        if (curve->view.count == 0 || curve->view.buckets.empty())
            continue;
        first = std::min(first, static_cast<double>(curve->view.buckets.front().firstStep));
        last = std::max(last, static_cast<double>(curve->view.lastStep));
    }
    if (first <= last)
        m_viewport.setDataSteps(first, last);
}

void MetricPlot::drawCurves()
{
    const AxisRange& x = m_viewport.x();
    const CurveOptions options{{x.from, x.to, m_drawnColumns}, m_viewport.scale(), static_cast<double>(m_smoothingSpan)};
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -minimum;
    for (const auto& curve : m_curves) {
        if (m_viewport.mode() == RangeMode::Follow)
            curve->history.reset();
        curve->drawing = curve->isShown ? drawCurve(curve->view, curve->history ? &*curve->history : nullptr, options)
                                        : CurveDrawing{};
        minimum = std::min(minimum, curve->drawing.raw.minimum);
        maximum = std::max(maximum, curve->drawing.raw.maximum);
        placePoints(*curve);
    }
    m_viewport.setVisibleValues(minimum, maximum);
}

void MetricPlot::placePoints(PlotCurve& curve) const
{
    const ReducedCurve& raw = curve.drawing.raw;
    const bool hasRoomForDots = static_cast<double>(raw.visiblePoints) * kPixelsPerDot <= m_drawnColumns;
    curve.line->data()->set(graphData(raw.line), true);
    const bool hasFewPoints = raw.line.size() <= kFewPoints;
    QPen pen = curve.line->pen();
    pen.setWidthF(hasFewPoints ? kFewPointsWidth : 1);
    curve.line->setPen(pen);
    curve.line->setAntialiased(hasFewPoints);
    curve.smoothed->data()->set(graphData(curve.drawing.smoothed.line), true);
    curve.smoothed->setAntialiased(curve.drawing.smoothed.line.size() <= kFewPoints);
    curve.dots->data()->set(graphData(hasRoomForDots ? raw.line : raw.isolated), true);
    curve.dots->setAntialiasedScatters(true);
}

void MetricPlot::drawMarks()
{
    const PixelColumns columns{m_viewport.x().from, m_viewport.x().to, m_drawnColumns};
    std::vector<double> nonFinite;
    std::vector<double> nonPositive;
    bool hasPoints = false;
    bool hasData = false;
    for (const auto& curve : m_curves) {
        const ReducedCurve& raw = curve->drawing.raw;
        nonFinite.insert(nonFinite.end(), raw.nonFinite.begin(), raw.nonFinite.end());
        nonPositive.insert(nonPositive.end(), raw.nonPositive.begin(), raw.nonPositive.end());
        hasPoints = hasPoints || !raw.line.empty() || !raw.nonFinite.empty() || !raw.nonPositive.empty();
        hasData = hasData || curve->view.count > 0;
    }
    std::sort(nonFinite.begin(), nonFinite.end());
    std::sort(nonPositive.begin(), nonPositive.end());
    setMarkData(m_markGraphs->nonFinite, onePerColumn(nonFinite, columns), 1 - m_canvas->edgeDistance(kMarkRow));
    setMarkData(m_markGraphs->nonPositive, onePerColumn(nonPositive, columns), m_canvas->edgeDistance(kMarkRow));

    std::map<PlotMark::Kind, std::vector<double>> events;
    for (const PlotMark& mark : m_marks)
        events[mark.kind].push_back(static_cast<double>(mark.step));
    const double height = 1 - m_canvas->edgeDistance(kEventRow);
    setMarkData(m_markGraphs->edits, events[PlotMark::Kind::Edit], height);
    setMarkData(m_markGraphs->warnings, events[PlotMark::Kind::Warning], height);
    setMarkData(m_markGraphs->errors, events[PlotMark::Kind::Error], height);

    m_markGraphs->emptyText->setVisible(!hasPoints);
    m_markGraphs->emptyText->setText(hasData ? tr("Nothing in this range; F shows everything") : tr("No values yet"));
}

std::int64_t MetricPlot::nonFiniteCount() const
{
    std::int64_t count = 0;
    for (const auto& curve : m_curves)
        count += curve->isShown ? curve->view.nonFinite : 0;
    return count;
}

std::int64_t MetricPlot::nonPositiveCount() const
{
    std::int64_t count = 0;
    for (const auto& curve : m_curves)
        count += isLogarithmic() && curve->isShown ? curve->view.nonPositive : 0;
    return count;
}

void MetricPlot::updateBadges()
{
    const std::int64_t nonFinite = nonFiniteCount();
    m_nonFiniteBadge->setVisible(nonFinite > 0);
    if (nonFinite > 0) {
        m_nonFiniteBadge->setText(tr("▼ %1 NaN/∞").arg(countText(nonFinite)));
        m_nonFiniteBadge->setToolTip(tr("%1 values of the shown curves are NaN or infinite. Each has a mark on the top "
                                        "edge; they do not count for the range.")
                                         .arg(countText(nonFinite)));
    }
    const std::int64_t nonPositive = nonPositiveCount();
    m_nonPositiveBadge->setVisible(nonPositive > 0);
    if (nonPositive > 0) {
        m_nonPositiveBadge->setText(tr("▲ %1 ≤ 0").arg(countText(nonPositive)));
        m_nonPositiveBadge->setToolTip(tr("A logarithmic axis cannot show %1 values that are zero or negative. They "
                                          "have marks on the bottom edge.")
                                           .arg(countText(nonPositive)));
    }
    m_historyBadge->setVisible(!m_historyError.isEmpty());
    m_historyBadge->setText(tr("coarse"));
    m_historyBadge->setToolTip(m_historyError);
}

void MetricPlot::updateLegend()
{
    std::vector<LegendEntry> entries;
    for (const auto& curve : m_curves) {
        LegendEntry entry{curve->name(),  curve->label,   {}, curve->color, curve->style,
                          curve->isShown, m_highlighted.contains(curve->series)};
        if (m_curves.size() <= kCurvesWithValues && curve->view.count > 0)
            entry.value = numberText(curve->view.lastValue);
        entries.push_back(std::move(entry));
    }
    m_legend->setEntries(entries);
    m_isLegendStale = false;
    m_sinceLegend.start();
}

void MetricPlot::askForHistory()
{
    const bool isCoarse = m_viewport.mode() != RangeMode::Follow &&
                          std::any_of(m_curves.begin(), m_curves.end(), [](const auto& curve) {
                              return curve->isShown && curve->drawing.isCoarse && curve->source->hasHistory();
                          });
    if (!isCoarse)
        return;
    const AxisRange& x = m_viewport.x();
    if (m_askedRange == x) {
        // The newest points are on their way to the store: look again once the recorder has written them.
        if (m_askedSlots.empty() && m_historyError.isEmpty() && !m_askAgain.isActive())
            m_askAgain.start(static_cast<int>(kAskAgainAfter.count()), this);
        return;
    }
    m_askedRange = x;
    const double margin = x.width() * kHistoryMargin;
    std::map<SeriesSource*, RangeQuery> queries;
    for (const auto& curve : m_curves) {
        if (!curve->isShown || !curve->drawing.isCoarse || !curve->source->hasHistory())
            continue;
        RangeQuery& query = queries[curve->source.get()];
        query.series.push_back(curve->series);
        query.from = static_cast<std::int64_t>(std::floor(x.from - margin));
        query.to = static_cast<std::int64_t>(std::ceil(x.to + margin));
        query.columns = static_cast<int>(std::ceil(m_drawnColumns * (1 + 2 * kHistoryMargin)));
    }
    int slot = kHistorySlot;
    for (const auto& [source, query] : queries) {
        m_askedSlots.insert(slot);
        source->requestRange(this, slot, query, [this, slot, query = query, source = source](auto answer) {
            m_askedSlots.erase(slot);
            takeHistory(query, source, std::move(answer));
        });
        ++slot;
    }
}

void MetricPlot::timerEvent(QTimerEvent* event)
{
    if (event->timerId() != m_askAgain.timerId())
        return QFrame::timerEvent(event);
    m_askAgain.stop();
    m_askedRange.reset();
    m_isDirty = true;
}

void MetricPlot::takeHistory(const RangeQuery& query, const SeriesSource* source,
                             Result<std::vector<HistoryWindow>> answer)
{
    m_isDirty = true;
    m_historyError.clear();
    if (!answer) {
        m_historyError = tr("The raw points of this range could not be read: %1")
                             .arg(QString::fromStdString(answer.error().text()));
        spdlog::warn("raw points of a plot: {}", answer.error().text());
        return;
    }
    for (const auto& curve : m_curves) {
        const auto asked = std::find(query.series.begin(), query.series.end(), curve->series);
        if (curve->source.get() == source && asked != query.series.end())
            curve->history = std::move(answer.value()[static_cast<std::size_t>(asked - query.series.begin())]);
    }
}

} // namespace athanor
