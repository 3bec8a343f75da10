// GUI thread, with a worker thread while a check is on. Reads every sample of the data once.
#pragma once

#include "engine/train/training_session.h"

#include <QObject>

#include <thread>

namespace athanor {

class TaskList;

class DataCheck : public QObject {
    Q_OBJECT
public:
    explicit DataCheck(TaskList& tasks, QObject* parent = nullptr);
    ~DataCheck() override; ///< cancels and joins

    void start(const Project& project); ///< a copy is checked; does nothing while one is on
    void cancel();
    [[nodiscard]] bool isActive() const { return m_task != 0; }

Q_SIGNALS:
    void finished(const athanor::ProjectCheck& check); ///< not after cancel()

private:
    void report(std::int64_t done, std::int64_t all);
    void finish(const ProjectCheck& check, bool cancelled);

    TaskList& m_tasks;
    int m_task = 0;
    std::jthread m_thread;
};

} // namespace athanor
