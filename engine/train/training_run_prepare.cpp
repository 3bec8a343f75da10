#include "engine/train/training_run.h"

#include "engine/base/log.h"
#include "engine/train/kind_params.h"
#include "engine/train/torch_errors.h"

#include <algorithm>

namespace athanor {
namespace {

Problem problemOf(const Error& error)
{
    return {error.where.empty() ? "training" : error.where, Severity::Error, error.message, error.hint};
}

std::string endText(SessionEnd end, const std::string& reason)
{
    switch (end) {
    case SessionEnd::Completed:
        return "finished";
    case SessionEnd::EarlyStopped:
        return "finished early: " + reason;
    case SessionEnd::Diverged:
        return "diverged: " + reason;
    case SessionEnd::Stopped:
    case SessionEnd::None:
        break;
    }
    return "stopped";
}

} // namespace

bool TrainingRun::prepare()
{
    enter(SessionState::Compiling);
    m_opened = openProject(m_project, m_options.workers);
    m_control.setProblems(m_opened.check.problems);
    const bool stopped = m_control.stopToken().stop_requested();
    if (stopped) {
        m_end = SessionEnd::Stopped;
        return false;
    }
    const auto isError = [](const Problem& problem) { return problem.severity == Severity::Error; };
    const auto error = std::ranges::find_if(m_opened.check.problems, isError);
    if (error != m_opened.check.problems.end()) {
        fail({ErrorCode::InvalidArgument, error->message, error->where, error->hint});
        return false;
    }
    if (auto status = build(); !status.ok()) {
        fail(status.error());
        return false;
    }
    if (m_control.stopToken().stop_requested()) {
        m_end = SessionEnd::Stopped;
        return false;
    }
    enter(SessionState::Running);
    return true;
}

Status TrainingRun::build()
{
    const TrainSpec& spec = m_project.training;
    m_settings = std::make_unique<TorchSettings>(threadCount(m_options.threads), spec.deterministic);
    const auto device = chooseDevice(spec);
    if (!device.ok())
        return device.error();
    Project start = m_project;
    if (!m_options.resumeFrom.empty())
        start.training.weights.clear(); // the checkpoint has all weights; the file they once came from may be gone
    auto parts = buildRun(start, m_opened.check.network, *device);
    if (!parts.ok())
        return parts.error();
    m_parts = std::move(*parts);
    m_batches = m_opened.data->batchCount(DataPart::Train);
    if (m_batches == 0)
        return Error{ErrorCode::InvalidArgument, "The training part has no samples.", "data"};
    m_stepLimit = m_options.steps.value_or(spec.steps.value_or(0));
    if (m_stepLimit == 0)
        m_epochLimit = spec.epochs.value_or(10);
    makeMeasurements();
    for (const auto& note : m_parts->notes)
        say(EventKind::Note, note, "training/weights");
    Status status = Done{};
    if (!m_options.resumeFrom.empty())
        status = resume();
    updateProgress();
    return status;
}

void TrainingRun::makeMeasurements()
{
    m_probes = std::make_unique<ProbeSet>(
        m_options.probes ? builtinProbes() : std::vector<std::unique_ptr<Probe>>{}, m_sink);
    // Loss and learning rate first: the order of registration is the order of the series in every list.
    m_step = std::make_unique<TrainingStep>(StepParts{*m_parts->network, *m_parts->parameters, *m_parts->buffers,
                                                      *m_parts->optimizer, *m_probes, m_sink},
                                            m_project.training, m_parts->device);
    if (m_opened.data->batchCount(DataPart::Val) > 0)
        m_validation = std::make_unique<Validation>(*m_parts->network, *m_opened.data, m_sink, m_project.training,
                                                    m_parts->device);
    m_epochSeries = m_sink.series("epoch", SeriesRole::Essential);
    m_stepTimeSeries = m_sink.series("time/step", SeriesRole::Machine, "ms");
    m_waitSeries = m_sink.series("time/data_wait", SeriesRole::Machine, "ms");
    m_probeTimeSeries = m_sink.series("time/probes", SeriesRole::Machine, "ms");
    m_speedSeries = m_sink.series("samples_per_second", SeriesRole::Machine, "1/s");
    m_probes->prepare({*m_parts->network, *m_parts->parameters, m_sink,
                       [this](const std::string& note) { say(EventKind::Note, note); }});
}

Status TrainingRun::resume()
{
    auto checkpoint = loadCheckpoint(m_options.resumeFrom);
    if (!checkpoint.ok())
        return checkpoint.error();
    if (checkpoint->semanticHash != semanticHash(m_project))
        say(EventKind::Note, "The project has changed since this checkpoint; the run goes on with the project as it is now.");
    const auto transfer = copyState(checkpoint->state, m_parts->network->module());
    if (!transfer.missing.empty() || !transfer.unfit.empty())
        return Error{ErrorCode::InvalidArgument,
                     "The checkpoint does not fit the network: " +
                         (transfer.unfit.empty() ? transfer.missing.front() + " is missing."
                                                 : transfer.unfit.front() + " has another shape."),
                     m_options.resumeFrom.string(),
                     "Start a new run with training.weights to take over what fits."};
    if (auto status = m_parts->optimizer->restore(checkpoint->optimizer); !status.ok())
        return status;
    const Json& progress = checkpoint->progress;
    if (progress.contains("schedule"))
        m_parts->schedule.restore(progress["schedule"]);
    if (progress.contains("checkpoints"))
        m_checkpointer.restore(progress["checkpoints"]);
    if (progress.contains("validated_step"))
        m_validatedStep = progress["validated_step"].get<std::int64_t>();
    m_validationPending = flagParam(progress, "validation_pending");
    m_position = {checkpoint->step, checkpoint->epoch, checkpoint->batch};
    m_sink.beginStep(m_position.step); // a validation that was cut short belongs to the step before the stop
    m_meter.startFrom(checkpoint->seconds);
    return behindWall("training", [&]() -> Status {
        restoreGenerators(checkpoint->generators); // last: building the network has drawn from them
        return Done{};
    });
}

void TrainingRun::fail(const Error& error)
{
    m_failed = true;
    Error told = error;
    if (told.code == ErrorCode::OutOfMemory && m_opened.data)
        told.hint = "A batch has " + std::to_string(m_opened.data->batchSize()) +
                    " samples: use a smaller batch_size (and accumulate to make up for it), or a smaller network.";
    auto problems = m_control.problems();
    const Problem problem = problemOf(told);
    if (std::ranges::find(problems, problem) == problems.end())
        problems.push_back(problem);
    m_control.setProblems(std::move(problems));
    spdlog::error("The run failed: {}", told.text());
    if (!told.details.empty())
        spdlog::debug("{}", told.details);
    say(EventKind::Failed, told.text(), told.where);
}

RunEnd TrainingRun::conclude()
{
    m_sink.transfer();
    m_sink.commit();
    if (m_failed)
        return {SessionState::Failed, SessionEnd::None, sessionStateName(SessionState::Failed), m_position.step};
    return {SessionState::Finished, m_end, endText(m_end, m_endReason), m_position.step};
}

} // namespace athanor
