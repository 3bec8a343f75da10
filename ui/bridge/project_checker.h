// GUI thread, with one worker thread inside. Checks snapshots of the project, the newest only.
#pragma once

#include "ui/bridge/project_document.h"

#include <QTimer>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace athanor {

/// A request starts (or restarts) a delay; when it is over a snapshot goes to the worker. Each request has
/// a generation number: a check of an older generation is told to give up and its answer is dropped.
class ProjectDocument::Checker {
public:
    /// `snapshot` and `deliver` are called on the GUI thread.
    Checker(std::chrono::milliseconds delay, std::function<Project()> snapshot,
            std::function<void(ProjectCheck)> deliver);
    ~Checker(); ///< tells a running check to give up and waits for it

    void request();
    [[nodiscard]] bool isBusy() const { return m_requested != m_delivered; }
    void setFunction(CheckFunction function) { m_function = std::move(function); }

private:
    struct Job {
        std::uint64_t generation = 0;
        Project project;
        CheckFunction function;
    };
    void handOver();
    void work(const std::stop_token& stop);
    void receive(std::uint64_t generation, const std::shared_ptr<ProjectCheck>& check);

    std::function<Project()> m_snapshot;
    std::function<void(ProjectCheck)> m_deliver;
    CheckFunction m_function;
    QTimer m_timer; ///< also the receiver of the worker's answers
    std::uint64_t m_requested = 0;
    std::uint64_t m_delivered = 0;
    std::atomic<std::uint64_t> m_newest{0}; ///< m_requested, for the worker
    std::mutex m_mutex;                     ///< guards m_job
    std::condition_variable_any m_wake;
    std::optional<Job> m_job;
    std::jthread m_thread; ///< last: joined before what it uses goes
};

} // namespace athanor
