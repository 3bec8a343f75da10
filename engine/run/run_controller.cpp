#include "engine/run/run_controller.h"

#include "engine/run/run_recorder.h"

#include <spdlog/fmt/fmt.h>

#include <exception>
#include <mutex>
#include <utility>

namespace athanor {
namespace {

using std::chrono::milliseconds;

/// Between two looks at a session that takes its time to end.
constexpr milliseconds kLook{100};
/// A session closes its stream at its end; its terminal state must follow at once.
constexpr milliseconds kEndTimeout{10'000};

/// Where a run that is resumed goes on.
struct ResumePoint {
    std::int64_t step = 0;
    std::filesystem::path file;
};

/// The newest checkpoint that is still there, or that of a step.
Result<ResumePoint> findResumePoint(const RunStore& store, RunId run, std::optional<std::int64_t> step = {})
{
    auto checkpoints = store.checkpoints(run);
    if (!checkpoints.ok())
        return checkpoints.error();
    // Older checkpoints are deleted as newer ones come, so the index may know more than there are.
    std::erase_if(*checkpoints, [](const CheckpointInfo& one) { return !std::filesystem::exists(one.file); });
    if (checkpoints->empty()) {
        return Error{ErrorCode::NotFound, "Run " + std::to_string(run) + " has no checkpoint to continue from",
                     store.file().string(), "Start it anew.", {}};
    }
    if (!step)
        return ResumePoint{checkpoints->back().step, checkpoints->back().file};
    std::string kept;
    for (const CheckpointInfo& one : *checkpoints) {
        if (one.step == *step)
            return ResumePoint{one.step, one.file};
        kept.append(kept.empty() ? "There are those of the steps " : ", ").append(std::to_string(one.step));
    }
    return Error{ErrorCode::NotFound, fmt::format("Run {} has no checkpoint of step {}", run, *step),
                 store.file().string(), kept, {}};
}

/// Stores that lie beside each other have each their own.
std::filesystem::path checkpointsOf(const std::filesystem::path& store)
{
    return store.parent_path() / "checkpoints" / store.filename();
}

/// Where a run's checkpoints go. A folder that an earlier store of this name has left is not touched.
std::filesystem::path newCheckpointFolder(const std::filesystem::path& store, RunId run)
{
    const auto all = checkpointsOf(store);
    const std::string name = "run-" + std::to_string(run);
    std::filesystem::path folder = all / name;
    std::error_code ignored;
    for (int number = 2; std::filesystem::exists(folder, ignored); ++number)
        folder = all / fmt::format("{}-{}", name, number);
    return folder;
}

/// A resumed run goes on in its folder, unless that is another store's, of which this one is a copy.
std::filesystem::path resumedCheckpointFolder(const std::filesystem::path& store, RunId run,
                                              const std::filesystem::path& checkpoint)
{
    const auto folder = checkpoint.parent_path();
    return folder.parent_path() == checkpointsOf(store) ? folder : newCheckpointFolder(store, run);
}

std::string firstError(const std::vector<Problem>& problems)
{
    for (const Problem& problem : problems) {
        if (problem.severity == Severity::Error)
            return problem.where.empty() ? problem.message : problem.where + ": " + problem.message;
    }
    return {};
}

} // namespace

struct RunController::Impl {
    std::filesystem::path file;
    RunId run = 0;
    MetricStream stream;
    SeriesStore series;
    DiagnosisEngine diagnosis;
    std::optional<RunRecorder::Resumption> resumption;
    std::unique_ptr<Session> session;
    std::unique_ptr<RunRecorder> recorder;

    mutable std::mutex mutex; // guards `result`
    RunOutcome result;

    ~Impl();
    Status registerRun(RunStore& store, const Project& project, RunOptions& options);
    Status resumeRun(RunStore& store, RunOptions& options);
    void takeBack(RunStore& store, const Error& reason) const;
    Status makeSession(const Project& project, const RunOptions& options, const SessionFactory& factory);
    [[nodiscard]] RunRecorder::Snapshot snapshot() const;
    [[nodiscard]] std::string whyDiverged() const;
    RunRecorder::Ending ending();
};

RunController::RunController(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunController::~RunController() = default;

Result<std::unique_ptr<RunController>> RunController::start(const Project& project, const RunOptions& options,
                                                            const SessionFactory& factory)
{
    auto store = RunStore::open(options.storeFile.empty() ? RunStore::defaultFile() : options.storeFile);
    if (!store.ok())
        return store.error();
    if (const auto marked = store->markInterrupted(); !marked.ok())
        return marked.error();

    auto impl = std::make_unique<Impl>();
    impl->file = store->file();
    RunOptions complete = options;
    if (const Status registered = impl->registerRun(*store, project, complete); !registered.ok())
        return registered.error();
    if (const Status made = impl->makeSession(project, complete, factory); !made.ok()) {
        impl->takeBack(*store, made.error());
        return made.error();
    }
    Impl& self = *impl;
    impl->recorder = std::make_unique<RunRecorder>(
        impl->stream, std::move(*store), impl->run, impl->series, impl->diagnosis,
        RunRecorder::Source{[&self] { return self.snapshot(); }, [&self] { return self.ending(); }}, systemClock(),
        impl->resumption);
    impl->session->start();
    return std::unique_ptr<RunController>(new RunController(std::move(impl)));
}

Status RunController::Impl::registerRun(RunStore& store, const Project& project, RunOptions& options)
{
    if (options.resume)
        return resumeRun(store, options);
    if (options.fork) {
        const auto point = findResumePoint(store, options.fork->run, options.fork->step);
        if (!point.ok())
            return point.error();
        options.session.resumeFrom = point->file;
        options.session.fork = true;
    }
    const auto started = store.startRun({options.name, project.name, project.file.string(), projectText(project),
                                         semanticHash(project), options.environment});
    if (!started.ok())
        return started.error();
    run = *started;
    options.session.checkpointFolder = newCheckpointFolder(file, run);
    return Done{};
}

Status RunController::Impl::resumeRun(RunStore& store, RunOptions& options)
{
    run = *options.resume;
    const auto point = findResumePoint(store, run);
    if (!point.ok())
        return point.error();
    // Under the indices that the recorder gives them when it reads them back.
    const auto summaries = store.summaries(run);
    if (!summaries.ok())
        return summaries.error();
    for (const SeriesSummary& summary : *summaries)
        stream.series({summary.name, summary.unit, summary.role});
    auto claim = store.claimRun(run);
    if (!claim.ok())
        return claim.error();
    resumption = {point->step, std::move(*claim)};
    options.session.resumeFrom = point->file;
    options.session.checkpointFolder = resumedCheckpointFolder(file, run, point->file);
    return Done{};
}

// The first error is the one to tell; that its run's end is not stored either follows from it.
void RunController::Impl::takeBack(RunStore& store, const Error& reason) const
{
    if (resumption)
        (void)store.releaseRun(run, resumption->before);
    else
        (void)store.finishRun(run, RunStatus::Failed, reason.text());
}

Status RunController::Impl::makeSession(const Project& project, const RunOptions& options,
                                        const SessionFactory& factory)
{
    SessionOptions sessionOptions = options.session;
    sessionOptions.checkpointWritten = [this, heard = options.session.checkpointWritten](const CheckpointWritten& one) {
        recorder->addCheckpoint({one.step, one.file.string(), one.best, one.monitored});
        if (heard)
            heard(one);
    };
    try {
        session = factory(project, sessionOptions, stream);
    } catch (const std::exception& e) {
        return Error{ErrorCode::Internal, "The training could not be set up", project.file.string(),
                     "Please report this as a bug.", e.what()};
    }
    if (!session)
        return Error{ErrorCode::Internal, "There is no session for this project", project.file.string(), {}, {}};
    return Done{};
}

// In this order: no sample is made any more, then all are stored, then what both use goes away.
RunController::Impl::~Impl()
{
    if (!recorder)
        return;
    session->post(command::Stop{});
    while (!session->wait(kLook)) {
    }
    stream.close(); // a session that failed early may not have done so
    recorder.reset();
    session.reset();
}

RunRecorder::Snapshot RunController::Impl::snapshot() const
{
    const SessionProgress progress = session->progress();
    const auto status = session->state() == SessionState::Paused ? RunStatus::Paused : RunStatus::Running;
    return {status, progress.seconds, progress.step, progress.epoch};
}

// The rules have seen every sample and event by now.
std::string RunController::Impl::whyDiverged() const
{
    const auto findings = diagnosis.findings();
    return findings.empty() ? "The loss or a gradient became NaN or infinite." : findings.front().message;
}

RunRecorder::Ending RunController::Impl::ending()
{
    RunOutcome outcome;
    const bool ended = session->wait(kEndTimeout);
    outcome.problems = session->problems();
    if (ended && session->state() == SessionState::Finished) {
        switch (session->end()) {
        case SessionEnd::Stopped:
            outcome.status = RunStatus::Stopped;
            break;
        case SessionEnd::Diverged:
            outcome.status = RunStatus::Diverged;
            outcome.failure = whyDiverged();
            break;
        case SessionEnd::Completed:
        case SessionEnd::EarlyStopped:
        case SessionEnd::None:
            outcome.status = RunStatus::Finished;
            break;
        }
    } else {
        outcome.status = RunStatus::Failed;
        outcome.failure = ended ? firstError(outcome.problems) : "The session closed its stream but did not end.";
        if (outcome.failure.empty())
            outcome.failure = "The training failed and did not say why.";
    }
    const std::lock_guard lock(mutex);
    result = outcome;
    return {outcome.status, outcome.failure};
}

RunId RunController::runId() const
{
    return m_impl->run;
}

const std::filesystem::path& RunController::storeFile() const
{
    return m_impl->file;
}

SessionState RunController::state() const
{
    return m_impl->session->state();
}

SessionProgress RunController::progress() const
{
    return m_impl->session->progress();
}

void RunController::giveUpStoring()
{
    m_impl->recorder->giveUp();
}

void RunController::post(SessionCommand command)
{
    m_impl->session->post(command);
}

const SeriesStore& RunController::series() const
{
    return m_impl->series;
}

std::vector<Finding> RunController::findings() const
{
    return m_impl->diagnosis.findings();
}

void RunController::setEventListener(std::function<void(const Event&)> listener)
{
    m_impl->recorder->setListener(std::move(listener));
}

Error RunController::storageError() const
{
    return m_impl->recorder->storageError();
}

bool RunController::wait(milliseconds timeout)
{
    return m_impl->recorder->wait(timeout);
}

RunOutcome RunController::outcome() const
{
    if (!m_impl->recorder->done())
        return {};
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->result;
}

} // namespace athanor
