#include "engine/train/training_run.h"

#include "engine/base/log.h"
#include "engine/train/device_batch.h"
#include "engine/script/torch_errors.h"

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
    , m_live(project)
    , m_sink(stream)
    , m_checkpointer(project.training, options)
    , m_validateEvery(project.training.validateEvery)
    , m_changeLog(options.checkpointFolder)
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
        status = finishWithBest();
    if (status.ok())
        status = checkpointIfDue(m_position.step > 0);
    const Status written = settleCheckpoint(true); // also when the run failed: it may be what can be resumed
    m_checkpointer.tidy();
    if (status.ok())
        status = written;
    if (!status.ok())
        fail(status.error());
}

bool TrainingRun::limitReached() const
{
    return (m_stepLimit > 0 && m_position.step - m_reverted >= m_stepLimit) ||
           (m_epochLimit > 0 && m_position.epoch >= m_epochLimit);
}

Status TrainingRun::runEpoch()
{
    m_readAnew = false;
    m_reader = m_opened.data->read(DataPart::Train, m_position.epoch, m_position.batch);
    const Status status = runBatches();
    m_reader.reset();
    const bool isDone = status.ok() && !m_readAnew && m_position.batch >= m_batches;
    return isDone ? endEpoch() : status;
}

Status TrainingRun::runBatches()
{
    while (m_position.batch < m_batches) {
        if (over() || !boundary(Place::BetweenSteps) || m_readAnew)
            return Done{};
        if (auto status = behindWall("training", [&] { return runStep(); }); !status.ok())
            return pauseWithoutMemory(status);
        if (auto status = afterStep(); !status.ok())
            return status;
    }
    return Done{};
}

Status TrainingRun::runStep()
{
    const auto start = Ticks::now();
    m_dataWait = std::chrono::nanoseconds{0};
    m_samples = 0;
    m_step->begin(m_position.step + 1);
    const auto count = std::min<std::int64_t>(m_live.training.accumulate, m_batches - m_position.batch);
    const auto generators = count > 1 ? generatorStates() : std::map<std::string, torch::Tensor>{};
    if (auto status = addBatches(count); !status.ok()) {
        m_step->abandon();
        restoreGenerators(generators); // what was drawn for the batches that came will be drawn again
        return status;
    }
    if (const auto momentum = m_parts->schedule.momentum())
        m_parts->optimizer->setMomentum(*momentum);
    const StepOutcome outcome = m_step->finish(rates());
    ++m_position.step;
    m_position.batch += count;
    m_parts->schedule.stepDone();
    if (m_average && outcome.applied)
        m_average->stepDone(m_position.step);
    putWeightsHash();
    endStep(outcome, start);
    judge(outcome);
    return Done{};
}

/// A mean loss counts in an accumulated step by its share of the samples, so that a smaller last batch weighs less.
Status TrainingRun::addBatches(std::int64_t count)
{
    const auto expected = static_cast<double>(expectedSamples(m_position.batch, count));
    for (std::int64_t i = 0; i < count; ++i) {
        const auto asked = Ticks::now();
        const auto batch = m_reader->next(m_control.stopToken());
        m_dataWait += Ticks::now() - asked;
        if (!batch.ok())
            return batch.error();
        if (!batch.value())
            return Error{ErrorCode::Internal, "The data ended before its last batch.", "data"};
        m_samples += (*batch)->size();
        const double share = count == 1 ? 1.0 : static_cast<double>((*batch)->size()) / expected;
        m_step->addBatch(onDevice(**batch, m_parts->device), share, i + 1 == count);
    }
    const auto samples = static_cast<double>(m_samples);
    if (count > 1 && samples != expected && samples > 0)
        m_step->correctShares(expected / samples); // some could not be read
    return Done{};
}

/// Samples in the next batches, as far as every one can be read.
std::int64_t TrainingRun::expectedSamples(std::int64_t firstBatch, std::int64_t count) const
{
    const std::int64_t size = std::max<std::int64_t>(1, m_opened.data->batchSize());
    const std::int64_t all = m_opened.data->samplesPerPass(DataPart::Train);
    const std::int64_t left = std::min((firstBatch + count) * size, all) - firstBatch * size;
    return std::max<std::int64_t>(1, left);
}

/// Where a person is there to help, a step that the memory does not hold leaves the session alive, before that step.
Status TrainingRun::pauseWithoutMemory(const Status& status)
{
    if (status.error().code != ErrorCode::OutOfMemory || m_options.unattended)
        return status;
    m_step->abandon();
    say(EventKind::Note,
        fmt::format("{} A batch has {} samples. The run is paused before step {}: make batch_size smaller from the next "
                    "epoch on, free memory and resume, or stop.",
                    status.error().message, m_opened.data->batchSize(), m_position.step + 1),
        status.error().where);
    m_singleSteps = 0;
    m_pauseNext = true;
    m_readAnew = true;
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

/// A fingerprint that a double holds exactly: runs that are the same have equal series.
void TrainingRun::putWeightsHash()
{
    const auto& every = m_live.training.hashEvery;
    if (!every || m_position.step % *every != 0)
        return;
    const std::string hash = stateHash(stateOf(m_parts->network->module()));
    m_sink.putEssential(m_hashSeries, static_cast<double>(std::stoull(hash.substr(0, 13), nullptr, 16)));
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
    auto policy = m_live.training.onNonFinite;
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
    stopInTime();
    // The epoch's last step is kept with all that the epoch's end does: resumed from before that, it would be done twice.
    const bool endsEpoch = m_position.batch >= m_batches;
    return checkpointIfDue(!endsEpoch && m_checkpointer.interval().dueAtStep(m_position.step));
}

Status TrainingRun::endEpoch()
{
    ++m_position.epoch;
    m_position.batch = 0;
    m_parts->schedule.epochDone();
    if (m_average)
        m_average->epochDone(m_position.step);
    say(EventKind::EpochEnded, fmt::format("Epoch {} ended at step {}, train/loss {:.4g}.", m_position.epoch,
                                           m_position.step, m_lastLoss));
    if (m_end == SessionEnd::None) {
        look(false);
        if (m_validateEvery.dueAtEpoch())
            if (auto status = validate(); !status.ok())
                return status;
        stopEarlyIfDue();
    }
    if (m_stopAfterEpoch && m_end == SessionEnd::None)
        m_end = SessionEnd::Stopped;
    if (m_newBatchSize)
        if (auto status = takeNewBatchSize(); !status.ok())
            return status;
    updateProgress();
    const Interval& interval = m_checkpointer.interval();
    return checkpointIfDue(interval.dueAtEpoch() || interval.dueAtStep(m_position.step));
}

Status TrainingRun::validate()
{
    if (!m_validation)
        return Done{};
    const bool both = m_averageValidation && m_average->started();
    m_validationPending = true;
    if (auto status = validateWith(*m_validation); !status.ok())
        return status;
    if (both) {
        const WeightAverage::InUse average(*m_average);
        if (auto status = validateWith(*m_averageValidation); !status.ok())
            return status;
    }
    // Only now, so that a validation which was cut short leaves no half of its values.
    std::string summary = m_validation->put();
    if (both)
        summary += ", " + m_averageValidation->put();
    m_sink.commit();
    m_validationPending = false;
    m_validatedStep = m_position.step;
    say(EventKind::ValidationEnded, summary);
    for (const auto& [series, text] : m_validation->reports())
        say(EventKind::Note, text, series);
    look(true);
    stopEarlyIfDue();
    return Done{};
}

Status TrainingRun::validateWith(Validation& validation)
{
    const auto start = Ticks::now();
    std::chrono::nanoseconds paused{0};
    const auto between = [&] {
        const auto asked = Ticks::now();
        const bool goOn = boundary(Place::InValidation);
        paused += Ticks::now() - asked;
        return goOn;
    };
    if (auto status = validation.run(m_position.epoch, m_control.stopToken(), between); !status.ok())
        return status;
    m_meter.addOther(Ticks::now() - start - paused);
    return Done{};
}

/// Shows the watched series to those who watch them.
void TrainingRun::look(bool afterValidation)
{
    m_checkpointer.look(m_sink, m_position.step, afterValidation);
    rememberBest();
    const std::string watched = m_parts->schedule.watched();
    if (watched.empty() || watched.starts_with("val/") != afterValidation)
        return;
    if (const auto value = m_sink.latest(watched))
        m_parts->schedule.observe(watched, *value);
}

void TrainingRun::stopEarlyIfDue()
{
    const auto reason = m_checkpointer.stopReason();
    if (!reason || m_end != SessionEnd::None)
        return;
    m_end = SessionEnd::EarlyStopped;
    m_endReason = *reason;
}

void TrainingRun::stopInTime()
{
    const auto& limit = m_live.training.timeLimit;
    if (!limit || m_end != SessionEnd::None || m_meter.seconds() < *limit)
        return;
    say(EventKind::Note, fmt::format("The time limit of {:g} s is reached.", *limit), "training/time_limit");
    m_end = SessionEnd::Completed;
}

/// A run that ends within an epoch has its last weights validated too.
Status TrainingRun::validateAtEnd()
{
    if (m_position.step == 0 || m_validatedStep == m_position.step)
        return Done{};
    return validate();
}

} // namespace athanor
