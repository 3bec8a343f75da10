#include "ui/graph/schedule_sketch.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr int kHeight = 132;
constexpr int kCurveWidth = 1; // wider lines are many times slower to draw
constexpr double kLogarithmicFrom = 100; // highest rate over the lowest
constexpr std::int64_t kMostSteps = 5'000'000; // the curve walks every step: this many take some milliseconds
constexpr std::size_t kPoints = 1000;
constexpr int kReadingRadius = 3;
constexpr int kCaptionLines = 2; // in the narrowest inspector

/// Four digits, as the box of the running rate has it: 1e-3 · 0.7 · 0.7 is to be read as 0.00049.
QString rateText(double rate)
{
    return QString::number(rate, 'g', 4);
}

} // namespace

ScheduleSketch::ScheduleSketch(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("scheduleSketch"));
    setAccessibleName(tr("Learning rate over the whole run"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize ScheduleSketch::sizeHint() const
{
    return {200, kHeight + kCaptionLines * fontMetrics().height()};
}

void ScheduleSketch::showSchedule(const TrainSpec& training, std::int64_t stepsPerEpoch)
{
    const std::int64_t steps = training.steps.value_or(training.epochs.value_or(kStandardEpochs) * stepsPerEpoch);
    Asked asked{training.schedulers, training.optimizer, stepsPerEpoch, steps};
    setVisible(!training.schedulers.empty());
    if (m_asked == asked)
        return;
    compute(training, asked);
    m_asked = std::move(asked);
    m_read.reset();
    setAccessibleDescription(caption());
    update();
}

void ScheduleSketch::compute(const TrainSpec& training, const Asked& asked)
{
    m_curve = {};
    m_reason.clear();
    if (asked.stepsPerEpoch <= 0) {
        m_reason = tr("Drawn when the data can be opened: until then the number of steps is not known.");
        return;
    }
    if (asked.steps > kMostSteps) {
        m_reason = tr("Runs of more than %1 steps are not drawn here.").arg(countText(kMostSteps));
        return;
    }
    const auto curve = previewSchedule(training, asked.stepsPerEpoch, asked.steps, kPoints);
    if (!curve) {
        m_reason = QString::fromStdString(curve.error().message);
        return;
    }
    if (!std::ranges::all_of(curve->rates, [](double rate) { return std::isfinite(rate); })) {
        m_reason = tr("The schedule makes a learning rate that is not a finite number.");
        return;
    }
    m_curve = *curve;
    const auto [low, high] = std::ranges::minmax(m_curve.rates);
    m_isLogarithmic = low > 0 && high / low > kLogarithmicFrom;
    m_low = m_isLogarithmic ? low : std::min(0.0, low);
    m_high = high > m_low ? high : m_low + 1;
}

QString ScheduleSketch::caption() const
{
    if (!m_reason.isEmpty() || m_curve.steps.empty())
        return m_reason;
    if (m_read) {
        const std::int64_t step = m_curve.steps[*m_read];
        const double epoch = static_cast<double>(step) / static_cast<double>(m_asked->stepsPerEpoch);
        QString text = tr("Step %1, epoch %2: %3")
                           .arg(countText(step), QString::number(epoch, 'f', 2), rateText(m_curve.rates[*m_read]));
        if (!m_curve.momenta.empty())
            text += tr(", momentum %1").arg(QString::number(m_curve.momenta[*m_read], 'g', 3));
        return text;
    }
    const auto highest = std::ranges::max_element(m_curve.rates);
    const std::int64_t at = m_curve.steps[static_cast<std::size_t>(highest - m_curve.rates.begin())];
    return tr("%1 at first, at most %2 (step %3), %4 at the end")
        .arg(rateText(m_curve.rates.front()), rateText(*highest), countText(at), rateText(m_curve.rates.back()));
}

QRectF ScheduleSketch::plotArea() const
{
    const QFontMetricsF small(m_theme.font(FontRole::Small));
    const double left = std::max(small.horizontalAdvance(rateText(m_high)), small.horizontalAdvance(rateText(m_low))) + spacing::kBetween;
    const double lines = (1 + kCaptionLines) * small.height() + 2 * spacing::kInside; // steps and caption
    return QRectF(rect()).adjusted(left, small.height() / 2, -spacing::kInside, -lines);
}

double ScheduleSketch::level(double rate) const
{
    if (m_isLogarithmic)
        return std::log(rate / m_low) / std::log(m_high / m_low);
    return (rate - m_low) / (m_high - m_low);
}

QPointF ScheduleSketch::pointAt(std::size_t index, const QRectF& area) const
{
    const auto first = static_cast<double>(m_curve.steps.front());
    const double extent = std::max(1.0, static_cast<double>(m_curve.steps.back()) - first);
    return {area.left() + (static_cast<double>(m_curve.steps[index]) - first) / extent * area.width(),
            area.bottom() - level(m_curve.rates[index]) * area.height()};
}

void ScheduleSketch::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    painter.setFont(m_theme.font(FontRole::Small));
    painter.setPen(m_theme.color(ColorRole::Muted));
    if (m_curve.steps.empty()) {
        painter.drawText(rect(), Qt::AlignVCenter | Qt::AlignLeft | Qt::TextWordWrap, caption());
        return;
    }
    const QRectF area = plotArea();
    paintCurve(painter, area);
    if (m_read)
        paintReading(painter, area);
    const QFontMetricsF small(painter.font());
    const QRectF below(0, height() - kCaptionLines * small.height(), width(), kCaptionLines * small.height());
    painter.setPen(m_theme.color(m_read ? ColorRole::Text : ColorRole::Muted));
    painter.drawText(below, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, caption());
    if (hasFocus()) {
        painter.setPen(m_theme.color(ColorRole::Accent));
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

void ScheduleSketch::paintCurve(QPainter& painter, const QRectF& area) const
{
    const QFontMetricsF small(painter.font());
    const QRectF left(0, 0, area.left() - spacing::kInside, small.height());
    painter.drawText(left.translated(0, area.top() - small.height() / 2), Qt::AlignRight | Qt::AlignVCenter, rateText(m_high));
    painter.drawText(left.translated(0, area.bottom() - small.height() / 2), Qt::AlignRight | Qt::AlignVCenter, rateText(m_low));
    const QRectF steps(area.left(), area.bottom() + spacing::kInside / 2, area.width(), small.height());
    painter.drawText(steps, Qt::AlignLeft | Qt::AlignVCenter, countText(m_curve.steps.front()));
    painter.drawText(steps, Qt::AlignRight | Qt::AlignVCenter, tr("step %1").arg(countText(m_curve.steps.back())));
    if (m_isLogarithmic)
        painter.drawText(steps, Qt::AlignHCenter | Qt::AlignVCenter, tr("log scale"));
    painter.setPen(m_theme.color(ColorRole::Grid));
    painter.drawLine(area.topLeft(), area.topRight());
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.seriesColor(0), kCurveWidth));
    QPolygonF line;
    for (std::size_t i = 0; i < m_curve.steps.size(); ++i)
        line << pointAt(i, area);
    painter.drawPolyline(line);
}

void ScheduleSketch::paintReading(QPainter& painter, const QRectF& area) const
{
    const QPointF at = pointAt(*m_read, area);
    painter.setPen(m_theme.color(ColorRole::Muted));
    painter.drawLine(QPointF(at.x(), area.top()), QPointF(at.x(), area.bottom()));
    painter.setBrush(m_theme.seriesColor(0));
    painter.drawEllipse(at, kReadingRadius, kReadingRadius);
}

void ScheduleSketch::read(std::optional<std::size_t> index)
{
    m_read = index;
    setAccessibleDescription(caption());
    update();
}

void ScheduleSketch::mouseMoveEvent(QMouseEvent* event)
{
    if (m_curve.steps.empty())
        return;
    const QRectF area = plotArea();
    std::size_t nearest = 0;
    for (std::size_t i = 1; i < m_curve.steps.size(); ++i) {
        const double x = event->position().x();
        if (std::abs(pointAt(i, area).x() - x) < std::abs(pointAt(nearest, area).x() - x))
            nearest = i;
    }
    read(nearest);
}

void ScheduleSketch::leaveEvent(QEvent* /*event*/)
{
    read(std::nullopt);
}

void ScheduleSketch::keyPressEvent(QKeyEvent* event)
{
    const bool isArrow = event->key() == Qt::Key_Left || event->key() == Qt::Key_Right;
    if (!isArrow || m_curve.steps.empty())
        return QWidget::keyPressEvent(event);
    const std::size_t last = m_curve.steps.size() - 1;
    const std::size_t stride = event->modifiers().testFlag(Qt::ControlModifier) ? std::max<std::size_t>(1, last / 20) : 1;
    const std::size_t now = m_read.value_or(0);
    if (event->key() == Qt::Key_Left)
        read(now - std::min(now, stride));
    else
        read(m_read ? std::min(last, now + stride) : 0);
}

void ScheduleSketch::focusOutEvent(QFocusEvent* event)
{
    read(std::nullopt);
    QWidget::focusOutEvent(event);
}

} // namespace athanor
