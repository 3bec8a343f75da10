#include "ui/shell/findings_panel.h"

#include "ui/bridge/findings_model.h"
#include "ui/shell/severity_delegate.h"
#include "ui/theme/theme.h"

#include <QHeaderView>
#include <QLabel>
#include <QStackedLayout>
#include <QTreeView>

namespace athanor {

FindingsPanel::FindingsPanel(Theme& theme, FindingsModel& model, QWidget* parent)
    : QWidget(parent), m_model(model)
{
    m_view = new QTreeView;
    m_view->setObjectName(QStringLiteral("findingsView"));
    m_view->setAccessibleName(tr("Findings"));
    m_view->setModel(&model);
    m_view->setRootIsDecorated(false);
    m_view->setUniformRowHeights(true);
    m_view->setProperty("look", QStringLiteral("bare"));
    m_view->setItemDelegateForColumn(
        FindingsModel::Message, new SeverityDelegate(
                                    [&theme](const QModelIndex& index) {
                                        const int severity = index.data(FindingsModel::SeverityRole).toInt();
                                        return severityIcon(theme, static_cast<Severity>(severity));
                                    },
                                    m_view));
    m_view->header()->setStretchLastSection(false);
    m_view->header()->setSectionResizeMode(FindingsModel::Message, QHeaderView::Stretch);
    m_view->header()->setSectionResizeMode(FindingsModel::Where, QHeaderView::ResizeToContents);
    m_view->header()->setSectionResizeMode(FindingsModel::Steps, QHeaderView::ResizeToContents);
    connect(m_view, &QTreeView::activated, this,
            [this](const QModelIndex& index) { Q_EMIT findingActivated(index.row()); });

    auto* empty =
        new QLabel(tr("Nothing is wrong. Problems of the project and findings of a run show up here."));
    empty->setProperty("look", QStringLiteral("muted"));
    empty->setAlignment(Qt::AlignCenter);
    empty->setWordWrap(true);
    m_stack = new QStackedLayout(this);
    m_stack->addWidget(empty);
    m_stack->addWidget(m_view);

    connect(&model, &QAbstractItemModel::modelReset, this, &FindingsPanel::updateEmptyState);
    updateEmptyState();
}

void FindingsPanel::updateEmptyState()
{
    m_stack->setCurrentIndex(m_model.rowCount() > 0 ? 1 : 0);
}

} // namespace athanor
