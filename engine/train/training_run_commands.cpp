#include "engine/train/training_run.h"

#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

namespace athanor {

bool TrainingRun::boundary(Place place)
{
    while (true) {
        if (place == Place::BetweenSteps && !betweenSteps())
            return false;
        const auto command = m_control.take(m_paused, place == Place::BetweenSteps ? m_stopAt : std::nullopt);
        if (!command && m_paused)
            continue; // the time to stop at
        if (!command)
            return m_end == SessionEnd::None;
        handle(*command);
        if (m_end != SessionEnd::None)
            return false;
        if (std::holds_alternative<command::StepOnce>(*command))
            return true; // one command, one step: what was posted after it waits for the next boundary
    }
}

/// What is done where the weights stand still; false when the run shall end now.
bool TrainingRun::betweenSteps()
{
    if (m_pauseNext)
        pause();
    makeChanges();
    if (m_saveWanted) {
        m_saveWanted = false;
        if (auto status = writeCheckpoint(); !status.ok())
            say(EventKind::Note, status.error().text());
    }
    if (auto status = settleCheckpoint(m_paused); !status.ok()) {
        fail(status.error());
        m_end = SessionEnd::Stopped;
    }
    if (m_stopAt && std::chrono::system_clock::now() >= *m_stopAt && m_end == SessionEnd::None) {
        say(EventKind::Note, "The time to stop at has come.");
        m_end = SessionEnd::Stopped;
        enter(SessionState::Stopping);
    }
    return m_end == SessionEnd::None;
}

void TrainingRun::handle(const SessionCommand& command)
{
    if (std::holds_alternative<command::Pause>(command)) {
        m_singleSteps = 0;
        pause();
    } else if (std::holds_alternative<command::Resume>(command)) {
        m_singleSteps = 0;
        m_paused = m_pauseNext = false;
        enter(SessionState::Running);
    } else if (std::holds_alternative<command::StepOnce>(command)) {
        ++m_singleSteps;
        m_paused = m_pauseNext = false;
        enter(SessionState::Running);
    } else if (std::holds_alternative<command::Stop>(command)) {
        m_end = SessionEnd::Stopped;
        enter(SessionState::Stopping);
    } else if (std::holds_alternative<command::StopAfterEpoch>(command)) {
        m_stopAfterEpoch = true;
        say(EventKind::Note, "The run will stop at the end of the epoch.");
    } else if (std::holds_alternative<command::SaveCheckpoint>(command)) {
        m_saveWanted = true;
    } else if (const auto* rate = std::get_if<command::SetLearningRate>(&command)) {
        m_wishes.push_back({0, "training.optimizer.lr", jsonNumber(rate->value)});
    } else if (const auto* setting = std::get_if<command::ChangeSetting>(&command)) {
        m_wishes.push_back({0, setting->path, setting->value});
    } else if (std::holds_alternative<command::Revert>(command)) {
        m_wishes.push_back({});
    } else if (const auto* stop = std::get_if<command::StopAt>(&command)) {
        const bool isWish = stop->time.time_since_epoch().count() != 0;
        m_stopAt = isWish ? std::optional(stop->time) : std::nullopt;
        say(EventKind::Note, isWish ? fmt::format("The run will stop at {:%Y-%m-%d %H:%M}.",
                                                  fmt::localtime(std::chrono::system_clock::to_time_t(stop->time)))
                                    : "The run no longer stops at a time.");
    }
}

void TrainingRun::pause()
{
    m_pauseNext = false;
    m_paused = true;
    m_sink.transfer();
    m_sink.commit();
    enter(SessionState::Paused);
}

std::vector<double> TrainingRun::rates() const
{
    std::vector<double> rates;
    for (const auto& group : m_parts->optimizer->groups())
        rates.push_back(m_parts->schedule.rate(group.rate));
    return rates;
}

void TrainingRun::enter(SessionState state)
{
    if (state == m_state)
        return;
    m_state = state;
    m_control.setState(state);
    say(EventKind::StateChanged, sessionStateName(state));
}

void TrainingRun::say(EventKind kind, const std::string& text, const std::string& where)
{
    Event event;
    event.step = m_position.step;
    event.kind = kind;
    event.text = text;
    event.where = where;
    m_stream.event(event);
}

void TrainingRun::updateProgress()
{
    SessionProgress progress;
    progress.step = m_position.step;
    progress.epochs = m_epochLimit;
    progress.totalSteps = m_reverted + totalSteps();
    if (m_batches > 0)
        progress.epoch = static_cast<double>(m_position.epoch) +
                         static_cast<double>(m_position.batch) / static_cast<double>(m_batches);
    progress.loss = m_lastLoss;
    m_meter.fill(progress);
    m_control.setProgress(progress);
}

} // namespace athanor
