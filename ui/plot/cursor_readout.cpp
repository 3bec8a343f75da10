#include "ui/plot/cursor_readout.h"

#include "ui/theme/theme.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>

#include <algorithm>

namespace athanor {
namespace {

constexpr int kSwatchWidth = 12;
constexpr int kSwatchRoom = kSwatchWidth + spacing::kInside;
constexpr int kLineGap = 2;

struct BoxLayout {
    QString head;
    int shownRows = 0;
    int lineHeight = 0;
    QRect box;
};

BoxLayout layoutOf(const CursorReadout& readout, const QFontMetrics& metrics, const QRect& area, double cursorX)
{
    BoxLayout layout;
    layout.lineHeight = metrics.height() + kLineGap;
    const int lines = (area.height() - 4 * spacing::kInside) / layout.lineHeight;
    const int rows = static_cast<int>(readout.rows.size());
    const int notes = static_cast<int>(readout.notes.size());
    layout.shownRows = std::clamp(lines - 1 - notes, 0, rows);
    layout.head = readout.head;
    if (layout.shownRows < rows) {
        layout.head += QStringLiteral("  ") + QCoreApplication::translate("athanor::CursorReadout", "(%n more)", nullptr,
                                                                          rows - layout.shownRows);
    }
    int width = metrics.horizontalAdvance(layout.head);
    for (int i = 0; i < layout.shownRows; ++i) {
        const CursorReadout::Row& row = readout.rows[static_cast<std::size_t>(i)];
        width = std::max(width, kSwatchRoom + metrics.horizontalAdvance(row.label) + spacing::kAround +
                                    metrics.horizontalAdvance(row.value));
    }
    for (const QString& note : readout.notes)
        width = std::max(width, metrics.horizontalAdvance(note));
    const QSize size(std::min(width + 2 * spacing::kBetween, area.width()),
                     (1 + layout.shownRows + notes) * layout.lineHeight + 2 * spacing::kInside);
    const int x = static_cast<int>(cursorX);
    const bool onTheRight = x < area.center().x();
    const int left = onTheRight ? x + spacing::kBetween : x - spacing::kBetween - size.width();
    layout.box = QRect(QPoint(std::clamp(left, area.left(), std::max(area.left(), area.right() - size.width())),
                              area.top() + spacing::kInside),
                       size);
    return layout;
}

} // namespace

QStringList CursorReadout::lines() const
{
    QStringList lines{head};
    for (const Row& row : rows)
        lines << row.label + QStringLiteral(": ") + row.value;
    return lines + notes;
}

void paintReadout(QPainter& painter, const Theme& theme, const CursorReadout& readout, const QRect& area,
                  double cursorX)
{
    const QFont font = theme.font(FontRole::Small);
    const QFontMetrics metrics(font);
    const BoxLayout layout = layoutOf(readout, metrics, area, cursorX);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.color(ColorRole::Border), 1));
    painter.setBrush(theme.color(ColorRole::Surface));
    painter.drawRoundedRect(QRectF(layout.box).adjusted(0.5, 0.5, -0.5, -0.5), spacing::kRadius, spacing::kRadius);
    painter.setRenderHint(QPainter::Antialiasing, false);

    painter.setFont(font);
    QRect line = layout.box.adjusted(spacing::kBetween, spacing::kInside, -spacing::kBetween, 0);
    line.setHeight(layout.lineHeight);
    painter.setPen(theme.color(ColorRole::Muted));
    painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft, layout.head);
    for (int i = 0; i < layout.shownRows; ++i) {
        const CursorReadout::Row& row = readout.rows[static_cast<std::size_t>(i)];
        line.translate(0, layout.lineHeight);
        painter.setPen(QPen(row.color, 2, row.style));
        painter.drawLine(line.left(), line.center().y(), line.left() + kSwatchWidth, line.center().y());
        painter.setPen(theme.color(ColorRole::Text));
        painter.drawText(line.adjusted(kSwatchRoom, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, row.label);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight, row.value);
    }
    painter.setPen(theme.color(ColorRole::Warn));
    for (const QString& note : readout.notes) {
        line.translate(0, layout.lineHeight);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(note, Qt::ElideRight, line.width()));
    }
}

} // namespace athanor
