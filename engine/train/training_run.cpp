#include "engine/train/training_run.h"

#include "engine/base/log.h"
#include "engine/train/device_batch.h"
#include "engine/train/torch_errors.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace athanor {
namespace {

using Ticks = std::chrono::steady_clock;

double milliseconds(std::chrono::nanoseconds duration)
{
    return std::chrono::duration<double, std::milli>(duration).count();
}

} // namespace

TrainingRun::TrainingRun(const Project& project, const SessionOptions& options, MetricStream& stream,
                         SessionControl& control)
    : m_project(project)
    , m_options(options)
    , m_stream(stream)
    , m_control(control)
    , m_sink(stream)
    , m_checkpointer(project.training, options)
    , m_validateEvery(project.training.validateEvery)
{
}

TrainingRun::~TrainingRun() = default;

RunEnd TrainingRun::execute()
{
    if (prepare())
        train();
    return conclude();
}

void TrainingRun::train()
{
    Status status = m_validationPending ? validate() : Status(Done{});
    while (status.ok() && !over())
        status = runEpoch();
    if (status.ok() && m_end == SessionEnd::None)
        status = validateAtEnd();
    if (status.ok() && m_end == SessionEnd::None)
        m_end = SessionEnd::Completed;
    if (!status.ok() && status.error().code == ErrorCode::Cancelled) {
        m_end = SessionEnd::Stopped; // Stop came while data was waited for, or within a validation
        status = Done{};
    }
    if (status.ok())
        status = checkpointIfDue(m_position.step > 0);
    if (!status.ok())
        fail(status.error());
}

bool TrainingRun::limitReached() const
{
    return (m_stepLimit > 0 && m_position.step >= m_stepLimit) ||
           (m_epochLimit > 0 && m_position.epoch >= m_epochLimit);
}

Status TrainingRun::runEpoch()
{
    const auto reader = m_opened.data->read(DataPart::Train, m_position.epoch, m_position.batch);
    while (m_position.batch < m_batches) {
        if (over() || !boundary(Place::BetweenSteps))
            return Done{};
        if (auto status = behindWall("training", [&] { return runStep(*reader); }); !status.ok())
            return status;
        if (auto status = afterStep(); !status.ok())
            return status;
    }
    return endEpoch();
}

Status TrainingRun::runStep(EpochReader& reader)
{
    const auto start = Ticks::now();
    m_dataWait = std::chrono::nanoseconds{0};
    m_samples = 0;
    m_step->begin(m_position.step + 1);
    const auto count = std::min<std::int64_t>(m_project.training.accumulate, m_batches - m_position.batch);
    const auto generators = count > 1 ? generatorStates() : std::map<std::string, torch::Tensor>{};
    if (auto status = addBatches(reader, count); !status.ok()) {
        m_step->abandon();
        restoreGenerators(generators); // what was drawn for the batches that came will be drawn again
        return status;
    }
    const StepOutcome outcome = m_step->finish(rates());
    ++m_position.step;
    m_position.batch += count;
    m_parts->schedule.stepDone();
    endStep(outcome, start);
    judge(outcome);
    return Done{};
}

Status TrainingRun::addBatches(EpochReader& reader, std::int64_t count)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const auto asked = Ticks::now();
        const auto batch = reader.next(m_control.stopToken());
        m_dataWait += Ticks::now() - asked;
        if (!batch.ok())
            return batch.error();
        if (!batch.value())
            return Error{ErrorCode::Internal, "The data ended before its last batch.", "data"};
        m_samples += (*batch)->size();
        m_step->addBatch(onDevice(**batch, m_parts->device), 1.0 / static_cast<double>(count), i + 1 == count);
    }
    return Done{};
}

/// Times, progress, and the hand-over of the step's samples.
void TrainingRun::endStep(const StepOutcome& outcome, Ticks::time_point start)
{
    m_lastLoss = outcome.loss;
    m_sink.put(m_epochSeries, static_cast<double>(m_position.epoch) +
                                  static_cast<double>(m_position.batch) / static_cast<double>(m_batches));
    const auto probing = m_probes->takeDuration();
    const auto total = Ticks::now() - start;
    m_meter.addStep({total, probing + m_commitTime, m_samples});
    updateProgress();
    m_sink.put(m_stepTimeSeries, milliseconds(total));
    m_sink.put(m_waitSeries, milliseconds(m_dataWait));
    m_sink.put(m_probeTimeSeries, milliseconds(probing));
    m_sink.put(m_speedSeries, m_control.progress().samplesPerSecond);
    const auto committing = Ticks::now();
    m_sink.commit();
    m_commitTime = Ticks::now() - committing;
}

/// What the policy says to a step that was not finite.
void TrainingRun::judge(const StepOutcome& outcome)
{
    if (outcome.finite) {
        if (m_nonFiniteStreak > 1)
            say(EventKind::Note, fmt::format("{} steps in a row were not finite.", m_nonFiniteStreak));
        m_nonFiniteStreak = 0;
        return;
    }
    auto policy = m_project.training.onNonFinite;
    if (policy == NonFinitePolicy::Pause && m_options.unattended)
        policy = NonFinitePolicy::Stop;
    ++m_nonFiniteStreak;
    const std::string what =
        fmt::format("{} at step {}; {}.", outcome.complaint, m_position.step,
                    outcome.applied ? "the step was applied all the same" : "the step was withheld");
    // A long streak is told at its start and at its end.
    if (m_nonFiniteStreak == 1 || policy == NonFinitePolicy::Pause)
        say(EventKind::NonFinite, what, outcome.culprit);
    if (policy == NonFinitePolicy::Pause) {
        m_singleSteps = 0;
        m_pauseNext = true;
    } else if (policy == NonFinitePolicy::Stop) {
        m_end = SessionEnd::Diverged;
        m_endReason = what;
    }
}

Status TrainingRun::afterStep()
{
    if (m_singleSteps > 0 && --m_singleSteps == 0)
        m_pauseNext = true;
    if (m_end != SessionEnd::None)
        return Done{};
    if (m_validateEvery.dueAtStep(m_position.step))
        if (auto status = validate(); !status.ok())
            return status;
    return checkpointIfDue(m_checkpointer.interval().dueAtStep(m_position.step));
}

Status TrainingRun::endEpoch()
{
    ++m_position.epoch;
    m_position.batch = 0;
    m_parts->schedule.epochDone();
    say(EventKind::EpochEnded, fmt::format("Epoch {} ended at step {}, train/loss {:.4g}.", m_position.epoch,
                                           m_position.step, m_lastLoss));
    if (m_end == SessionEnd::None) {
        m_checkpointer.look(m_sink, m_position.step, false);
        if (m_validateEvery.dueAtEpoch())
            if (auto status = validate(); !status.ok())
                return status;
        stopEarlyIfDue();
    }
    if (m_stopAfterEpoch && m_end == SessionEnd::None)
        m_end = SessionEnd::Stopped;
    updateProgress();
    return checkpointIfDue(m_checkpointer.interval().dueAtEpoch());
}

Status TrainingRun::validate()
{
    if (!m_validation)
        return Done{};
    const auto start = Ticks::now();
    std::chrono::nanoseconds paused{0};
    const auto between = [&] {
        const auto asked = Ticks::now();
        const bool goOn = boundary(Place::InValidation);
        paused += Ticks::now() - asked;
        return goOn;
    };
    m_validationPending = true;
    if (auto status = m_validation->run(m_position.epoch, m_control.stopToken(), between); !status.ok())
        return status;
    m_meter.addOther(Ticks::now() - start - paused);
    m_sink.commit();
    m_validationPending = false;
    m_validatedStep = m_position.step;
    say(EventKind::ValidationEnded, m_validation->summary());
    m_checkpointer.look(m_sink, m_position.step, true);
    stopEarlyIfDue();
    return Done{};
}

void TrainingRun::stopEarlyIfDue()
{
    const auto reason = m_checkpointer.stopReason();
    if (!reason || m_end != SessionEnd::None)
        return;
    m_end = SessionEnd::EarlyStopped;
    m_endReason = *reason;
}

/// A run that ends within an epoch has its last weights validated too.
Status TrainingRun::validateAtEnd()
{
    if (m_position.step == 0 || m_validatedStep == m_position.step)
        return Done{};
    return validate();
}

} // namespace athanor
