#include "tests/support/fake_session.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace athanor {
namespace {

using std::chrono::steady_clock;

bool isTerminal(SessionState state)
{
    return state == SessionState::Finished || state == SessionState::Failed;
}

bool hasError(const std::vector<Problem>& problems)
{
    return std::any_of(problems.begin(), problems.end(),
                       [](const Problem& problem) { return problem.severity == Severity::Error; });
}

double seconds(steady_clock::duration duration)
{
    return std::chrono::duration<double>(duration).count();
}

} // namespace

std::vector<FakeSeries> FakeScript::healthySeries()
{
    const auto noise = [](std::int64_t step) { return 0.05 * std::sin(0.7 * static_cast<double>(step)); };
    const auto loss = [noise](std::int64_t step) {
        return 0.1 + 2.2 * std::exp(-static_cast<double>(step) / 60) + noise(step);
    };
    return {
        {{"train/loss", "", SeriesRole::Essential}, loss, 1},
        {{"lr", "", SeriesRole::Essential}, [](std::int64_t) { return 0.01; }, 1},
        {{"val/loss", "", SeriesRole::Essential}, [loss](std::int64_t step) { return loss(step) + 0.1; }, 50},
        {{"val/accuracy", "", SeriesRole::Essential},
         [](std::int64_t step) { return 1 - 0.9 * std::exp(-static_cast<double>(step) / 60); }, 50},
        {{"grad_norm", "", SeriesRole::Probe}, [loss](std::int64_t step) { return 1.5 * loss(step); }, 1},
        {{"grad_norm/conv1.weight", "", SeriesRole::Probe}, [loss](std::int64_t step) { return loss(step); }, 1},
        {{"time/step", "ms", SeriesRole::Machine}, [](std::int64_t) { return 1.0; }, 1},
    };
}

struct FakeSession::Impl {
    Impl(FakeScript fakeScript, const SessionOptions& sessionOptions, MetricStream& metricStream)
        : script(std::move(fakeScript)), options(sessionOptions), stream(metricStream)
    {
        if (options.steps)
            script.steps = *options.steps;
    }

    void run(const std::stop_token& stop);
    bool compile(const std::stop_token& stop);
    void train(const std::stop_token& stop);
    bool mayStep(const std::stop_token& stop);
    void apply(const SessionCommand& command);
    void oneStep(const std::stop_token& stop);
    double valueOf(const FakeSeries& series) const;
    void endStep(double loss);
    void judgeNonFinite();
    void saveCheckpoint();
    void sleep(const std::stop_token& stop, steady_clock::duration length);
    void setState(SessionState next);
    void finish(SessionState terminal, SessionEnd why);
    void say(EventKind kind, const std::string& text, const std::string& where = {});

    FakeScript script;
    const SessionOptions options;
    MetricStream& stream;

    // session thread only
    std::vector<SeriesIndex> indices;
    std::int64_t step = 0;
    bool stopAfterEpoch = false;
    bool stopRequested = false;
    bool pauseRequested = false;
    bool stepRequested = false;
    bool sawNonFinite = false;
    std::optional<double> learningRate;
    std::vector<std::optional<double>> earlierRates; ///< before each change
    std::optional<std::chrono::system_clock::time_point> stopAt;
    steady_clock::time_point nextStep{};
    double trained = 0; ///< seconds without pauses

    mutable std::mutex mutex; // guards all below but the thread
    std::condition_variable_any changed;
    std::deque<SessionCommand> commands;
    SessionState current = SessionState::Idle;
    SessionEnd why = SessionEnd::None;
    SessionProgress shown;
    std::vector<Problem> problems;

    std::jthread thread; // last: it uses all above
};

FakeSession::FakeSession(FakeScript script, const SessionOptions& options, MetricStream& stream)
    : m_impl(std::make_unique<Impl>(std::move(script), options, stream))
{
}

FakeSession::~FakeSession() = default;

void FakeSession::start()
{
    m_impl->thread = std::jthread([impl = m_impl.get()](const std::stop_token& stop) { impl->run(stop); });
}

void FakeSession::post(SessionCommand command)
{
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->commands.push_back(command);
    }
    m_impl->changed.notify_all();
}

SessionState FakeSession::state() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->current;
}

SessionEnd FakeSession::end() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->why;
}

SessionProgress FakeSession::progress() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->shown;
}

std::vector<Problem> FakeSession::problems() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->problems;
}

bool FakeSession::wait(std::chrono::milliseconds timeout)
{
    std::unique_lock lock(m_impl->mutex);
    return m_impl->changed.wait_for(lock, timeout, [this] { return isTerminal(m_impl->current); });
}

SessionFactory FakeSession::factory(FakeScript script)
{
    return [script = std::move(script)](const Project&, const SessionOptions& options, MetricStream& stream) {
        return std::make_unique<FakeSession>(script, options, stream);
    };
}

void FakeSession::Impl::run(const std::stop_token& stop)
{
    if (compile(stop))
        train(stop);
    stream.close();
}

bool FakeSession::Impl::compile(const std::stop_token& stop)
{
    setState(SessionState::Compiling);
    {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, stop, script.compiling, [this] {
            return std::any_of(commands.begin(), commands.end(), [](const SessionCommand& command) {
                return std::holds_alternative<command::Stop>(command);
            });
        });
    }
    if (!options.resumeFrom.empty())
        std::ifstream(options.resumeFrom) >> step >> trained;
    {
        const std::lock_guard lock(mutex);
        problems = script.compileProblems;
        shown.step = step;
        shown.totalSteps = script.steps;
        shown.epochs = (script.steps + script.stepsPerEpoch - 1) / script.stepsPerEpoch;
    }
    if (hasError(script.compileProblems)) {
        say(EventKind::Failed, script.compileProblems.front().message, script.compileProblems.front().where);
        finish(SessionState::Failed, SessionEnd::None);
        return false;
    }
    for (const FakeSeries& series : script.series)
        indices.push_back(stream.series(series.info));
    return true;
}

void FakeSession::Impl::train(const std::stop_token& stop)
{
    setState(SessionState::Running);
    nextStep = steady_clock::now();
    while (step < script.steps) {
        if (!mayStep(stop)) {
            setState(SessionState::Stopping);
            finish(SessionState::Finished, SessionEnd::Stopped);
            return;
        }
        oneStep(stop);
        if (script.failAtStep == step) {
            {
                const std::lock_guard lock(mutex);
                problems.push_back({"training", Severity::Error, script.failure, {}});
            }
            say(EventKind::Failed, script.failure, "training");
            finish(SessionState::Failed, SessionEnd::None);
            return;
        }
        if (std::exchange(sawNonFinite, false) && script.onNonFinite == NonFinitePolicy::Stop) {
            finish(SessionState::Finished, SessionEnd::Diverged);
            return;
        }
        if (script.earlyStopAtStep == step) {
            finish(SessionState::Finished, SessionEnd::EarlyStopped);
            return;
        }
    }
    finish(SessionState::Finished, SessionEnd::Completed);
}

// Reads the commands, waits while paused; false: stop.
bool FakeSession::Impl::mayStep(const std::stop_token& stop)
{
    for (;;) {
        std::deque<SessionCommand> news;
        {
            const std::lock_guard lock(mutex);
            news.swap(commands);
        }
        for (const SessionCommand& command : news)
            apply(command);
        const bool isTime = stopAt && std::chrono::system_clock::now() >= *stopAt;
        if (stop.stop_requested() || stopRequested || isTime || (stopAfterEpoch && step % script.stepsPerEpoch == 0 && step > 0))
            return false;
        if (std::exchange(stepRequested, false)) {
            pauseRequested = true;
            return true;
        }
        if (!pauseRequested) {
            setState(SessionState::Running);
            return true;
        }
        setState(SessionState::Paused);
        std::unique_lock lock(mutex);
        changed.wait(lock, stop, [this] { return !commands.empty(); });
        nextStep = steady_clock::now();
    }
}

void FakeSession::Impl::apply(const SessionCommand& command)
{
    if (std::holds_alternative<command::Pause>(command)) {
        pauseRequested = true;
    } else if (std::holds_alternative<command::Resume>(command)) {
        pauseRequested = false;
    } else if (std::holds_alternative<command::StepOnce>(command)) {
        stepRequested = true;
    } else if (std::holds_alternative<command::Stop>(command)) {
        stopRequested = true;
    } else if (std::holds_alternative<command::StopAfterEpoch>(command)) {
        stopAfterEpoch = true;
    } else if (std::holds_alternative<command::SaveCheckpoint>(command)) {
        saveCheckpoint();
    } else if (const auto* at = std::get_if<command::StopAt>(&command)) {
        const bool isWish = at->time.time_since_epoch().count() != 0;
        stopAt = isWish ? std::optional(at->time) : std::nullopt;
        say(EventKind::Note, isWish ? "The run will stop at a time." : "The run no longer stops at a time.");
    } else if (const auto* setting = std::get_if<command::ChangeSetting>(&command)) {
        earlierRates.push_back(learningRate);
        say(EventKind::SettingChanged, setting->path + " → " + setting->value.dump(), setting->path);
    } else if (std::holds_alternative<command::Revert>(command)) {
        if (earlierRates.empty()) {
            say(EventKind::Note, "There is no change to take back.", "training");
        } else {
            learningRate = earlierRates.back();
            earlierRates.pop_back();
            say(EventKind::SettingChanged, "The last change is taken back.");
        }
    } else if (const auto* rate = std::get_if<command::SetLearningRate>(&command)) {
        earlierRates.push_back(learningRate);
        learningRate = rate->value;
        say(EventKind::SettingChanged, "The learning rate was set to " + std::to_string(rate->value),
            "training/optimizer/lr");
    }
}

void FakeSession::Impl::oneStep(const std::stop_token& stop)
{
    const auto begin = steady_clock::now();
    ++step;
    for (const FakeStall& stall : script.stalls) {
        if (stall.step == step)
            sleep(stop, stall.length);
    }
    if (script.stepsPerSecond > 0) {
        nextStep = std::max(nextStep, begin) +
                   std::chrono::duration_cast<steady_clock::duration>(
                       std::chrono::duration<double>(1 / script.stepsPerSecond));
        sleep(stop, nextStep - steady_clock::now());
    }
    double loss = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < script.series.size(); ++i) {
        const FakeSeries& series = script.series[i];
        if (step % series.every != 0)
            continue;
        const double value = valueOf(series);
        stream.push(indices[i], step, value);
        if (series.info.name == "train/loss") {
            loss = value;
            sawNonFinite = !std::isfinite(value);
        }
    }
    stream.commitStep();
    trained += seconds(steady_clock::now() - begin);
    endStep(loss);
}

double FakeSession::Impl::valueOf(const FakeSeries& series) const
{
    for (const FakeBurst& burst : script.bursts) {
        if (burst.series == series.info.name && step >= burst.firstStep && step <= burst.lastStep)
            return burst.value;
    }
    return series.info.name == "lr" && learningRate ? *learningRate : series.value(step);
}

void FakeSession::Impl::endStep(double loss)
{
    {
        const std::lock_guard lock(mutex);
        shown.step = step;
        shown.epoch = static_cast<double>(step) / static_cast<double>(script.stepsPerEpoch);
        shown.loss = loss;
        shown.seconds = trained;
        shown.stepMilliseconds = 1e3 * trained / static_cast<double>(step);
        if (trained > 0)
            shown.samplesPerSecond = static_cast<double>(script.batchSize * step) / trained;
        shown.secondsLeft = trained / static_cast<double>(step) * static_cast<double>(script.steps - step);
    }
    if (sawNonFinite)
        judgeNonFinite();
    if (step % script.stepsPerEpoch == 0)
        say(EventKind::EpochEnded, "Epoch " + std::to_string(step / script.stepsPerEpoch) + " ended");
    if (script.checkpointEvery > 0 && step % script.checkpointEvery == 0)
        saveCheckpoint();
}

void FakeSession::Impl::judgeNonFinite()
{
    say(EventKind::NonFinite, "The loss is not finite.", "train/loss");
    if (script.onNonFinite == NonFinitePolicy::Pause)
        pauseRequested = true;
}

// Step and seconds are all that this session needs to go on from there.
void FakeSession::Impl::saveCheckpoint()
{
    if (options.checkpointFolder.empty())
        return;
    std::filesystem::create_directories(options.checkpointFolder);
    const auto file = options.checkpointFolder / ("step-" + std::to_string(step) + ".ckpt");
    std::ofstream(file) << step << ' ' << trained << '\n';
    if (options.checkpointWritten)
        options.checkpointWritten({step, file, false, std::numeric_limits<double>::quiet_NaN()});
    say(EventKind::CheckpointWritten, "Checkpoint " + file.filename().string());
}

void FakeSession::Impl::sleep(const std::stop_token& stop, steady_clock::duration length)
{
    std::unique_lock lock(mutex);
    changed.wait_for(lock, stop, length, [] { return false; });
}

void FakeSession::Impl::setState(SessionState next)
{
    {
        const std::lock_guard lock(mutex);
        if (current == next)
            return;
        current = next;
    }
    static constexpr const char* kNames[] = {"idle", "compiling", "running", "paused", "stopping", "finished", "failed"};
    say(EventKind::StateChanged, kNames[static_cast<std::size_t>(next)]);
    changed.notify_all();
}

void FakeSession::Impl::finish(SessionState terminal, SessionEnd reason)
{
    {
        const std::lock_guard lock(mutex);
        why = reason;
    }
    setState(terminal);
}

void FakeSession::Impl::say(EventKind kind, const std::string& text, const std::string& where)
{
    stream.event({step, 0, kind, text, where});
}

} // namespace athanor
