#include "ui/data/class_bars.h"

#include "ui/bridge/text_format.h"
#include "ui/data/table_view.h"
#include "ui/theme/theme.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kNameWidth = 140;
constexpr int kBarWidth = 120;
constexpr int kCountWidth = 56;
constexpr int kHistogramHeight = 120;
constexpr ColorRole kPartColors[] = {ColorRole::Series1, ColorRole::Series2, ColorRole::Series3};

QString partName(std::size_t part)
{
    const QString names[] = {ClassBars::tr("train"), ClassBars::tr("val"), ClassBars::tr("test")};
    return names[part];
}

} // namespace

ClassBars::ClassBars(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("classBars"));
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void ClassBars::setClasses(const std::vector<PreviewClasses>& classes)
{
    m_rows.clear();
    for (const PreviewClasses& field : classes)
        addField(field);
    setMinimumHeight(sizeHint().height());
    setMinimumWidth(sizeHint().width());
    QStringList spoken;
    for (const Row& row : m_rows)
        if (!row.heading)
            spoken.append(tr("%1: %2").arg(row.name, countText(row.count[0])));
    setAccessibleName(tr("Class counts: %1").arg(spoken.mid(0, 20).join(QStringLiteral(", "))));
    updateGeometry();
    update();
}

void ClassBars::addField(const PreviewClasses& classes)
{
    std::size_t rows = classes.names.size();
    std::array<std::int64_t, 3> most{};
    for (std::size_t part = 0; part < 3; ++part) {
        rows = std::max(rows, classes.counts[part].size());
        if (!classes.counts[part].empty())
            most[part] = *std::max_element(classes.counts[part].begin(), classes.counts[part].end());
    }
    Row heading{QString::fromStdString(classes.field), true, {}, {}};
    if (rows > kMostRows)
        heading.name = tr("%1 (the first %2 of %3 classes)")
                           .arg(heading.name, countText(kMostRows), countText(static_cast<std::int64_t>(rows)));
    for (std::size_t part = 0; part < 3; ++part)
        heading.share[part] = classes.counts[part].empty() ? -1 : 1;
    m_rows.push_back(heading);
    for (std::size_t i = 0; i < std::min(rows, kMostRows); ++i) {
        Row row;
        row.name = i < classes.names.size() ? QString::fromStdString(classes.names[i]) : QString::number(i);
        for (std::size_t part = 0; part < 3; ++part) {
            if (classes.counts[part].empty())
                continue;
            row.count[part] = i < classes.counts[part].size() ? classes.counts[part][i] : 0;
            row.share[part] = most[part] > 0
                                  ? static_cast<double>(row.count[part]) / static_cast<double>(most[part])
                                  : 0;
        }
        m_rows.push_back(row);
    }
}

int ClassBars::rowHeight() const
{
    return QFontMetrics(m_theme.font(FontRole::Small)).height() + spacing::kInside;
}

QSize ClassBars::sizeHint() const
{
    return {kNameWidth + 3 * (kBarWidth + kCountWidth) + 2 * spacing::kBetween,
            static_cast<int>(m_rows.size()) * rowHeight() + 2 * spacing::kBetween};
}

void ClassBars::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    painter.setFont(m_theme.font(FontRole::Small));
    const int height = rowHeight();
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const QRect line(spacing::kBetween, spacing::kBetween + static_cast<int>(i) * height, width(), height);
        if (!line.intersects(event->rect()))
            continue;
        const Row& row = m_rows[i];
        painter.setPen(m_theme.color(row.heading ? ColorRole::Muted : ColorRole::Text));
        const int nameWidth = kNameWidth - spacing::kBetween;
        painter.drawText(QRect(line.left(), line.top(), nameWidth, height), Qt::AlignVCenter | Qt::AlignLeft,
                         painter.fontMetrics().elidedText(row.name, Qt::ElideMiddle, nameWidth));
        int left = line.left() + kNameWidth;
        for (std::size_t part = 0; part < 3; ++part) {
            if (row.share[part] < 0)
                continue;
            if (row.heading) {
                painter.drawText(QRect(left, line.top(), kBarWidth, height), Qt::AlignVCenter | Qt::AlignLeft,
                                 partName(part));
            } else {
                const int bar = static_cast<int>(row.share[part] * kBarWidth);
                painter.fillRect(QRect(left, line.top() + 2, std::max(bar, row.count[part] > 0 ? 1 : 0), height - 4),
                                 m_theme.color(kPartColors[part]));
                painter.setPen(m_theme.color(row.count[part] == 0 ? ColorRole::Warn : ColorRole::Text));
                painter.drawText(QRect(left + bar + spacing::kInside, line.top(), kCountWidth, height),
                                 Qt::AlignVCenter | Qt::AlignLeft, countText(row.count[part]));
            }
            left += kBarWidth + kCountWidth;
        }
    }
}

HistogramView::HistogramView(const Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme)
{
    setObjectName(QStringLiteral("histogramView"));
    setAccessibleName(tr("Histogram"));
    setMinimumHeight(kHistogramHeight);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void HistogramView::setFacts(TensorFacts facts)
{
    m_facts = std::move(facts);
    update();
}

void HistogramView::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_facts.histogram.empty())
        return;
    const int line = QFontMetrics(m_theme.font(FontRole::Small)).height();
    const QRect bars = rect().adjusted(0, 0, 0, -line - spacing::kInside);
    drawHistogram(painter, bars, m_facts.histogram, m_theme.color(ColorRole::Series1));
    painter.setPen(m_theme.color(ColorRole::Border));
    painter.drawLine(bars.left(), bars.bottom() + 1, bars.right(), bars.bottom() + 1);
    painter.setFont(m_theme.font(FontRole::Small));
    painter.setPen(m_theme.color(ColorRole::Muted));
    painter.drawText(rect(), Qt::AlignLeft | Qt::AlignBottom, numberText(m_facts.least));
    painter.drawText(rect(), Qt::AlignRight | Qt::AlignBottom, numberText(m_facts.greatest));
}

} // namespace athanor
