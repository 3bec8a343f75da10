#include "ui/compare/scatter_view.h"

#include "ui/theme/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <cmath>

namespace athanor {
namespace {

constexpr double kLeft = 74;
constexpr double kRight = 24;
constexpr double kTop = 30;
constexpr double kBottom = 44;
constexpr double kReach = 10;
constexpr double kDot = 4.5;

} // namespace

ScatterView::ScatterView(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("scatterView"));
    setAccessibleName(tr("A setting against the metric"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

QSize ScatterView::minimumSizeHint() const
{
    return {280, 200};
}

void ScatterView::setRuns(std::vector<QString> names, std::vector<QColor> colors)
{
    m_names = std::move(names);
    m_colors = std::move(colors);
    m_x = {};
    m_y = {};
    m_current = -1;
    update();
}

void ScatterView::setAxes(ParallelAxis x, ParallelAxis y, const QString& remark)
{
    m_x = std::move(x);
    m_y = std::move(y);
    m_remark = remark;
    setAccessibleDescription(remark);
    update();
}

void ScatterView::setCurrent(int run)
{
    m_current = run;
    update();
}

std::optional<QPointF> ScatterView::pointOf(std::size_t run) const
{
    if (run >= m_x.places.size() || run >= m_y.places.size() || !m_x.places[run] || !m_y.places[run])
        return std::nullopt;
    return QPointF(kLeft + *m_x.places[run] * (width() - kLeft - kRight),
                   height() - kBottom - *m_y.places[run] * (height() - kTop - kBottom));
}

void ScatterView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(rect(), m_theme.color(ColorRole::Raised));
    painter.setFont(m_theme.font(FontRole::Small));
    const QFontMetricsF metrics(painter.font());
    const double right = width() - kRight;
    const double bottom = height() - kBottom;
    painter.setPen(QPen(m_theme.color(ColorRole::Border), 1));
    painter.drawLine(QPointF(kLeft - kDot, bottom + kDot), QPointF(right, bottom + kDot));
    painter.drawLine(QPointF(kLeft - kDot, bottom + kDot), QPointF(kLeft - kDot, kTop));
    painter.setPen(m_theme.color(ColorRole::Muted));
    const double below = bottom + kDot + 4;
    painter.drawText(QRectF(kLeft - kDot, below, 120, metrics.height()), Qt::AlignLeft, m_x.lowest);
    painter.drawText(QRectF(right - 120, below, 120, metrics.height()), Qt::AlignRight, m_x.highest);
    for (const auto& [place, text] : m_x.marks)
        painter.drawText(QRectF(kLeft + place * (right - kLeft) - 60, below, 120, metrics.height()),
                         Qt::AlignHCenter, text);
    const double beside = kLeft - kDot - 6;
    painter.drawText(QRectF(0, bottom - metrics.height() / 2, beside, metrics.height()), Qt::AlignRight,
                     m_y.lowest);
    painter.drawText(QRectF(0, kTop - metrics.height() / 2, beside, metrics.height()), Qt::AlignRight,
                     m_y.highest);
    painter.setPen(m_theme.color(ColorRole::Text));
    const double middle = right - kLeft;
    painter.drawText(QRectF(kLeft, height() - metrics.height() - 4, middle, metrics.height()),
                     Qt::AlignHCenter,
                     metrics.elidedText(m_x.isLogarithmic ? tr("%1 (log)").arg(m_x.title) : m_x.title,
                                        Qt::ElideMiddle, middle));
    painter.drawText(QRectF(spacing::kBetween, 4, width() - 2 * spacing::kBetween, metrics.height()),
                     Qt::AlignLeft, m_y.title);
    painter.setPen(m_theme.color(ColorRole::Muted));
    painter.drawText(QRectF(spacing::kBetween, 4, width() - 2 * spacing::kBetween, metrics.height()),
                     Qt::AlignRight, m_remark);
    for (std::size_t run = 0; run < m_names.size(); ++run) {
        const auto point = pointOf(run);
        if (!point)
            continue;
        const bool isCurrent = static_cast<int>(run) == m_current;
        painter.setPen(isCurrent ? QPen(m_theme.color(ColorRole::Text), 2) : QPen(Qt::NoPen));
        painter.setBrush(m_colors[run]);
        painter.drawEllipse(*point, isCurrent ? kDot + 1.5 : kDot, isCurrent ? kDot + 1.5 : kDot);
    }
}

void ScatterView::mousePressEvent(QMouseEvent* event)
{
    int best = -1;
    double nearest = kReach;
    for (std::size_t run = 0; run < m_names.size(); ++run) {
        const auto point = pointOf(run);
        const QPointF away = point ? event->position() - *point : QPointF();
        if (point && std::hypot(away.x(), away.y()) < nearest) {
            nearest = std::hypot(away.x(), away.y());
            best = static_cast<int>(run);
        }
    }
    setCurrent(best);
    Q_EMIT currentChanged(best);
}

} // namespace athanor
