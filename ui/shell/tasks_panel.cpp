#include "ui/shell/tasks_panel.h"

#include "ui/bridge/task_list.h"
#include "ui/bridge/text_format.h"
#include "ui/theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <QVBoxLayout>

namespace athanor {
namespace {

constexpr int kProgressScale = 1000;
constexpr int kBarWidth = 200;

} // namespace

class TasksPanel::Row final : public QWidget {
public:
    Row(Theme& theme, TaskList& tasks, TaskId id)
    {
        setObjectName(QStringLiteral("taskRow"));
        m_bar.setFixedWidth(kBarWidth);
        m_bar.setTextVisible(false);
        m_left.setProperty("look", QStringLiteral("muted"));
        m_cancel.setObjectName(QStringLiteral("taskCancel"));
        m_cancel.setIcon(theme.icon(QStringLiteral("close")));
        m_cancel.setToolTip(tr("Cancel"));
        m_cancel.setAccessibleName(tr("Cancel"));
        connect(&m_cancel, &QToolButton::clicked, &tasks, [&tasks, id] { tasks.cancel(id); });
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(spacing::kBetween, spacing::kInside, spacing::kBetween, spacing::kInside);
        layout->setSpacing(spacing::kBetween);
        layout->addWidget(&m_title, 1);
        layout->addWidget(&m_left);
        layout->addWidget(&m_bar);
        layout->addWidget(&m_cancel);
    }

    void showTask(const QModelIndex& task)
    {
        m_title.setText(task.data().toString());
        const double progress = task.data(TaskList::ProgressRole).toDouble();
        const double left = task.data(TaskList::SecondsLeftRole).toDouble();
        m_bar.setRange(0, progress < 0 ? 0 : kProgressScale);
        m_bar.setValue(static_cast<int>(progress * kProgressScale));
        m_left.setText(left >= 0 ? tr("%1 left").arg(durationText(left)) : QString());
        m_cancel.setEnabled(task.data(TaskList::CanCancelRole).toBool());
    }

private:
    QLabel m_title;
    QLabel m_left;
    QProgressBar m_bar;
    QToolButton m_cancel;
};

TasksPanel::TasksPanel(Theme& theme, TaskList& tasks, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_tasks(tasks)
{
    m_empty = new QLabel(tr("Nothing is going on in the background."));
    m_empty->setProperty("look", QStringLiteral("muted"));
    m_empty->setAlignment(Qt::AlignCenter);
    m_rowLayout = new QVBoxLayout;
    m_rowLayout->setSpacing(0);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addLayout(m_rowLayout);
    layout->addWidget(m_empty, 1);
    layout->addStretch();

    connect(&tasks, &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { insertRows(first, last); });
    connect(&tasks, &QAbstractItemModel::rowsRemoved, this,
            [this](const QModelIndex&, int first, int last) { removeRows(first, last); });
    connect(
        &tasks, &QAbstractItemModel::dataChanged, this,
        [this](const QModelIndex& first, const QModelIndex& last) { updateRows(first.row(), last.row()); });
    if (tasks.rowCount() > 0)
        insertRows(0, tasks.rowCount() - 1);
}

void TasksPanel::insertRows(int first, int last)
{
    for (int i = first; i <= last; ++i) {
        const QModelIndex task = m_tasks.index(i);
        auto* row = new Row(m_theme, m_tasks, task.data(TaskList::IdRole).toInt());
        m_rowLayout->insertWidget(i, row);
        m_rows.insert(m_rows.begin() + i, row);
    }
    updateRows(first, last);
    m_empty->hide();
}

void TasksPanel::removeRows(int first, int last)
{
    for (int i = first; i <= last; ++i) {
        // Not at once: it may be the row whose cancel button is being clicked.
        m_rows[static_cast<std::size_t>(i)]->hide();
        m_rows[static_cast<std::size_t>(i)]->deleteLater();
    }
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
    m_empty->setVisible(m_rows.empty());
}

void TasksPanel::updateRows(int first, int last)
{
    for (int i = first; i <= last; ++i)
        m_rows[static_cast<std::size_t>(i)]->showTask(m_tasks.index(i));
}

} // namespace athanor
