// GUI thread. Background work that takes a while, with progress, time left and a way to cancel it.
#pragma once

#include <QAbstractListModel>
#include <QElapsedTimer>
#include <QTimer>

#include <functional>
#include <vector>

namespace athanor {

using TaskId = int;

/// What is going on in the background. A task shows up when it has lasted kShowAfterMilliseconds, so quick
/// work does not flicker. Whoever does the work begins, reports and ends the task.
class TaskList : public QAbstractListModel {
    Q_OBJECT
public:
    static constexpr int kShowAfterMilliseconds = 300;
    enum Role { ProgressRole = Qt::UserRole + 1, SecondsLeftRole, CanCancelRole, IdRole };

    explicit TaskList(QObject* parent = nullptr);

    /// `cancel` is called at most once, on the GUI thread; empty: the task cannot be cancelled.
    TaskId begin(const QString& title, std::function<void()> cancel = {});
    void setProgress(TaskId id, double fraction); ///< 0 to 1; negative: not known
    void end(TaskId id);                          ///< unknown ids are ignored
    void cancel(TaskId id);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    /// Qt::DisplayRole: the title; ProgressRole: −1 to 1; SecondsLeftRole: −1 = unknown; CanCancelRole.
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

private:
    struct Task {
        TaskId id = 0;
        QString title;
        double progress = -1;
        QElapsedTimer age;
        std::function<void()> cancel;
    };
    void showDueTasks();
    [[nodiscard]] int rowOf(TaskId id) const; ///< −1: not shown (yet)

    std::vector<Task> m_waiting; ///< not shown yet
    std::vector<Task> m_shown;
    QTimer m_timer;
    TaskId m_lastId = 0;
};

} // namespace athanor
