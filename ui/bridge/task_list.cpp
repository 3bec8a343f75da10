#include "ui/bridge/task_list.h"

#include <algorithm>
#include <utility>

namespace athanor {

TaskList::TaskList(QObject* parent) : QAbstractListModel(parent)
{
    m_timer.setInterval(kShowAfterMilliseconds / 3);
    connect(&m_timer, &QTimer::timeout, this, &TaskList::showDueTasks);
}

TaskId TaskList::begin(const QString& title, std::function<void()> cancel)
{
    Task task{++m_lastId, title, -1, {}, std::move(cancel)};
    task.age.start();
    m_waiting.push_back(std::move(task));
    m_timer.start();
    return m_lastId;
}

void TaskList::showDueTasks()
{
    const auto due = [](const Task& task) { return task.age.hasExpired(kShowAfterMilliseconds); };
    for (auto it = m_waiting.begin(); it != m_waiting.end();) {
        if (!due(*it)) {
            ++it;
            continue;
        }
        beginInsertRows({}, static_cast<int>(m_shown.size()), static_cast<int>(m_shown.size()));
        m_shown.push_back(std::move(*it));
        endInsertRows();
        it = m_waiting.erase(it);
    }
    if (m_waiting.empty())
        m_timer.stop();
}

int TaskList::rowOf(TaskId id) const
{
    const auto found =
        std::find_if(m_shown.begin(), m_shown.end(), [id](const Task& task) { return task.id == id; });
    return found == m_shown.end() ? -1 : static_cast<int>(found - m_shown.begin());
}

void TaskList::setProgress(TaskId id, double fraction)
{
    for (Task& task : m_waiting) {
        if (task.id == id)
            task.progress = fraction;
    }
    const int row = rowOf(id);
    if (row < 0)
        return;
    m_shown[static_cast<std::size_t>(row)].progress = std::min(fraction, 1.0);
    Q_EMIT dataChanged(index(row), index(row), {ProgressRole, SecondsLeftRole});
}

void TaskList::end(TaskId id)
{
    std::erase_if(m_waiting, [id](const Task& task) { return task.id == id; });
    const int row = rowOf(id);
    if (row < 0)
        return;
    beginRemoveRows({}, row, row);
    m_shown.erase(m_shown.begin() + row);
    endRemoveRows();
}

void TaskList::cancel(TaskId id)
{
    const int row = rowOf(id);
    if (row < 0)
        return;
    const auto function = std::exchange(m_shown[static_cast<std::size_t>(row)].cancel, {});
    Q_EMIT dataChanged(index(row), index(row), {CanCancelRole});
    if (function)
        function();
}

int TaskList::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

QVariant TaskList::data(const QModelIndex& index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Task& task = m_shown[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return task.title;
    case ProgressRole:
        return task.progress;
    case SecondsLeftRole: {
        const double passed = static_cast<double>(task.age.elapsed()) / 1000;
        return task.progress > 0.01 ? passed * (1 - task.progress) / task.progress : -1.0;
    }
    case CanCancelRole:
        return static_cast<bool>(task.cancel);
    case IdRole:
        return task.id;
    default:
        return {};
    }
}

} // namespace athanor
