// The export half of MetricPlot: the exact values and the picture of what is shown.
#include "ui/plot/metric_plot.h"
#include "ui/plot/plot_canvas.h"
#include "ui/plot/plot_curve.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QClipboard>

#include <cmath>
#include <map>

namespace athanor {
namespace {

constexpr int kExportSlot = 1000; // beside the slots of the zoom
constexpr int kSwatchWidth = 16;
constexpr int kTitleHeight = 24;
constexpr int kLegendRowHeight = 18;

/// Values that arrive in parts, from the live ring and from one or several stores.
struct Collection {
    std::vector<NamedPoints> values;
    std::size_t waiting = 0;
    std::optional<Error> error;
    std::function<void(Result<std::vector<NamedPoints>>)> done;

    void finishWhenComplete()
    {
        if (waiting > 0)
            return;
        if (error)
            done(*error);
        else
            done(std::move(values));
    }
};

/// The stored points, and after them the live ones that are not stored yet.
SeriesPoints joined(SeriesPoints stored, const SeriesView& view, std::int64_t to)
{
    const std::int64_t last = stored.steps.empty() ? std::numeric_limits<std::int64_t>::min() : stored.steps.back();
    for (const Sample& sample : view.recent) {
        if (sample.step <= last || sample.step > to)
            continue;
        stored.steps.push_back(sample.step);
        stored.values.push_back(sample.value);
    }
    return stored;
}

/// Swatches and labels, wrapped to the width. Returns the height.
int paintLegend(QPainter& painter, const Theme& theme, const std::vector<std::unique_ptr<PlotCurve>>& curves,
                const QRect& area)
{
    const QFontMetrics metrics(theme.font(FontRole::Small));
    QPoint at = area.topLeft();
    for (const auto& curve : curves) {
        if (!curve->isShown)
            continue;
        const int width = kSwatchWidth + 2 * spacing::kInside + metrics.horizontalAdvance(curve->label) + spacing::kBetween;
        if (at.x() > area.left() && at.x() + width > area.right())
            at = QPoint(area.left(), at.y() + kLegendRowHeight);
        const int middle = at.y() + kLegendRowHeight / 2;
        painter.setPen(QPen(curve->color, 2, curve->style, Qt::FlatCap));
        painter.drawLine(at.x(), middle, at.x() + kSwatchWidth, middle);
        painter.setPen(theme.color(ColorRole::Text));
        painter.drawText(QRect(at.x() + kSwatchWidth + spacing::kInside, at.y(), width, kLegendRowHeight),
                         Qt::AlignVCenter | Qt::AlignLeft, curve->label);
        at.rx() += width;
    }
    return at.y() + kLegendRowHeight - area.top();
}

} // namespace

void MetricPlot::collectValues(std::function<void(Result<std::vector<NamedPoints>>)> done)
{
    auto collection = std::make_shared<Collection>();
    collection->done = std::move(done);
    const auto from = static_cast<std::int64_t>(std::ceil(m_viewport.x().from));
    const auto to = static_cast<std::int64_t>(std::floor(m_viewport.x().to));
    std::vector<std::pair<const PlotCurve*, std::size_t>> stored; // curve and its place in the values
    for (const auto& curve : m_curves) {
        if (!curve->isShown)
            continue;
        auto points = rawPoints(curve->view, from, to);
        if (!points && !curve->source->hasHistory())
            collection->error = Error{ErrorCode::NotFound, tr("The older points of this plot are not stored").toStdString(),
                                      curve->series, {}, {}};
        else if (!points)
            stored.emplace_back(curve.get(), collection->values.size());
        collection->values.push_back({curve->series, points.value_or(SeriesPoints{})});
    }
    collection->waiting = collection->error ? 0 : stored.size();
    for (const auto& [curve, place] : stored) {
        if (collection->error)
            break;
        const RangeQuery query{{curve->series}, from, to, 0};
        const auto take = [collection, place = place, view = curve->view, to](Result<std::vector<HistoryWindow>> answer) {
            if (answer)
                collection->values[place].points = joined(std::move(answer.value().front().points), view, to);
            else
                collection->error = answer.error();
            --collection->waiting;
            collection->finishWhenComplete();
        };
        curve->source->requestRange(this, kExportSlot + static_cast<int>(place), query, take);
    }
    if (stored.empty() || collection->error)
        collection->finishWhenComplete();
}

void MetricPlot::paintPicture(QPaintDevice& device, const QSize& size) const
{
    QCPPainter painter;
    if (!painter.begin(&device))
        return;
    painter.setMode(QCPPainter::pmVectorized, dynamic_cast<QPixmap*>(&device) == nullptr);
    painter.setMode(QCPPainter::pmNoCaching);
    painter.fillRect(QRect(QPoint(0, 0), size), m_theme.color(ColorRole::Raised));
    QFont heading = m_theme.font(FontRole::Body);
    heading.setWeight(QFont::DemiBold);
    painter.setFont(heading);
    painter.setPen(m_theme.color(ColorRole::Text));
    const QRect inside = QRect(QPoint(0, 0), size).adjusted(spacing::kBetween, spacing::kInside, -spacing::kBetween, 0);
    painter.drawText(QRect(inside.topLeft(), QSize(inside.width(), kTitleHeight)), Qt::AlignVCenter | Qt::AlignLeft,
                     m_unit.isEmpty() ? m_title : tr("%1 (%2)", "title and unit").arg(m_title, m_unit));
    painter.setFont(m_theme.font(FontRole::Small));
    const int legend = paintLegend(painter, m_theme, m_curves, inside.adjusted(0, kTitleHeight, 0, 0));
    const int top = inside.top() + kTitleHeight + legend;
    painter.translate(0, top);
    m_canvas->toPainter(&painter, size.width(), size.height() - top);
}

void MetricPlot::copyPicture() const
{
    constexpr int kScale = 2;
    QPixmap picture(size() * kScale);
    picture.setDevicePixelRatio(kScale);
    paintPicture(picture, size());
    QApplication::clipboard()->setPixmap(picture);
}

Status MetricPlot::savePicture(const QString& file) const
{
    return writePicture(file, size(), m_title, [this](QPaintDevice& device) { paintPicture(device, size()); });
}

} // namespace athanor
