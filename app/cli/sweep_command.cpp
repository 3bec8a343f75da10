#include "app/cli/child_run.h"
#include "app/cli/output.h"
#include "app/cli/sweep_plan.h"
#include "engine/store/run_store.h"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <iostream>
#include <thread>
#include <unistd.h>

namespace athanor::cli {
namespace {

volatile std::sig_atomic_t cancelled = 0;
extern "C" void cancelSweep(int)
{
    if (cancelled != 0)
        _exit(130);
    cancelled = 1;
}

using Clock = std::chrono::steady_clock;

/// A trial whose training runs now.
struct RunningTrial {
    std::size_t index = 0;
    ChildRun child;
    Clock::time_point start;
};

std::string settingsText(const SweepTrial& trial)
{
    std::string text;
    for (const auto& [path, value] : trial.settings)
        text += fmt::format("{}{}={}", text.empty() ? "" : " ", path.substr(path.rfind('.') + 1), value);
    return text;
}

class Sweep {
public:
    Sweep(const Common& common, const SweepArguments& arguments, std::vector<SweepTrial> trials, SweepFile file)
        : m_common(common)
        , m_arguments(arguments)
        , m_trials(std::move(trials))
        , m_file(std::move(file))
        , m_isTerminal(isatty(STDERR_FILENO) != 0)
        , m_maximize(naturalMode(arguments.metric) == MonitorMode::Max)
    {
    }

    Status run();
    [[nodiscard]] Json resultJson() const;
    void printResult() const;
    [[nodiscard]] bool allFailed() const;

private:
    [[nodiscard]] std::int64_t stepsOf(int rung) const;
    [[nodiscard]] std::optional<std::size_t> nextTrial() const;
    [[nodiscard]] bool isBetter(double a, double b) const;
    [[nodiscard]] std::vector<std::size_t> ranked() const;
    Status start(std::size_t index);
    Status collect();
    void take(SweepTrial& trial, const ChildEnd& end);
    void dropWorst();
    void adoptRuns();
    void show();
    void lookAtRunning();

    const Common& m_common;
    const SweepArguments& m_arguments;
    std::vector<SweepTrial> m_trials;
    SweepFile m_file;
    bool m_isTerminal;
    bool m_maximize;
    std::vector<RunningTrial> m_running;
    int m_rung = 0;
    std::size_t m_linesDrawn = 0;
    Clock::time_point m_lastLook;
};

/// NaN is worse than everything.
bool Sweep::isBetter(double a, double b) const
{
    if (std::isnan(a) || std::isnan(b))
        return !std::isnan(a);
    return m_maximize ? a > b : a < b;
}

std::vector<std::size_t> Sweep::ranked() const
{
    std::vector<std::size_t> order(m_trials.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        if (m_trials[a].rung != m_trials[b].rung)
            return m_trials[a].rung > m_trials[b].rung;
        return isBetter(m_trials[a].value, m_trials[b].value);
    });
    return order;
}

/// Steps that a trial has when it has finished this rung; 0: the project's length.
std::int64_t Sweep::stepsOf(int rung) const
{
    if (m_arguments.halvingSteps == 0)
        return m_arguments.steps.value_or(0);
    std::int64_t steps = m_arguments.halvingSteps;
    for (int i = 0; i < rung; ++i)
        steps *= m_arguments.eta;
    return steps;
}

std::optional<std::size_t> Sweep::nextTrial() const
{
    for (std::size_t i = 0; i < m_trials.size(); ++i)
        if (m_trials[i].status == TrialStatus::Waiting && m_trials[i].rung == m_rung)
            return i;
    return std::nullopt;
}

Status Sweep::start(std::size_t index)
{
    SweepTrial& trial = m_trials[index];
    std::vector<std::string> words{"train", m_arguments.project.file.string(), "--json", "--store", m_common.store.string()};
    const auto add = [&](const std::string& option, const std::string& value) {
        words.push_back(option);
        words.push_back(value);
    };
    if (trial.run > 0)
        add("--resume", std::to_string(trial.run));
    else
        add("--name", fmt::format("{}/{}", m_arguments.name, index + 1));
    if (const auto steps = stepsOf(m_rung); steps > 0)
        add("--steps", std::to_string(steps));
    const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
    add("--threads", std::to_string(std::max<std::int64_t>(1, cores / m_arguments.jobs)));
    for (const std::string& setting : m_arguments.project.settings)
        add("--set", setting);
    for (const auto& [path, value] : trial.settings)
        add("--set", fmt::format("{}={}", path, value));
    auto child = ChildRun::start(words);
    if (!child)
        return child.error();
    trial.status = TrialStatus::Running;
    m_running.push_back({index, std::move(*child), Clock::now()});
    return m_file.save(m_trials);
}

void Sweep::take(SweepTrial& trial, const ChildEnd& end)
{
    const Json& result = end.result;
    const std::string status = result.is_object() ? result.value("status", "") : "";
    if (result.is_object() && result.contains("run"))
        trial.run = result["run"].get<std::int64_t>();
    if (cancelled != 0 && status == "stopped") {
        trial.status = TrialStatus::Waiting; // goes on from its checkpoint when the sweep does
        return;
    }
    if (status != "finished" && status != "diverged") {
        trial.status = TrialStatus::Failed;
        trial.failure = result.is_object() && result.contains("failure") ? result["failure"].get<std::string>() : end.complaint;
        return;
    }
    ++trial.rung;
    trial.steps = result.value("steps", std::int64_t(0));
    trial.seconds = result.value("seconds", 0.0);
    const Json& best = result["best"];
    const Json value = best.contains(m_arguments.metric) ? best[m_arguments.metric]["value"]
                                                         : result["metrics"].value(m_arguments.metric, Json());
    if (status == "diverged" || !numberFromJson(value, trial.value))
        trial.value = std::nan("");
    trial.status = TrialStatus::Done;
}

Status Sweep::collect()
{
    for (std::size_t i = 0; i < m_running.size();) {
        const auto end = m_running[i].child.poll();
        if (!end) {
            ++i;
            continue;
        }
        SweepTrial& trial = m_trials[m_running[i].index];
        take(trial, *end);
        if (!m_isTerminal)
            spdlog::info("{}/{} {}: {} {} {}", m_running[i].index + 1, m_trials.size(), settingsText(trial),
                         trialStatusName(trial.status), m_arguments.metric, numberText(trial.value));
        m_running.erase(m_running.begin() + static_cast<std::ptrdiff_t>(i));
        if (Status saved = m_file.save(m_trials); !saved)
            return saved;
    }
    return Done{};
}

/// Successive halving: one in eta of those that finished the rung goes on, from its checkpoint.
void Sweep::dropWorst()
{
    std::vector<std::size_t> finished;
    for (const std::size_t i : ranked())
        if (m_trials[i].rung == m_rung + 1 && m_trials[i].status == TrialStatus::Done)
            finished.push_back(i);
    const std::size_t kept = finished.size() / static_cast<std::size_t>(m_arguments.eta);
    ++m_rung;
    for (std::size_t place = 0; place < finished.size(); ++place) {
        SweepTrial& trial = m_trials[finished[place]];
        const bool goesOn = place < kept && !std::isnan(trial.value);
        trial.status = goesOn ? TrialStatus::Waiting : kept > 0 ? TrialStatus::Dropped : TrialStatus::Done;
    }
}

/// A trial that ran when an earlier process ended goes on from its checkpoint, if it had come to one.
void Sweep::adoptRuns()
{
    const Result<RunStore> store = RunStore::openToRead(m_common.store);
    for (std::size_t i = 0; i < m_trials.size() && store.ok(); ++i) {
        SweepTrial& trial = m_trials[i];
        if (!trial.wasRunning || trial.run > 0)
            continue;
        const auto run = store->findRun(fmt::format("{}/{}", m_arguments.name, i + 1));
        const auto checkpoints = run ? store->checkpoints(*run) : Result<std::vector<CheckpointInfo>>(run.error());
        const auto isThere = [](const CheckpointInfo& one) { return std::filesystem::exists(one.file); };
        if (checkpoints && std::ranges::any_of(*checkpoints, isThere))
            trial.run = *run;
    }
}

/// Steps and newest value of what runs, from the store.
void Sweep::lookAtRunning()
{
    if (m_running.empty() || Clock::now() - m_lastLook < std::chrono::seconds(1))
        return;
    m_lastLook = Clock::now();
    const Result<RunStore> store = RunStore::openToRead(m_common.store);
    if (!store)
        return;
    for (const RunningTrial& running : m_running) {
        SweepTrial& trial = m_trials[running.index];
        if (trial.run == 0)
            if (const auto run = store->findRun(fmt::format("{}/{}", m_arguments.name, running.index + 1)); run)
                trial.run = *run;
        const auto summaries = trial.run > 0 ? store->summaries(trial.run) : Result<std::vector<SeriesSummary>>(Error{});
        if (!summaries)
            continue;
        for (const SeriesSummary& one : *summaries) {
            if (one.name == m_arguments.metric && one.count > 0)
                trial.value = m_maximize ? one.max : one.min;
            if (one.name == "train/loss" && one.count > 0)
                trial.steps = one.lastStep;
        }
    }
}

void Sweep::show()
{
    if (!m_isTerminal)
        return;
    lookAtRunning();
    constexpr std::size_t kMostLines = 24;
    TextTable table({"trial", "settings", "status", "run", "steps", m_arguments.metric});
    std::size_t lines = 0;
    for (const std::size_t i : ranked()) {
        const SweepTrial& trial = m_trials[i];
        if (++lines > kMostLines && trial.status != TrialStatus::Running)
            continue;
        table.add({std::to_string(i + 1), settingsText(trial), trialStatusName(trial.status), std::to_string(trial.run),
                   std::to_string(trial.steps), numberText(trial.value)});
    }
    const std::string text = table.text();
    std::cerr << (m_linesDrawn > 0 ? fmt::format("\x1b[{}A\x1b[J", m_linesDrawn) : std::string()) << text << std::flush;
    m_linesDrawn = static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

Status Sweep::run()
{
    if (Status loaded = m_file.load(m_trials); !loaded)
        return loaded;
    adoptRuns();
    for (const SweepTrial& trial : m_trials) // where an earlier process was
        if (trial.status == TrialStatus::Waiting && trial.rung > m_rung)
            m_rung = trial.rung;
    for (const SweepTrial& trial : m_trials)
        if (trial.status == TrialStatus::Waiting)
            m_rung = std::min(m_rung, trial.rung);
    bool interrupted = false;
    while (true) {
        while (cancelled == 0 && static_cast<std::int64_t>(m_running.size()) < m_arguments.jobs) {
            const auto next = nextTrial();
            if (!next)
                break;
            if (Status started = start(*next); !started)
                return started;
        }
        if (cancelled != 0 && !std::exchange(interrupted, true))
            for (const RunningTrial& running : m_running)
                running.child.interrupt();
        show();
        if (m_running.empty()) {
            if (cancelled != 0 || m_arguments.halvingSteps == 0)
                break;
            dropWorst();
            if (Status saved = m_file.save(m_trials); !saved)
                return saved;
            if (!nextTrial())
                break;
            continue;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        if (Status collected = collect(); !collected)
            return collected;
    }
    show();
    return m_file.save(m_trials);
}

Json Sweep::resultJson() const
{
    Json trials = Json::array();
    for (const SweepTrial& trial : m_trials)
        trials.push_back(trialJson(trial));
    Json best = nullptr;
    for (const std::size_t i : ranked())
        if (best.is_null() && !std::isnan(m_trials[i].value))
            best = trialJson(m_trials[i]);
    return {{"metric", m_arguments.metric}, {"mode", m_maximize ? "max" : "min"}, {"trials", trials},
            {"best", best},                 {"state", m_file.file().string()},    {"cancelled", cancelled != 0}};
}

void Sweep::printResult() const
{
    TextTable table({"trial", "settings", "status", "run", "steps", m_arguments.metric});
    for (const std::size_t i : ranked()) {
        const SweepTrial& trial = m_trials[i];
        table.add({std::to_string(i + 1), settingsText(trial), trialStatusName(trial.status), std::to_string(trial.run),
                   std::to_string(trial.steps), numberText(trial.value)});
    }
    std::cout << table.text();
    for (const SweepTrial& trial : m_trials)
        if (!trial.failure.empty())
            std::cout << settingsText(trial) << ": " << printable(trial.failure) << "\n";
    if (cancelled != 0)
        std::cout << "Cancelled; the same command goes on with it.\n";
}

bool Sweep::allFailed() const
{
    return std::ranges::all_of(m_trials, [](const SweepTrial& trial) { return trial.status == TrialStatus::Failed; });
}

/// What makes two sweeps the same one.
Json planOf(const SweepArguments& arguments, const std::vector<SweepTrial>& trials)
{
    Json settings = Json::array();
    for (const SweepTrial& trial : trials)
        settings.push_back(trialJson(trial)["settings"]);
    return {{"project", arguments.project.file.string()},
            {"set", arguments.project.settings},
            {"metric", arguments.metric},
            {"name", arguments.name},
            {"steps", arguments.steps ? Json(*arguments.steps) : Json()},
            {"halving", arguments.halvingSteps},
            {"eta", arguments.eta},
            {"trials", settings}};
}

} // namespace

int sweep(const Common& common, const SweepArguments& given)
{
    const Result<Project> project = loadProjectWith(given.project);
    if (!project)
        return fail(common, project.error());
    SweepArguments arguments = given;
    if (arguments.name.empty())
        arguments.name = project->name + " sweep";
    if (arguments.state.empty()) {
        arguments.state = arguments.project.file;
        arguments.state.replace_extension(".sweep.json");
    }
    auto trials = plannedTrials(*project, arguments);
    if (!trials)
        return trials.error().code == ErrorCode::InvalidArgument ? (fail(common, trials.error()), kUsage)
                                                                 : fail(common, trials.error());
    std::error_code ignored;
    if (arguments.fresh)
        std::filesystem::remove(arguments.state, ignored);
    const Json plan = planOf(arguments, *trials);
    Sweep sweep(common, arguments, std::move(*trials), SweepFile(arguments.state, plan));
    std::signal(SIGINT, cancelSweep);
    std::signal(SIGTERM, cancelSweep);
    if (Status done = sweep.run(); !done)
        return fail(common, done.error());
    if (common.json)
        printJson(sweep.resultJson());
    else
        sweep.printResult();
    return sweep.allFailed() ? kImpossible : kDone;
}

} // namespace athanor::cli
