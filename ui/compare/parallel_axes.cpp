#include "ui/compare/parallel_axes.h"

#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr double kTop = 40;
constexpr double kBottom = 26;
constexpr double kSide = 70;
constexpr double kReach = 8;
constexpr double kSpanOfLog = 1000;
constexpr int kStepBackOpacity = 60;

double distanceToSegment(const QPointF& point, const QPointF& a, const QPointF& b)
{
    const QPointF along = b - a;
    const double length = QPointF::dotProduct(along, along);
    const double share =
        length > 0 ? std::clamp(QPointF::dotProduct(point - a, along) / length, 0.0, 1.0) : 0;
    const QPointF away = point - (a + share * along);
    return std::hypot(away.x(), away.y());
}

} // namespace

ParallelAxis numberAxis(const QString& title, const std::vector<std::optional<double>>& values)
{
    ParallelAxis axis;
    axis.title = title;
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (const auto& value : values) {
        if (!value || !std::isfinite(*value))
            continue;
        low = std::min(low, *value);
        high = std::max(high, *value);
    }
    axis.isLogarithmic = low > 0 && high / low >= kSpanOfLog;
    const auto scaled = [&axis](double value) { return axis.isLogarithmic ? std::log10(value) : value; };
    for (const auto& value : values) {
        if (!value || !std::isfinite(*value))
            axis.places.emplace_back();
        else
            axis.places.emplace_back(
                high > low ? (scaled(*value) - scaled(low)) / (scaled(high) - scaled(low)) : 0.5);
    }
    if (low <= high) {
        axis.lowest = high > low ? numberText(low) : QString();
        axis.highest = numberText(high);
    }
    return axis;
}

ParallelAxis choiceAxis(const QString& title, const std::vector<std::optional<QString>>& values)
{
    ParallelAxis axis;
    axis.title = title;
    QStringList choices;
    for (const auto& value : values)
        if (value && !choices.contains(*value))
            choices << *value;
    choices.sort();
    const auto placeOf = [&choices](const QString& value) {
        return choices.size() > 1
                   ? static_cast<double>(choices.indexOf(value)) / static_cast<double>(choices.size() - 1)
                   : 0.5;
    };
    for (const auto& value : values)
        axis.places.push_back(value ? std::optional(placeOf(*value)) : std::nullopt);
    for (const QString& choice : choices)
        axis.marks.emplace_back(placeOf(choice), choice);
    return axis;
}

ParallelAxes::ParallelAxes(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("parallelAxes"));
    setAccessibleName(tr("Settings and metric of the runs"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize ParallelAxes::minimumSizeHint() const
{
    return {360, 200};
}

void ParallelAxes::setRuns(std::vector<QString> names, std::vector<QColor> colors)
{
    m_names = std::move(names);
    m_colors = std::move(colors);
    m_current = -1;
    update();
}

void ParallelAxes::setAxes(std::vector<ParallelAxis> axes)
{
    m_axes = std::move(axes);
    update();
}

double ParallelAxes::xOf(std::size_t axis) const
{
    const double width = this->width() - 2 * kSide;
    return m_axes.size() < 2
               ? this->width() / 2.0
               : kSide + width * static_cast<double>(axis) / static_cast<double>(m_axes.size() - 1);
}

double ParallelAxes::yOf(double place) const
{
    return height() - kBottom - place * (height() - kTop - kBottom);
}

QPointF ParallelAxes::pointOf(std::size_t axis, std::size_t run) const
{
    return {xOf(axis), yOf(m_axes[axis].places[run].value_or(0))};
}

void ParallelAxes::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.color(ColorRole::Raised));
    painter.setFont(m_theme.font(FontRole::Small));
    const QFontMetricsF metrics(painter.font());
    for (std::size_t pass = 0; pass < 2; ++pass) { // the current run over the others
        for (std::size_t run = 0; run < m_names.size(); ++run) {
            const bool isCurrent = static_cast<int>(run) == m_current;
            if (isCurrent != (pass == 1))
                continue;
            QColor color = m_colors[run];
            if (m_current >= 0 && !isCurrent)
                color.setAlpha(kStepBackOpacity);
            painter.setPen(QPen(color, isCurrent ? 3 : 1.5));
            for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
                if (!m_axes[axis].places[run])
                    continue;
                painter.setBrush(color);
                painter.drawEllipse(pointOf(axis, run), 2, 2);
                painter.setBrush(Qt::NoBrush);
                if (axis + 1 < m_axes.size() && m_axes[axis + 1].places[run])
                    painter.drawLine(pointOf(axis, run), pointOf(axis + 1, run));
            }
        }
    }
    const double room = m_axes.size() < 2 ? width() : xOf(1) - xOf(0);
    const auto drawText = [&](double x, double y, const QString& text, ColorRole role) {
        const QString shown = metrics.elidedText(text, Qt::ElideMiddle, room - spacing::kBetween);
        const QRectF box(x - room / 2, y, room, metrics.height());
        QColor ground = m_theme.color(ColorRole::Raised);
        ground.setAlpha(200); // lines run behind the texts
        painter.fillRect(metrics.boundingRect(box, Qt::AlignHCenter, shown), ground);
        painter.setPen(m_theme.color(role));
        painter.drawText(box, Qt::AlignHCenter | Qt::AlignTop, shown);
    };
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis) {
        const ParallelAxis& one = m_axes[axis];
        painter.setPen(QPen(m_theme.color(ColorRole::Border), 1));
        painter.drawLine(QPointF(xOf(axis), yOf(0)), QPointF(xOf(axis), yOf(1)));
        drawText(xOf(axis), 2, one.isLogarithmic ? tr("%1 (log)").arg(one.title) : one.title,
                 ColorRole::Text);
        drawText(xOf(axis), kTop - metrics.height() - 2, one.highest, ColorRole::Muted);
        drawText(xOf(axis), height() - kBottom + 2, one.lowest, ColorRole::Muted);
        for (const auto& [place, text] : one.marks)
            drawText(xOf(axis), yOf(place) - metrics.height() - 1, text, ColorRole::Muted);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.color(ColorRole::Accent), 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

int ParallelAxes::runAt(const QPointF& position) const
{
    int best = -1;
    double nearest = kReach;
    for (std::size_t run = 0; run < m_names.size(); ++run) {
        for (std::size_t axis = 0; axis + 1 < m_axes.size(); ++axis) {
            if (!m_axes[axis].places[run] || !m_axes[axis + 1].places[run])
                continue;
            const double distance = distanceToSegment(position, pointOf(axis, run), pointOf(axis + 1, run));
            if (distance < nearest) {
                nearest = distance;
                best = static_cast<int>(run);
            }
        }
    }
    return best;
}

void ParallelAxes::setCurrent(int run)
{
    m_current = run;
    setToolTip(run < 0 ? QString() : m_names[static_cast<std::size_t>(run)]);
    update();
}

void ParallelAxes::choose(int run)
{
    if (run == m_current)
        return;
    setCurrent(run);
    Q_EMIT currentChanged(run);
}

void ParallelAxes::mousePressEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton)
        choose(runAt(event->position()));
}

void ParallelAxes::keyPressEvent(QKeyEvent* event)
{
    const int count = static_cast<int>(m_names.size());
    if (count > 0 && (event->key() == Qt::Key_Down || event->key() == Qt::Key_Right))
        choose((m_current + 1) % count);
    else if (count > 0 && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Left))
        choose((std::max(m_current, 0) + count - 1) % count);
    else
        QWidget::keyPressEvent(event);
}

} // namespace athanor
