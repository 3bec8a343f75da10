// GUI thread. Checks snapshots of the project on a worker thread, the newest only.
#pragma once

#include "ui/bridge/newest_worker.h"
#include "ui/bridge/project_document.h"

namespace athanor {

class ProjectDocument::Checker {
public:
    /// `snapshot` and `deliver` are called on the GUI thread.
    Checker(std::chrono::milliseconds delay, std::function<Project()> snapshot,
            std::function<void(ProjectCheck)> deliver);

    void request() { m_worker.request(); }
    [[nodiscard]] bool isBusy() const { return m_worker.isBusy(); }
    void setFunction(CheckFunction function) { m_function = std::move(function); }

private:
    struct Job {
        Project project;
        CheckFunction function;
    };

    CheckFunction m_function;
    NewestWorker<Job, ProjectCheck> m_worker;
};

} // namespace athanor
