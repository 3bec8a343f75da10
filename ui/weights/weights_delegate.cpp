#include "ui/weights/weights_delegate.h"

#include "ui/weights/weights_model.h"

#include <QComboBox>
#include <QCompleter>
#include <QLineEdit>
#include <QSortFilterProxyModel>

namespace athanor {
namespace {

QStringList candidatesOf(QModelIndex index)
{
    while (const auto* proxy = qobject_cast<const QAbstractProxyModel*>(index.model()))
        index = proxy->mapToSource(index);
    const auto* model = qobject_cast<const WeightsModel*>(index.model());
    return model ? model->candidates(index.row()) : QStringList();
}

} // namespace

QWidget* WeightsDelegate::createEditor(QWidget* parent, const QStyleOptionViewItem& /*option*/, const QModelIndex& index) const
{
    auto* box = new QComboBox(parent);
    box->setObjectName(QStringLiteral("fromEditor"));
    box->setEditable(true);
    box->setInsertPolicy(QComboBox::NoInsert);
    box->addItem(QString());
    box->addItems(candidatesOf(index));
    box->lineEdit()->setPlaceholderText(box->count() > 1 ? tr("as by name") : tr("no tensor of the file has this shape"));
    box->completer()->setCompletionMode(QCompleter::PopupCompletion);
    box->completer()->setFilterMode(Qt::MatchContains);
    connect(box, &QComboBox::activated, this, [this, box] {
        auto* self = const_cast<WeightsDelegate*>(this);
        Q_EMIT self->commitData(box);
        Q_EMIT self->closeEditor(box);
    });
    return box;
}

void WeightsDelegate::setEditorData(QWidget* editor, const QModelIndex& index) const
{
    auto* box = qobject_cast<QComboBox*>(editor);
    box->setCurrentText(index.data(Qt::EditRole).toString());
    box->lineEdit()->selectAll();
}

void WeightsDelegate::setModelData(QWidget* editor, QAbstractItemModel* model, const QModelIndex& index) const
{
    model->setData(index, qobject_cast<QComboBox*>(editor)->currentText(), Qt::EditRole);
}

} // namespace athanor
