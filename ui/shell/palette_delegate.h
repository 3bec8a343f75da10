// GUI thread. A row of the command palette: icon, title with the matched letters bold, detail on the right.
#pragma once

#include <QStyledItemDelegate>

namespace athanor {

class Theme;

class PaletteDelegate final : public QStyledItemDelegate {
public:
    PaletteDelegate(const Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const Theme& m_theme;
};

} // namespace athanor
