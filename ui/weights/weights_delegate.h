// GUI thread. The editor of a cell that names a tensor of the file.
#pragma once

#include <QStyledItemDelegate>

namespace athanor {

/// A box of the tensors that have the row's shape, with an empty entry that goes back to what fits by name; it can be
/// searched by typing a part of a name. Works on a WeightsModel, also behind proxies.
class WeightsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QWidget* createEditor(QWidget* parent, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    void setEditorData(QWidget* editor, const QModelIndex& index) const override;
    void setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const override;
};

} // namespace athanor
