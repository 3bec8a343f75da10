#include "engine/train/training_run.h"

#include "engine/base/log.h"
#include "engine/train/kind_params.h"
#include "engine/script/torch_errors.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>

namespace athanor {
namespace {

constexpr std::array kPrecisions{"fp32", "bf16", "fp16"};

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
    sayHowToRepeat();
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

/// The first event of a run: with the project, which is kept with the run, all that decides its numbers.
void TrainingRun::sayHowToRepeat()
{
    const Json environment = environmentReport();
    say(EventKind::Note,
        fmt::format("Repeat it with: project {}, seed {}, device {}, precision {}, {} threads, {}, LibTorch {}, {}, {}{}.",
                    semanticHash(m_project), m_project.training.seed,
                    m_project.training.device == "auto" ? environment["device"].get<std::string>() : m_project.training.device,
                    kPrecisions[static_cast<std::size_t>(m_project.training.precision)], threadCount(m_options.threads),
                    m_project.training.deterministic ? "deterministic" : "not deterministic",
                    environment["libtorch"].get<std::string>(), environment["blas"].get<std::string>(),
                    environment["processor"].get<std::string>(),
                    m_options.resumeFrom.empty() ? "" : ", from " + m_options.resumeFrom.string()),
        "training/seed");
}

Status TrainingRun::build()
{
    m_settings = std::make_unique<TorchSettings>(threadCount(m_options.threads), m_project.training.deterministic);
    if (m_options.resumeFrom.empty()) {
        const Status made = assemble(nullptr);
        for (const auto& note : made.ok() ? m_parts->notes : std::vector<std::string>{})
            say(EventKind::Note, note, "training/weights");
        updateProgress();
        return made;
    }
    const auto checkpoint = loadCheckpoint(m_options.resumeFrom);
    if (!checkpoint.ok())
        return checkpoint.error();
    if (!m_options.fork && checkpoint->semanticHash != semanticHash(m_project))
        say(EventKind::Note, "The project has changed since this checkpoint; the run goes on with the project as it is now.");
    if (!m_options.fork) {
        if (auto status = takeChangesOver(*checkpoint); !status.ok())
            return status;
        for (LiveChange& change : m_changeLog.read())
            if (change.step > checkpoint->step)
                m_replay.push_back(std::move(change));
    }
    if (auto status = assemble(&*checkpoint); !status.ok())
        return status;
    m_sink.beginStep(m_position.step); // a validation that was cut short belongs to the step before the stop
    m_meter.startFrom(checkpoint->seconds);
    updateProgress();
    return Done{};
}

Status TrainingRun::assemble(const Checkpoint* from)
{
    const auto device = chooseDevice(m_live.training);
    if (!device.ok())
        return device.error();
    Project start = m_live;
    if (from)
        start.training.weights.clear(); // the checkpoint has all weights; the file they once came from may be gone
    // Until the epoch ends, a batch has the size that it began with.
    const std::int64_t size = from && !m_options.fork ? intParam(from->progress, "batch_size") : 0;
    if (auto status = openData(size); !status.ok())
        return status;
    setLengths();
    if (m_batches == 0)
        return Error{ErrorCode::InvalidArgument, "The training part has no samples.", "data"};
    m_step.reset(); // it and those below refer to the parts
    m_validation.reset();
    m_averageValidation.reset();
    m_probes.reset();
    m_average.reset();
    auto parts = buildRun(start, m_opened.check.network, *device, {totalSteps(), m_epochLimit});
    if (!parts.ok())
        return parts.error();
    m_parts = std::move(*parts);
    if (!m_changes.empty())
        applyDropout();
    makeAverage();
    makeMeasurements();
    return from ? restore(*from) : Status(Done{});
}

/// The data as the project says now; `batchSize` is another size of its batches, 0: its own. What is open already and has
/// it is left as it is.
Status TrainingRun::openData(std::int64_t batchSize)
{
    Project project = m_live;
    std::int64_t wanted = batchSize;
    for (const Node& node : m_live.data.nodes())
        if (node.kind == "Loader") {
            if (wanted == 0)
                wanted = intParam(completeParams(*dataCatalog().find("Loader"), node.params), "batch_size", 1);
            else if (auto sized = changed(m_live, "data." + node.id + ".batch_size", wanted); sized.ok())
                project = std::move(*sized);
        }
    if (wanted == m_opened.data->batchSize())
        return Done{};
    auto data = athanor::openData(project, m_options.workers);
    if (!data.ok())
        return data.error();
    m_reader.reset();
    m_opened.data = std::move(*data);
    return Done{};
}

/// With the next epoch.
Status TrainingRun::takeNewBatchSize()
{
    m_newBatchSize = false;
    m_validation.reset(); // they refer to the data
    m_averageValidation.reset();
    if (auto status = openData(0); !status.ok())
        return status;
    setLengths();
    makeValidations();
    return m_batches > 0 ? Status(Done{})
                         : Error{ErrorCode::InvalidArgument, "The training part has no batch of this size.", "data"};
}

void TrainingRun::setLengths()
{
    const TrainSpec& spec = m_project.training;
    m_batches = m_opened.data->batchCount(DataPart::Train);
    m_stepLimit = m_options.steps.value_or(spec.steps.value_or(0));
    if (m_stepLimit == 0)
        m_epochLimit = spec.epochs.value_or(kStandardEpochs);
}

std::int64_t TrainingRun::totalSteps() const
{
    const auto perEpoch = (m_batches + m_live.training.accumulate - 1) / m_live.training.accumulate;
    return m_stepLimit > 0 ? m_stepLimit : m_epochLimit * perEpoch;
}

void TrainingRun::makeAverage()
{
    m_average.reset();
    if (m_live.training.averaging)
        m_average = std::make_unique<WeightAverage>(*m_live.training.averaging, *m_parts->parameters,
                                                    *m_parts->network);
}

void TrainingRun::makeMeasurements()
{
    m_probes = std::make_unique<ProbeSet>(
        m_options.probes ? builtinProbes() : std::vector<std::unique_ptr<Probe>>{}, m_sink);
    // Loss and learning rate first: the order of registration is the order of the series in every list.
    m_step = std::make_unique<TrainingStep>(StepParts{*m_parts->network, *m_parts->parameters, *m_parts->buffers,
                                                      *m_parts->optimizer, *m_probes, m_sink},
                                            m_live.training, m_parts->device);
    makeValidations();
    m_epochSeries = m_sink.series("epoch", SeriesRole::Essential);
    m_stepTimeSeries = m_sink.series("time/step", SeriesRole::Machine, "ms");
    m_waitSeries = m_sink.series("time/data_wait", SeriesRole::Machine, "ms");
    m_probeTimeSeries = m_sink.series("time/probes", SeriesRole::Machine, "ms");
    m_speedSeries = m_sink.series("samples_per_second", SeriesRole::Machine, "1/s");
    if (m_live.training.hashEvery)
        m_hashSeries = m_sink.series("weights_hash", SeriesRole::Essential);
    m_probes->prepare({*m_parts->network, *m_parts->parameters, m_sink,
                       [this](const std::string& note) { say(EventKind::Note, note); }});
}

void TrainingRun::makeValidations()
{
    if (m_opened.data->batchCount(DataPart::Val) == 0)
        return;
    m_validation = std::make_unique<Validation>(*m_parts->network, *m_opened.data, m_sink, m_live.training,
                                                m_parts->device, "val/");
    if (m_average)
        m_averageValidation = std::make_unique<Validation>(*m_parts->network, *m_opened.data, m_sink, m_live.training,
                                                           m_parts->device, "val/" + m_average->name() + "/");
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
