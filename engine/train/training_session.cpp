#include "engine/train/training_session.h"

#include "engine/script/script_guard.h"
#include "engine/train/session_control.h"
#include "engine/script/torch_errors.h"
#include "engine/train/training_permit.h"
#include "engine/train/training_run.h"

#include <thread>

namespace athanor {
namespace {

/// A stop waits for the step that is on; one whose script's loop does not end is given up after a while.
class StuckScript {
public:
    explicit StuckScript(std::stop_token stop)
        : m_stop(std::move(stop))
    {
    }
    bool operator()()
    {
        constexpr auto kPatience = std::chrono::seconds(5);
        if (!m_stop.stop_requested())
            return false;
        const auto now = std::chrono::steady_clock::now();
        if (!m_asked)
            m_asked = now;
        return now - *m_asked > kPatience;
    }

private:
    std::stop_token m_stop;
    std::optional<std::chrono::steady_clock::time_point> m_asked;
};

class TrainingSession final : public Session {
public:
    TrainingSession(const Project& project, SessionOptions options, MetricStream& stream)
        : m_project(project)
        , m_options(std::move(options))
        , m_stream(stream)
    {
    }

    ~TrainingSession() override
    {
        m_control.post(command::Stop{});
        if (m_thread.joinable())
            m_thread.join();
    }

    void start() override
    {
        if (!m_thread.joinable())
            m_thread = std::jthread([this] { run(); });
    }
    void post(SessionCommand command) override { m_control.post(command); }
    [[nodiscard]] SessionState state() const override { return m_control.state(); }
    [[nodiscard]] SessionEnd end() const override { return m_control.end(); }
    [[nodiscard]] SessionProgress progress() const override { return m_control.progress(); }
    [[nodiscard]] std::vector<Problem> problems() const override { return m_control.problems(); }
    bool wait(std::chrono::milliseconds timeout) override { return m_control.wait(timeout); }

private:
    /// The terminal state is entered when the run and its permit are gone, so that whoever sees it can start
    /// the next run at once.
    void run()
    {
        const RunEnd end = permittedRun();
        m_control.finish(end.state, end.end);
        Event event;
        event.step = end.step;
        event.kind = EventKind::StateChanged;
        event.text = end.text;
        m_stream.event(event);
        m_stream.close();
    }

    RunEnd permittedRun()
    {
        const TrainingPermit permit;
        if (!permit.granted())
            return refuse({ErrorCode::Busy, "Another run is training in this process.", "training",
                           "Wait for its end, or stop it."});
        const ScriptWatch watch(StuckScript(m_control.stopToken()));
        try {
            return TrainingRun(m_project, m_options, m_stream, m_control).execute();
        } catch (...) {
            return refuse(errorFromCurrentException("training"));
        }
    }

    RunEnd refuse(const Error& error)
    {
        Event event;
        event.kind = EventKind::Failed;
        event.text = error.text();
        event.where = error.where;
        m_stream.event(event);
        m_control.setProblems({{error.where, Severity::Error, error.message, error.hint}});
        return {SessionState::Failed, SessionEnd::None, sessionStateName(SessionState::Failed)};
    }

    const Project m_project;
    const SessionOptions m_options;
    MetricStream& m_stream;
    SessionControl m_control;
    std::jthread m_thread;
};

} // namespace

std::string sessionStateName(SessionState state)
{
    switch (state) {
    case SessionState::Idle:
        return "idle";
    case SessionState::Compiling:
        return "compiling";
    case SessionState::Running:
        return "running";
    case SessionState::Paused:
        return "paused";
    case SessionState::Stopping:
        return "stopping";
    case SessionState::Finished:
        return "finished";
    case SessionState::Failed:
        return "failed";
    }
    return "unknown";
}

std::unique_ptr<Session> makeTrainingSession(const Project& project, const SessionOptions& options, MetricStream& stream)
{
    return std::make_unique<TrainingSession>(project, options, stream);
}

} // namespace athanor
