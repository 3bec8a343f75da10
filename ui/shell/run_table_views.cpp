// The saved views of RunTable: a filter with its columns and its order, under a name.
#include "ui/shell/run_filter_box.h"
#include "ui/shell/run_table.h"

#include <QHeaderView>
#include <QInputDialog>
#include <QMenu>
#include <QSettings>
#include <QTableView>

namespace athanor {
namespace {

constexpr auto kViewsKey = "runs/views";

} // namespace

void RunTable::fillViewsMenu()
{
    m_viewsMenu->clear();
    const QVariantMap views = m_settings.value(kViewsKey).toMap();
    for (auto view = views.begin(); view != views.end(); ++view)
        connect(m_viewsMenu->addAction(view.key()), &QAction::triggered, this,
                [this, name = view.key()] { showView(name); });
    if (!views.isEmpty())
        m_viewsMenu->addSeparator();
    connect(m_viewsMenu->addAction(tr("Save this view…")), &QAction::triggered, this, &RunTable::saveView);
    if (views.isEmpty())
        return;
    QMenu* remove = m_viewsMenu->addMenu(tr("Remove"));
    for (auto view = views.begin(); view != views.end(); ++view)
        connect(remove->addAction(view.key()), &QAction::triggered, this, [this, name = view.key()] {
            QVariantMap left = m_settings.value(kViewsKey).toMap();
            left.remove(name);
            m_settings.setValue(kViewsKey, left);
        });
}

void RunTable::saveView()
{
    bool isGiven = false;
    const QString name = QInputDialog::getText(this, tr("Save view"), tr("Name of the view:"),
                                               QLineEdit::Normal, m_box->text(), &isGiven)
                             .trimmed();
    if (!isGiven || name.isEmpty())
        return;
    const QHeaderView* header = m_table->horizontalHeader();
    QVariantMap views = m_settings.value(kViewsKey).toMap();
    views[name] =
        QVariantMap{{QStringLiteral("filter"), m_box->text()},
                    {QStringLiteral("columns"), shownColumns()},
                    {QStringLiteral("extra"), m_model.extraColumns()},
                    {QStringLiteral("sort"),
                     m_model.headerData(header->sortIndicatorSection(), Qt::Horizontal, Qt::DisplayRole)},
                    {QStringLiteral("falling"), header->sortIndicatorOrder() == Qt::DescendingOrder}};
    m_settings.setValue(kViewsKey, views);
}

void RunTable::showView(const QString& name)
{
    const QVariantMap view = m_settings.value(kViewsKey).toMap().value(name).toMap();
    showColumns(view.value(QStringLiteral("columns")).toStringList(),
                view.value(QStringLiteral("extra")).toStringList());
    m_box->setText(view.value(QStringLiteral("filter")).toString());
    for (int column = 0; column < m_model.columnCount(); ++column)
        if (m_model.headerData(column, Qt::Horizontal, Qt::DisplayRole) == view.value(QStringLiteral("sort")))
            m_table->sortByColumn(column, view.value(QStringLiteral("falling")).toBool()
                                              ? Qt::DescendingOrder
                                              : Qt::AscendingOrder);
}

} // namespace athanor
