#include "ui/shell/palette_delegate.h"

#include "ui/shell/palette_model.h"
#include "ui/theme/theme.h"

#include <QPainter>
#include <QTextLayout>

namespace athanor {
namespace {

constexpr int kRowHeight = 30;
constexpr int kIconSize = 16;

QTextLayout::FormatRange boldAt(int position)
{
    QTextLayout::FormatRange range;
    range.start = position;
    range.length = 1;
    range.format.setFontWeight(QFont::Bold);
    range.format.setFontUnderline(true);
    return range;
}

void drawTitle(QPainter& painter, const QRect& rect, const QString& title, const std::vector<int>& positions)
{
    QTextLayout layout(painter.fontMetrics().elidedText(title, Qt::ElideRight, rect.width()), painter.font());
    QList<QTextLayout::FormatRange> formats;
    for (const int position : positions) {
        if (position < layout.text().size())
            formats << boldAt(position);
    }
    layout.setFormats(formats);
    layout.beginLayout();
    QTextLine line = layout.createLine();
    line.setLineWidth(rect.width());
    layout.endLayout();
    layout.draw(&painter, QPointF(rect.x(), rect.y() + (rect.height() - line.height()) / 2));
}

} // namespace

PaletteDelegate::PaletteDelegate(const Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent), m_theme(theme)
{}

QSize PaletteDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const
{
    return {option.rect.width(), kRowHeight};
}

void PaletteDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const
{
    const bool isSelected = option.state.testFlag(QStyle::State_Selected);
    painter->save();
    painter->setFont(m_theme.font(FontRole::Body));
    if (isSelected)
        painter->fillRect(option.rect, m_theme.color(ColorRole::Accent));
    QRect rest = option.rect.adjusted(spacing::kBetween, 0, -spacing::kBetween, 0);
    const QRect icon(rest.left(), rest.center().y() - kIconSize / 2, kIconSize, kIconSize);
    index.data(Qt::DecorationRole)
        .value<QIcon>()
        .paint(painter, icon, Qt::AlignCenter, isSelected ? QIcon::Selected : QIcon::Normal);
    rest.setLeft(icon.right() + spacing::kBetween);

    painter->setPen(m_theme.color(isSelected ? ColorRole::AccentText : ColorRole::Muted));
    const QString detail = index.data(PaletteModel::DetailRole).toString();
    painter->drawText(rest, Qt::AlignRight | Qt::AlignVCenter, detail);
    rest.setRight(rest.right() - painter->fontMetrics().horizontalAdvance(detail) - spacing::kBetween);

    painter->setPen(m_theme.color(isSelected ? ColorRole::AccentText : ColorRole::Text));
    drawTitle(*painter, rest, index.data().toString(),
              index.data(PaletteModel::PositionsRole).value<std::vector<int>>());
    painter->restore();
}

} // namespace athanor
