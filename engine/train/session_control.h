// Any thread. What the session's owner and its thread share: commands, state, progress.
#pragma once

#include "engine/train/session.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

namespace athanor {

class SessionControl {
public:
    // --- owner ---
    void post(SessionCommand command);
    [[nodiscard]] SessionState state() const;
    [[nodiscard]] SessionEnd end() const;
    [[nodiscard]] SessionProgress progress() const;
    [[nodiscard]] std::vector<Problem> problems() const;
    bool wait(std::chrono::milliseconds timeout) const;

    // --- session thread ---
    /// The next command that waits; with `block` it is waited for, `until` a time if there is one.
    std::optional<SessionCommand> take(bool block,
                                       std::optional<std::chrono::system_clock::time_point> until = std::nullopt);
    void setState(SessionState state);
    /// The last change of state.
    void finish(SessionState state, SessionEnd end);
    void setProgress(const SessionProgress& progress);
    void setProblems(std::vector<Problem> problems);

    /// Requested as soon as Stop is posted, so that waiting for data or compiling ends at once.
    [[nodiscard]] std::stop_token stopToken() const { return m_stop.get_token(); }

private:
    std::stop_source m_stop;
    mutable std::mutex m_mutex; // guards all below
    mutable std::condition_variable m_changed;
    std::deque<SessionCommand> m_commands;
    SessionState m_state = SessionState::Idle;
    SessionEnd m_end = SessionEnd::None;
    SessionProgress m_progress;
    std::vector<Problem> m_problems;
};

} // namespace athanor
