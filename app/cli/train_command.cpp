#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "engine/run/run_controller.h"
#include "engine/train/training_session.h"

#include <spdlog/spdlog.h>

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <unistd.h>

namespace athanor::cli {
namespace {

// Ctrl+C asks for a stop after the step, so that the run is stored whole; a second one ends at once. When the run has
// ended and waits for its store, the next one ends the wait.
volatile std::sig_atomic_t interruptions = 0;
volatile std::sig_atomic_t heeded = 1; ///< so many are heeded; the next one ends the process
extern "C" void countInterruption(int)
{
    interruptions = interruptions + 1;
    if (interruptions > heeded)
        _exit(130);
}

// Events arrive on the recorder thread and are printed on the main thread, between two progress lines.
class EventQueue {
public:
    void add(const Event& event)
    {
        const std::lock_guard lock(m_mutex);
        m_events.push_back(event);
    }
    std::vector<Event> take()
    {
        const std::lock_guard lock(m_mutex);
        return std::exchange(m_events, {});
    }

private:
    std::mutex m_mutex; // guards m_events
    std::vector<Event> m_events;
};

void printEvents(EventQueue& queue, ProgressLine& line)
{
    for (const Event& event : queue.take()) {
        line.clear();
        const auto level = event.kind == EventKind::Failed || event.kind == EventKind::NonFinite ? spdlog::level::warn
                           : event.kind == EventKind::StateChanged || event.kind == EventKind::CheckpointWritten
                               ? spdlog::level::debug
                               : spdlog::level::info;
        spdlog::log(level, "{}", event.text);
    }
}

Json bestJson(const std::vector<SeriesSummary>& summaries)
{
    Json best = Json::object();
    for (const SeriesSummary& s : summaries) {
        if (s.name.rfind("val/", 0) != 0 || s.count == 0)
            continue;
        const bool greater = naturalMode(s.name) == MonitorMode::Max;
        best[s.name] = {{"value", jsonNumber(greater ? s.max : s.min)}, {"step", greater ? s.maxStep : s.minStep}};
    }
    return best;
}

/// What the store has of a run that has ended.
struct Stored {
    std::vector<SeriesSummary> summaries;
    std::vector<CheckpointInfo> checkpoints;
    Error error; ///< why not all of the run is there; an empty message when it is
};

Status readStored(RunId run, const std::filesystem::path& file, Stored& stored)
{
    const Result<RunStore> store = RunStore::openToRead(file);
    if (!store)
        return store.error();
    auto summaries = store->summaries(run);
    if (!summaries)
        return summaries.error();
    auto checkpoints = store->checkpoints(run);
    if (!checkpoints)
        return checkpoints.error();
    stored.summaries = std::move(*summaries);
    stored.checkpoints = std::move(*checkpoints);
    return Done{};
}

Stored storedOf(const RunController& run)
{
    Stored stored;
    const Status read = readStored(run.runId(), run.storeFile(), stored);
    stored.error = run.storageError();
    if (!read && stored.error.message.empty())
        stored.error = read.error();
    return stored;
}

Json resultJson(const RunController& run, const Stored& stored, const RunOutcome& outcome, const SessionProgress& progress)
{
    Json out = {{"run", run.runId()},
                {"status", runStatusName(outcome.status)},
                {"steps", progress.step},
                {"epochs", progress.epoch},
                {"seconds", progress.seconds},
                {"samples_per_second", progress.samplesPerSecond},
                {"metrics", Json::object()},
                {"best", bestJson(stored.summaries)},
                {"findings", Json::array()},
                {"checkpoint", nullptr}};
    for (const SeriesSummary& s : stored.summaries)
        if (s.role == SeriesRole::Essential && s.count > 0)
            out["metrics"][s.name] = jsonNumber(s.last);
    for (const Finding& finding : run.findings())
        out["findings"].push_back(findingJson(finding));
    if (!stored.checkpoints.empty())
        out["checkpoint"] = stored.checkpoints.back().file; // they are in the order of their steps
    if (!outcome.failure.empty())
        out["failure"] = outcome.failure;
    if (!outcome.problems.empty())
        out["problems"] = problemsJson(outcome.problems);
    if (!stored.error.message.empty())
        out["error"] = errorJson(stored.error);
    return out;
}

void printText(const Json& result, const std::filesystem::path& store)
{
    std::cout << "Run " << result["run"] << " " << result["status"].get<std::string>() << ": " << result["steps"]
              << " steps in " << durationText(result["seconds"].get<double>()) << "\n";
    for (const auto& [series, value] : result["metrics"].items()) {
        double number = 0;
        if (series != "epoch" && numberFromJson(value, number))
            std::cout << "  " << series << "  " << numberText(number) << "\n";
    }
    for (const auto& [series, best] : result["best"].items()) {
        double number = 0;
        if (numberFromJson(best["value"], number))
            std::cout << "  best " << series << "  " << numberText(number) << " at step " << best["step"] << "\n";
    }
    for (const Json& finding : result["findings"])
        std::cout << "finding " << finding["rule"].get<std::string>() << ": "
                  << printable(finding["message"].get<std::string>()) << "\n";
    if (result["checkpoint"].is_string())
        std::cout << "Checkpoint: " << result["checkpoint"].get<std::string>() << "\n";
    if (result.contains("error"))
        return;
    std::cout << "Stored in " << store.string() << "  (athanor-cli runs show " << result["run"] << ")\n";
}

int exitStatus(RunStatus status)
{
    switch (status) {
    case RunStatus::Finished:
    case RunStatus::Stopped:
        return kDone;
    case RunStatus::Diverged:
        return kProblems;
    default:
        return kImpossible;
    }
}

bool hasEnded(const RunController& run)
{
    return run.state() == SessionState::Finished || run.state() == SessionState::Failed;
}

// Heeds Ctrl+C: first the training stops; once it has ended, the wait for a store that cannot be written.
class Interruptions {
public:
    void pass(RunController& run, ProgressLine& line)
    {
        if (hasEnded(run)) {
            passAtEnd(run, line);
        } else if (interruptions > 0 && !std::exchange(m_isStopping, true)) {
            line.clear();
            spdlog::info("Stopping after this step (Ctrl+C again ends at once)");
            run.post(command::Stop{});
        }
    }

private:
    void passAtEnd(RunController& run, ProgressLine& line)
    {
        if (m_beforeEnd < 0) {
            m_beforeEnd = interruptions;
            heeded = m_beforeEnd + 1;
        }
        if (interruptions > m_beforeEnd)
            run.giveUpStoring();
        if (!run.storageError().message.empty() && !std::exchange(m_isTold, true)) {
            line.clear();
            spdlog::info("Ctrl+C ends the wait for the store; what is not stored then is lost");
        }
    }

    bool m_isStopping = false;
    bool m_isTold = false;
    int m_beforeEnd = -1;
};

// Drives the run to its end: events, progress, Ctrl+C.
void follow(RunController& run, EventQueue& events)
{
    ProgressLine line;
    Interruptions interrupted;
    while (!run.wait(std::chrono::milliseconds(100))) {
        printEvents(events, line);
        interrupted.pass(run, line);
        if (run.state() == SessionState::Running)
            line.update(run.progress());
    }
    line.clear();
    printEvents(events, line);
}

/// RUN or RUN@step.
Result<RunOptions::Fork> forkOf(const RunStore& store, const std::string& text)
{
    RunOptions::Fork fork;
    const auto at = text.rfind('@');
    if (at != std::string::npos) {
        std::int64_t step = 0;
        const char* end = text.data() + text.size();
        const auto [stopped, error] = std::from_chars(text.data() + at + 1, end, step);
        if (error == std::errc() && stopped == end && step > 0)
            fork.step = step;
    }
    const Result<RunId> run = store.findRun(fork.step ? text.substr(0, at) : text); // a name may have an @ in it
    if (!run)
        return run.error();
    fork.run = *run;
    return fork;
}

Result<RunOptions> runOptions(const Common& common, const TrainArguments& arguments)
{
    RunOptions options;
    options.storeFile = common.store;
    options.name = arguments.name;
    options.environment = environmentReport();
    options.session.unattended = true;
    options.session.steps = arguments.steps;
    options.session.threads = arguments.threads;
    options.session.workers = arguments.workers;
    options.session.probes = !arguments.noProbes;
    if (!arguments.fork.empty()) {
        const Result<RunStore> store = RunStore::openToRead(common.store);
        if (!store)
            return store.error();
        const auto fork = forkOf(*store, arguments.fork);
        if (!fork)
            return fork.error();
        options.fork = *fork;
    }
    if (!arguments.resume.empty()) {
        const Result<RunStore> store = RunStore::openToRead(common.store);
        if (!store)
            return store.error();
        const Result<RunId> run = store->findRun(arguments.resume);
        if (!run)
            return run.error();
        options.resume = *run;
    }
    return options;
}

} // namespace

int train(const Common& common, const TrainArguments& arguments)
{
    Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    for (const Problem& problem : environmentProblems())
        spdlog::warn("{}", problemLine(problem));
    const Result<RunOptions> options = runOptions(common, arguments);
    if (!options)
        return fail(common, options.error());

    auto started = RunController::start(*project, *options, makeTrainingSession);
    if (!started)
        return fail(common, started.error());
    RunController& run = **started;
    std::signal(SIGINT, countInterruption);
    std::signal(SIGTERM, countInterruption);
    EventQueue events;
    run.setEventListener([&events](const Event& event) { events.add(event); });
    follow(run, events);
    run.setEventListener({});

    const RunOutcome outcome = run.outcome();
    for (const Problem& problem : outcome.problems)
        spdlog::log(problem.severity == Severity::Error ? spdlog::level::err : spdlog::level::warn, "{}", problemLine(problem));
    const Stored stored = storedOf(run);
    const bool isWhole = stored.error.message.empty();
    if (!isWhole)
        spdlog::error("The run was not stored whole. {}", stored.error.text());
    const Json result = resultJson(run, stored, outcome, run.progress());
    if (common.json)
        printJson(result);
    else
        printText(result, run.storeFile());
    return isWhole ? exitStatus(outcome.status) : kImpossible;
}

} // namespace athanor::cli
