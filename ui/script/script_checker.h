// GUI thread, with one worker thread inside. Compiles and tries a draft while it is typed.
#pragma once

#include "engine/train/script/script_typer.h"
#include "ui/script/script_draft.h"

#include <QObject>
#include <QTimer>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

namespace athanor {

/// Drafts are checked a moment after the last change, the newest only: an older check is told to give up and
/// its answer is dropped. A thread of its own, so that the project's checks do not wait for a draft's loop.
class ScriptChecker : public QObject {
    Q_OBJECT
public:
    explicit ScriptChecker(QObject* parent, std::chrono::milliseconds delay = std::chrono::milliseconds(200));
    ~ScriptChecker() override; ///< tells a running check to give up and waits for it

    void request(ScriptDraft draft, ScriptInputs inputs);
    [[nodiscard]] bool isBusy() const { return m_requested != m_delivered; }

Q_SIGNALS:
    void checked(const athanor::ScriptReport& report);

private:
    struct Job {
        std::uint64_t generation = 0;
        ScriptDraft draft;
        ScriptInputs inputs;
    };
    void handOver();
    void work(const std::stop_token& stop);
    void receive(std::uint64_t generation, const ScriptReport& report);

    QTimer m_timer;
    Job m_next;
    std::uint64_t m_requested = 0;
    std::uint64_t m_delivered = 0;
    std::atomic<std::uint64_t> m_newest{0}; ///< m_requested, for the worker
    std::mutex m_mutex;                     ///< guards m_job
    std::condition_variable_any m_wake;
    std::optional<Job> m_job;
    std::jthread m_thread; ///< last: joined before what it uses goes
};

} // namespace athanor
