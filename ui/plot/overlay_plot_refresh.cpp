// The drawing half of OverlayPlot: from curves to graphs, to pictures and to values.
#include "ui/bridge/text_format.h"
#include "ui/plot/overlay_parts.h"
#include "ui/plot/plot_legend.h"
#include "ui/theme/theme.h"

#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <map>

namespace athanor {
namespace {

constexpr std::size_t kFewPoints = 400;
constexpr std::size_t kManyCurves = 24;
constexpr std::size_t kDense =
    30'000; // points of all curves: so many take longer than a frame when drawn one by one
constexpr double kFewPointsWidth = 1.6; // wide lines of many points are slow to draw
constexpr std::size_t kCurvesWithValues = 4;
constexpr int kBandOpacity = 45;
constexpr double kMarkRow = 6;

QVector<QCPGraphData> graphData(const std::vector<PlotPoint>& points)
{
    QVector<QCPGraphData> data;
    data.reserve(static_cast<qsizetype>(points.size()));
    for (const PlotPoint& point : points)
        data.append(QCPGraphData(point.x, point.y));
    return data;
}

} // namespace

void OverlayPlot::updateLooks()
{
    for (const auto& one : m_curves) {
        const QColor color = one->curve.color;
        one->line->setPen(QPen(color, 1, one->curve.style));
        one->dots->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color, 1), QBrush(color), 4));
        if (one->high == nullptr)
            continue;
        QColor fill = color;
        fill.setAlpha(kBandOpacity);
        one->low->setPen(Qt::NoPen);
        one->high->setPen(Qt::NoPen);
        one->high->setBrush(fill);
    }
    const QColor bad = m_theme.color(ColorRole::Bad);
    m_marks->nonFinite->setScatterStyle(
        QCPScatterStyle(QCPScatterStyle::ssTriangleInverted, QPen(bad, 1), QBrush(bad), 7));
    m_marks->emptyText->setColor(m_theme.color(ColorRole::Muted));
    m_marks->emptyText->setFont(m_theme.font(FontRole::Body));
    QPalette palette = m_nonFiniteBadge->palette();
    palette.setColor(QPalette::WindowText, bad);
    m_nonFiniteBadge->setPalette(palette);
    m_nonFiniteBadge->setFont(m_theme.font(FontRole::Small));
    m_logButton->setIcon(m_theme.icon(QStringLiteral("log-scale"), ColorRole::Muted));
    m_allButton->setIcon(m_theme.icon(QStringLiteral("fit"), ColorRole::Muted));
    m_saveButton->setIcon(m_theme.icon(QStringLiteral("save"), ColorRole::Muted));
    updateLegend();
    changeView();
}

void OverlayPlot::updateLegend()
{
    std::vector<LegendEntry> entries;
    std::int64_t nonFinite = 0;
    for (const auto& one : m_curves) {
        LegendEntry entry{one->curve.key,   one->curve.label, {},   one->curve.color,
                          one->curve.style, one->isShown,     false};
        if (m_curves.size() <= kCurvesWithValues && !one->curve.curve.empty())
            entry.value = numberText(one->curve.curve.y.back());
        entries.push_back(std::move(entry));
        nonFinite += one->isShown ? one->nonFinite : 0;
    }
    m_legend->setEntries(entries);
    m_nonFiniteBadge->setVisible(nonFinite > 0);
    m_nonFiniteBadge->setText(tr("▼ %1 NaN/∞").arg(countText(nonFinite)));
}

bool OverlayPlot::wantsRefresh() const
{
    return isVisible() && !m_canvas->visibleRegion().isEmpty() &&
           (m_isDirty || m_drawnColumns != m_canvas->columnCount());
}

void OverlayPlot::refresh()
{
    m_isDirty = false;
    m_drawnColumns = m_canvas->columnCount();
    double first = std::numeric_limits<double>::infinity();
    double last = -first;
    for (const auto& one : m_curves) {
        if (!one->isShown || one->curve.curve.empty())
            continue;
        first = std::min(first, one->curve.curve.x.front());
        last = std::max(last, one->curve.curve.x.back());
    }
    if (first <= last)
        m_viewport.setDataSteps(first, last);
    // Of many curves a column of two pixels is what the eye can tell apart; extremes stay.
    const int columnWidth = m_curves.size() > kManyCurves ? 2 : 1;
    const PixelColumns columns{m_viewport.x().from, m_viewport.x().to,
                               std::max(1, m_drawnColumns / columnWidth)};
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -minimum;
    std::vector<double> nonFinite;
    bool hasPoints = false;
    std::size_t points = 0;
    for (const auto& one : m_curves) {
        one->drawing = one->isShown ? one->reduced(columns, m_viewport.scale()) : ReducedCurve{};
        minimum = std::min(minimum, one->drawing.minimum);
        maximum = std::max(maximum, one->drawing.maximum);
        nonFinite.insert(nonFinite.end(), one->drawing.nonFinite.begin(), one->drawing.nonFinite.end());
        hasPoints = hasPoints || !one->drawing.line.empty() || !one->drawing.nonFinite.empty();
        points += one->drawing.line.size();
        const bool hasFewPoints = one->drawing.line.size() <= kFewPoints;
        QPen pen = one->line->pen();
        pen.setWidthF(hasFewPoints ? kFewPointsWidth : 1);
        pen.setStyle(hasFewPoints ? one->curve.style
                                  : Qt::SolidLine); // dashes of a dense curve cannot be seen
        one->line->setPen(pen);
        one->line->setAntialiased(hasFewPoints);
        one->dots->data()->set(
            graphData(one->drawing.visiblePoints < 2 ? one->drawing.line : one->drawing.isolated), true);
        if (one->low == nullptr)
            continue;
        const ReducedCurve low =
            one->isShown ? one->reducedEdge(one->curve.low, columns, m_viewport.scale()) : ReducedCurve{};
        const ReducedCurve high =
            one->isShown ? one->reducedEdge(one->curve.high, columns, m_viewport.scale()) : ReducedCurve{};
        minimum = std::min(minimum, low.minimum);
        maximum = std::max(maximum, high.maximum);
        one->low->data()->set(graphData(low.line), true);
        one->high->data()->set(graphData(high.line), true);
    }
    std::vector<DenseLines::Line> dense;
    for (const auto& one : m_curves) {
        one->line->data()->set(points > kDense ? QVector<QCPGraphData>() : graphData(one->drawing.line),
                               true);
        if (points > kDense)
            dense.push_back({one->drawing.line, one->curve.color});
    }
    m_marks->dense->setLines(std::move(dense));
    m_viewport.setVisibleValues(minimum, maximum);
    std::sort(nonFinite.begin(), nonFinite.end());
    QVector<QCPGraphData> marks;
    for (const double x : onePerColumn(nonFinite, columns))
        marks.append(QCPGraphData(x, 1 - m_canvas->edgeDistance(kMarkRow)));
    m_marks->nonFinite->data()->set(marks, true);
    m_marks->emptyText->setVisible(!hasPoints);
    m_marks->emptyText->setText(m_curves.empty() ? tr("None of the runs has this series")
                                                 : tr("Nothing in this range; F shows everything"));
    m_canvas->setRanges(m_viewport.x(), m_viewport.y(), m_viewport.scale());
    m_canvas->replot(QCustomPlot::rpQueuedReplot);
}

std::chrono::nanoseconds OverlayPlot::paintCost() const
{
    return std::chrono::nanoseconds(static_cast<std::int64_t>(m_canvas->replotTime() * 1e6));
}

void OverlayPlot::showReadout(double x)
{
    CursorReadout readout;
    readout.step = x;
    readout.head = m_canvas->xAxis->label() + u' ' + numberText(x, 6);
    for (const auto& one : m_curves) {
        if (!one->isShown)
            continue;
        CursorReadout::Row row{one->curve.color, one->curve.style, one->curve.label, tr("–"), {}};
        if (const auto point = one->nearest(x)) {
            row.value = numberText(point->y);
            if (std::isfinite(point->y))
                row.point = point;
        }
        readout.rows.push_back(std::move(row));
    }
    m_canvas->setReadout(readout);
}

Status OverlayPlot::savePicture(const QString& file) const
{
    auto* self = const_cast<OverlayPlot*>(this); // drawing changes what is cached, nothing else
    return writePicture(file, size(), m_title, [self](QPaintDevice& device) {
        QPainter painter(&device);
        self->render(&painter);
    });
}

QString OverlayPlot::csv() const
{
    std::map<double, std::vector<QString>> rows;
    QString text = QStringLiteral("x");
    std::size_t column = 0;
    for (const auto& one : m_curves) {
        if (!one->isShown)
            continue;
        QString name = one->curve.label;
        text += QStringLiteral(",\"%1\"").arg(name.replace(u'"', QStringLiteral("\"\"")));
        for (std::size_t i = 0; i < one->curve.curve.x.size(); ++i) {
            std::vector<QString>& row = rows[one->curve.curve.x[i]];
            row.resize(column + 1);
            row[column] = exactText(one->curve.curve.y[i]);
        }
        ++column;
    }
    text += u'\n';
    for (auto& [x, row] : rows) {
        row.resize(column);
        text += exactText(x);
        for (const QString& cell : row)
            text += u',' + cell;
        text += u'\n';
    }
    return text;
}

} // namespace athanor
