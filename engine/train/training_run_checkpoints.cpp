#include "engine/train/training_run.h"

#include "engine/base/log.h"
#include "engine/train/kind_params.h"
#include "engine/script/torch_errors.h"

#include <spdlog/fmt/fmt.h>

namespace athanor {

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
    if (auto status = settleCheckpoint(true); !status.ok())
        return status;
    const auto start = std::chrono::steady_clock::now();
    const auto status = behindWall("training/checkpoint", [&]() -> Status {
        m_checkpointer.write(makeCheckpoint());
        return Done{};
    });
    m_meter.addOther(std::chrono::steady_clock::now() - start);
    return status.ok() ? status : checkpointFailed(status.error());
}

Status TrainingRun::settleCheckpoint(bool wait)
{
    const auto written = m_checkpointer.settle(wait);
    if (!written)
        return Done{};
    if (!written->ok())
        return checkpointFailed(written->error());
    const CheckpointWritten& one = **written;
    Event event;
    event.step = one.step;
    event.kind = EventKind::CheckpointWritten;
    event.text = one.best ? fmt::format("Checkpoint of step {}: the best so far, {} {:.4g}.", one.step,
                                        m_project.training.checkpoint.monitor, one.monitored)
                          : fmt::format("Checkpoint of step {}.", one.step);
    event.where = one.file.string();
    m_stream.event(event);
    return Done{};
}

Status TrainingRun::checkpointFailed(const Error& error)
{
    if (m_project.training.checkpoint.onError == CheckpointFailure::Stop)
        return error;
    say(EventKind::Note, "The run goes on without this checkpoint. " + error.text(), "training/checkpoint");
    return Done{};
}

Checkpoint TrainingRun::makeCheckpoint()
{
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
                           {"validation_pending", m_validationPending},
                           {"reverted", m_reverted},
                           {"samples_per_batch", m_opened.data->batchSize()}};
    if (const auto* scaler = m_step->scaler())
        checkpoint.progress["scaler"] = scaler->state();
    if (m_average) {
        checkpoint.averaged = m_average->state();
        checkpoint.progress["averaged"] = m_average->count();
    }
    Json changes = Json::array();
    for (const LiveChange& change : m_changes)
        changes.push_back({{"step", change.step}, {"path", change.path}, {"value", change.value}});
    if (!changes.empty())
        checkpoint.progress["changes"] = std::move(changes);
    if (m_newBatchSize)
        checkpoint.progress["batch_size"] = m_opened.data->batchSize(); // until the epoch ends
    return checkpoint;
}

Status TrainingRun::restore(const Checkpoint& checkpoint)
{
    if (auto status = restoreWeights(checkpoint); !status.ok())
        return status;
    if (auto status = restoreOptimizer(checkpoint); !status.ok())
        return status;
    const Json& progress = checkpoint.progress;
    if (progress.contains("schedule"))
        m_parts->schedule.restore(progress["schedule"]);
    if (m_step->scaler() && progress.contains("scaler"))
        m_step->scaler()->restore(progress["scaler"]);
    if (progress.contains("checkpoints") && !m_options.fork)
        m_checkpointer.restore(progress["checkpoints"]);
    recallBest();
    m_validatedStep = intParam(progress, "validated_step", -1);
    m_validationPending = flagParam(progress, "validation_pending");
    m_reverted = intParam(progress, "reverted");
    m_position = {checkpoint.step, checkpoint.epoch, checkpoint.batch};
    const auto size = intParam(progress, "samples_per_batch", m_opened.data->batchSize());
    if (size != m_opened.data->batchSize()) // a fork: about the same samples of this epoch are done
        m_position.batch = std::min(m_batches, checkpoint.batch * size / m_opened.data->batchSize());
    return behindWall("training", [&]() -> Status {
        restoreGenerators(checkpoint.generators); // last: building the network has drawn from them
        return Done{};
    });
}

Status TrainingRun::restoreWeights(const Checkpoint& checkpoint)
{
    const auto& live = checkpoint.live.empty() ? checkpoint.state : checkpoint.live;
    const auto transfer = copyState(live, m_parts->network->module());
    if (!transfer.missing.empty() || !transfer.unfit.empty()) {
        const std::string first = transfer.unfit.empty() ? transfer.missing.front() + " is missing."
                                                         : transfer.unfit.front() + " has another shape.";
        if (!m_options.fork || transfer.copied == 0)
            return Error{ErrorCode::InvalidArgument, "The checkpoint does not fit the network: " + first,
                         m_options.resumeFrom.string(), "Start a new run with training.weights to take over what fits."};
        say(EventKind::Note, fmt::format("{} of {} tensors come from the checkpoint; the others start fresh: {}",
                                         transfer.copied, transfer.copied + transfer.missing.size() + transfer.unfit.size(),
                                         first));
    }
    const auto updates = intParam(checkpoint.progress, "averaged");
    if (!m_average || updates == 0)
        return Done{};
    const auto status = m_average->restore(checkpoint.averaged, updates);
    if (status.ok() || !m_options.fork)
        return status;
    static_cast<void>(m_average->restore({}, 0));
    return Done{};
}

Status TrainingRun::restoreOptimizer(const Checkpoint& checkpoint)
{
    const KindSpec& spec = m_live.training.optimizer;
    Status status = Done{};
    if (!m_options.fork || checkpoint.optimizerKind == spec.kind)
        status = m_parts->optimizer->restore(checkpoint.optimizer);
    else
        status = Error{ErrorCode::NotFound, "it was " + checkpoint.optimizerKind + " and is " + spec.kind + " now"};
    if (status.ok() || !m_options.fork)
        return status;
    say(EventKind::Note, "The optimizer starts fresh: " + status.error().message, "training/optimizer");
    auto fresh = makeOptimizer(spec, optimizerGroups(spec), *m_parts->parameters); // the old one may be half restored
    if (!fresh.ok())
        return fresh.error();
    m_parts->optimizer = std::move(*fresh);
    makeMeasurements();
    return Done{};
}

/// A copy of the weights of the best validation so far, when the run shall end with them.
void TrainingRun::rememberBest()
{
    const auto& early = m_project.training.earlyStopping;
    if (!early || !early->restoreBest || m_checkpointer.bestStep() != m_position.step ||
        m_bestStateStep == m_position.step)
        return;
    const bool ofAverage = m_average && m_project.training.checkpoint.monitor.starts_with("val/" + m_average->name() + "/");
    m_bestState.clear();
    for (const auto& [name, tensor] : ofAverage ? m_average->state() : stateOf(m_parts->network->module()))
        m_bestState[name] = tensor.clone();
    m_bestStateStep = m_position.step;
}

/// What rememberBest() had kept when this checkpoint was written.
void TrainingRun::recallBest()
{
    const auto& early = m_project.training.earlyStopping;
    if (!early || !early->restoreBest || m_checkpointer.bestStep() < 0 || !m_bestState.empty())
        return;
    auto best = loadCheckpoint(m_checkpointer.bestFile());
    if (!best.ok())
        return say(EventKind::Note, "The best weights so far cannot be put back: " + best.error().text());
    const bool ofAverage = m_average && m_project.training.checkpoint.monitor.starts_with("val/" + m_average->name() + "/");
    m_bestState = ofAverage ? std::move(best->averaged) : std::move(best->state);
    m_bestStateStep = m_checkpointer.bestStep();
}

/// The last checkpoint has the best weights for those who use them, and the newest for a run that is resumed.
Status TrainingRun::finishWithBest()
{
    const bool ended = m_end == SessionEnd::Completed || m_end == SessionEnd::EarlyStopped;
    if (!ended || m_bestState.empty() || m_bestStateStep == m_position.step || !m_checkpointer.enabled())
        return Done{};
    if (auto status = settleCheckpoint(true); !status.ok())
        return status;
    const auto status = behindWall("training/checkpoint", [&]() -> Status {
        Checkpoint checkpoint = makeCheckpoint();
        checkpoint.live = std::exchange(checkpoint.state, m_bestState);
        m_checkpointer.write(std::move(checkpoint));
        return Done{};
    });
    if (!status.ok())
        return checkpointFailed(status.error());
    say(EventKind::Note, fmt::format("The run ends with the weights of step {}, the best.", m_bestStateStep));
    return Done{};
}

} // namespace athanor
