#include "engine/train/training_run.h"

#include <spdlog/fmt/fmt.h>

namespace athanor {

bool TrainingRun::boundary(Place place)
{
    while (true) {
        if (place == Place::BetweenSteps) {
            if (m_pauseNext)
                pause();
            if (m_saveWanted) {
                m_saveWanted = false;
                if (auto status = writeCheckpoint(); !status.ok())
                    say(EventKind::Note, status.error().text());
            }
        }
        const auto command = m_control.take(m_paused);
        if (!command)
            return m_end == SessionEnd::None;
        handle(*command);
        if (m_end != SessionEnd::None)
            return false;
        if (std::holds_alternative<command::StepOnce>(*command))
            return true; // one command, one step: what was posted after it waits for the next boundary
    }
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
        setLearningRate(rate->value);
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

void TrainingRun::setLearningRate(double value)
{
    if (!(value >= 0) || value > std::numeric_limits<double>::max())
        return say(EventKind::Note, "A learning rate must be a number that is not negative.", "training/optimizer/lr");
    const double base = m_parts->optimizer->groups().front().rate;
    const double before = m_parts->schedule.rate(base);
    m_parts->schedule.setRate(base, value);
    say(EventKind::SettingChanged, fmt::format("Learning rate {:g} → {:g} from step {} on.", before, value, m_position.step + 1),
        "training/optimizer/lr");
}

std::vector<double> TrainingRun::rates() const
{
    std::vector<double> rates;
    for (const auto& group : m_parts->optimizer->groups())
        rates.push_back(m_parts->schedule.rate(group.rate));
    return rates;
}

Status TrainingRun::checkpointIfDue(bool due)
{
    if (!m_checkpointer.enabled() || !(due || m_checkpointer.bestIsNew()) ||
        (m_checkpointer.lastWritten() == m_position.step && !m_checkpointer.bestIsNew()))
        return Done{};
    return writeCheckpoint();
}

Status TrainingRun::writeCheckpoint()
{
    if (!m_checkpointer.enabled())
        return Error{ErrorCode::InvalidArgument, "This run keeps no checkpoints: no folder was given for them.",
                     "training/checkpoint"};
    const auto start = std::chrono::steady_clock::now();
    Checkpoint checkpoint;
    checkpoint.semanticHash = semanticHash(m_project);
    checkpoint.step = m_position.step;
    checkpoint.epoch = m_position.epoch;
    checkpoint.batch = m_position.batch;
    checkpoint.seconds = m_meter.seconds();
    checkpoint.optimizerKind = m_project.training.optimizer.kind;
    checkpoint.state = stateOf(m_parts->network->module());
    checkpoint.optimizer = m_parts->optimizer->state();
    checkpoint.generators = generatorStates();
    checkpoint.progress = {{"schedule", m_parts->schedule.state()},
                           {"validated_step", m_validatedStep},
                           {"validation_pending", m_validationPending}};
    auto written = m_checkpointer.write(std::move(checkpoint));
    m_meter.addOther(std::chrono::steady_clock::now() - start);
    if (!written.ok())
        return written.error();
    say(EventKind::CheckpointWritten,
        written->best ? fmt::format("Checkpoint of step {}: the best so far, {} {:.4g}.", written->step,
                                    m_project.training.checkpoint.monitor, written->monitored)
                      : fmt::format("Checkpoint of step {}.", written->step),
        written->file.string());
    return Done{};
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
    const auto perEpoch = (m_batches + m_project.training.accumulate - 1) / m_project.training.accumulate;
    progress.totalSteps = m_stepLimit > 0 ? m_stepLimit : m_epochLimit * perEpoch;
    if (m_batches > 0)
        progress.epoch = static_cast<double>(m_position.epoch) +
                         static_cast<double>(m_position.batch) / static_cast<double>(m_batches);
    progress.loss = m_lastLoss;
    m_meter.fill(progress);
    m_control.setProgress(progress);
}

} // namespace athanor
