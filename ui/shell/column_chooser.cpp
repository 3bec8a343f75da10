#include "ui/shell/column_chooser.h"

#include "ui/theme/theme.h"

#include <QDialogButtonBox>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kExtraRole = Qt::UserRole + 1;
constexpr QSize kSize(420, 520);

} // namespace

ColumnChooser::ColumnChooser(const QStringList& own, const QStringList& shown, const QStringList& names,
                             const QStringList& extra, QWidget* parent)
    : QDialog(parent), m_list(new QListWidget)
{
    setObjectName(QStringLiteral("columnChooser"));
    setWindowTitle(tr("Columns"));
    auto* search = new QLineEdit;
    search->setObjectName(QStringLiteral("columnSearch"));
    search->setPlaceholderText(tr("Find a column, parameter or metric"));
    search->setAccessibleName(search->placeholderText());
    search->setClearButtonEnabled(true);
    connect(search, &QLineEdit::textChanged, this, &ColumnChooser::filter);
    m_list->setObjectName(QStringLiteral("columnList"));
    m_list->setAccessibleName(tr("Columns"));
    const auto add = [this](const QString& name, bool isExtra, bool isChecked) {
        auto* item = new QListWidgetItem(name, m_list);
        item->setData(kExtraRole, isExtra);
        item->setCheckState(isChecked ? Qt::Checked : Qt::Unchecked);
    };
    for (const QString& name : own)
        add(name, false, shown.contains(name));
    for (const QString& name : extra)
        add(name, true, true);
    for (const QString& name : names)
        if (!extra.contains(name) && !own.contains(name))
            add(name, true, false);
    auto* buttons = new QDialogButtonBox;
    buttons->addButton(tr("Show these"), QDialogButtonBox::AcceptRole)
        ->setObjectName(QStringLiteral("columnAccept"));
    buttons->addButton(QDialogButtonBox::Cancel);
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(spacing::kBetween);
    layout->addWidget(search);
    layout->addWidget(m_list, 1);
    layout->addWidget(buttons);
    resize(kSize);
}

void ColumnChooser::filter(const QString& text)
{
    for (int row = 0; row < m_list->count(); ++row)
        m_list->item(row)->setHidden(!m_list->item(row)->text().contains(text, Qt::CaseInsensitive));
}

QStringList ColumnChooser::checked(bool isExtra) const
{
    QStringList names;
    for (int row = 0; row < m_list->count(); ++row) {
        const QListWidgetItem* item = m_list->item(row);
        if (item->data(kExtraRole).toBool() == isExtra && item->checkState() == Qt::Checked)
            names << item->text();
    }
    return names;
}

QStringList ColumnChooser::shownColumns() const
{
    return checked(false);
}

QStringList ColumnChooser::extraColumns() const
{
    return checked(true);
}

} // namespace athanor
