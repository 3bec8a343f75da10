#include "engine/train/session_control.h"

namespace athanor {
namespace {

bool isTerminal(SessionState state)
{
    return state == SessionState::Finished || state == SessionState::Failed;
}

} // namespace

void SessionControl::post(SessionCommand command)
{
    if (std::holds_alternative<command::Stop>(command))
        m_stop.request_stop();
    {
        const std::lock_guard lock(m_mutex);
        m_commands.push_back(std::move(command));
    }
    m_changed.notify_all();
}

SessionState SessionControl::state() const
{
    const std::lock_guard lock(m_mutex);
    return m_state;
}

SessionEnd SessionControl::end() const
{
    const std::lock_guard lock(m_mutex);
    return m_end;
}

SessionProgress SessionControl::progress() const
{
    const std::lock_guard lock(m_mutex);
    return m_progress;
}

std::vector<Problem> SessionControl::problems() const
{
    const std::lock_guard lock(m_mutex);
    return m_problems;
}

bool SessionControl::wait(std::chrono::milliseconds timeout) const
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_for(lock, timeout, [this] { return isTerminal(m_state); });
}

std::optional<SessionCommand> SessionControl::take(bool block,
                                                   std::optional<std::chrono::system_clock::time_point> until)
{
    std::unique_lock lock(m_mutex);
    if (block && until)
        m_changed.wait_until(lock, *until, [this] { return !m_commands.empty(); });
    else if (block)
        m_changed.wait(lock, [this] { return !m_commands.empty(); });
    if (m_commands.empty())
        return std::nullopt;
    SessionCommand command = std::move(m_commands.front());
    m_commands.pop_front();
    return command;
}

void SessionControl::setState(SessionState state)
{
    {
        const std::lock_guard lock(m_mutex);
        m_state = state;
    }
    m_changed.notify_all();
}

void SessionControl::finish(SessionState state, SessionEnd end)
{
    {
        const std::lock_guard lock(m_mutex);
        m_state = state;
        m_end = end;
    }
    m_changed.notify_all();
}

void SessionControl::setProgress(const SessionProgress& progress)
{
    const std::lock_guard lock(m_mutex);
    m_progress = progress;
}

void SessionControl::setProblems(std::vector<Problem> problems)
{
    const std::lock_guard lock(m_mutex);
    m_problems = std::move(problems);
}

} // namespace athanor
