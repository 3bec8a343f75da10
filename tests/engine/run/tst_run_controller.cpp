#include "engine/run/run_controller.h"

#include "tests/engine/store/store_testing.h"
#include "tests/support/fake_session.h"

#include <QTemporaryDir>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <mutex>
#include <set>
#include <thread>

using namespace athanor;
using namespace athanor::testing;
using namespace std::chrono_literals;

namespace {

constexpr auto kLong = 30s;

Project someProject()
{
    Project project;
    project.name = "digits";
    return project;
}

} // namespace

class TestRunController : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_options = {};
        m_options.storeFile = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void aRunGoesFromStartToStoredEnd()
    {
        m_options.name = "mine";
        m_options.environment = {{"device", "cpu"}};
        auto run = started({});
        QCOMPARE(run->storeFile(), m_options.storeFile);
        QVERIFY(run->wait(kLong));
        QVERIFY(run->state() == SessionState::Finished);
        QVERIFY(run->outcome().status == RunStatus::Finished);
        QVERIFY(run->outcome().failure.empty());
        QVERIFY(run->storageError().message.empty());
        QVERIFY(run->findings().empty());
        QCOMPARE(run->series().view(0).count, std::int64_t(200));

        RunStore store = openStore(m_options.storeFile);
        const auto info = valueOf(store.run(run->runId()));
        QCOMPARE(info.name, std::string("mine"));
        QCOMPARE(info.project, std::string("digits"));
        QVERIFY(info.status == RunStatus::Finished);
        QCOMPARE(info.steps, std::int64_t(200));
        QCOMPARE(info.epochs, 4.0);
        QVERIFY(info.seconds > 0);
        QVERIFY(info.environment == (Json{{"device", "cpu"}}));
        QCOMPARE(valueOf(store.projectText(info.id)), projectText(someProject()));
        const auto loss = valueOf(store.points(info.id, "train/loss"));
        QCOMPARE(loss.steps.size(), std::size_t(200));
        const auto expected = FakeScript::healthySeries()[0].value;
        for (std::size_t i = 0; i < loss.steps.size(); ++i)
            QCOMPARE(loss.values[i], expected(loss.steps[i]));
        QCOMPARE(valueOf(store.points(info.id, "val/accuracy")).steps, (std::vector<std::int64_t>{50, 100, 150, 200}));
    }

    void endsAreTold_data()
    {
        QTest::addColumn<int>("failAt");
        QTest::addColumn<int>("earlyStopAt");
        QTest::addColumn<int>("nanAt");
        QTest::addColumn<QString>("status");
        QTest::addColumn<QString>("failure");
        QTest::newRow("completed") << 0 << 0 << 0 << "finished" << "";
        QTest::newRow("early stopped") << 0 << 60 << 0 << "finished" << "";
        QTest::newRow("failed") << 70 << 0 << 0 << "failed" << "training: no memory left";
        QTest::newRow("diverged") << 0 << 0 << 80 << "diverged"
                                 << "train/loss is NaN or infinite at step 80. The loss is not finite.";
    }
    void endsAreTold()
    {
        QFETCH(int, failAt);
        QFETCH(int, earlyStopAt);
        QFETCH(int, nanAt);
        QFETCH(QString, status);
        QFETCH(QString, failure);
        FakeScript script;
        script.failAtStep = failAt;
        script.failure = "no memory left";
        script.earlyStopAtStep = earlyStopAt;
        script.onNonFinite = NonFinitePolicy::Stop;
        if (nanAt > 0)
            script.bursts = {{"train/loss", nanAt, nanAt, std::numeric_limits<double>::quiet_NaN()}};
        auto run = started(script);
        QVERIFY(run->wait(kLong));
        QCOMPARE(runStatusName(run->outcome().status), status.toStdString());
        QCOMPARE(run->outcome().failure, failure.toStdString());
        const auto info = valueOf(openStore(m_options.storeFile).run(run->runId()));
        QCOMPARE(runStatusName(info.status), status.toStdString());
        QCOMPARE(info.failure, failure.toStdString());
        QCOMPARE(info.steps, std::int64_t(failAt + earlyStopAt + nanAt == 0 ? 200 : failAt + earlyStopAt + nanAt));
        QCOMPARE(run->findings().size(), std::size_t(nanAt > 0));
    }

    void aProjectWithProblemsFails()
    {
        FakeScript script;
        script.compileProblems = {{"network/conv1", Severity::Warning, "odd", {}},
                                  {"network/fc", Severity::Error, "shapes do not fit", "hint"}};
        auto run = started(script);
        QVERIFY(run->wait(kLong));
        QVERIFY(run->outcome().status == RunStatus::Failed);
        QCOMPARE(run->outcome().failure, std::string("network/fc: shapes do not fit"));
        QCOMPARE(run->outcome().problems.size(), std::size_t(2));
    }

    void pauseStepAndResumeAreExact()
    {
        FakeScript script;
        script.steps = 1'000'000;
        script.stepsPerSecond = 500;
        auto run = started(script);
        QTRY_VERIFY(run->progress().step > 5);
        run->post(command::Pause{});
        QTRY_VERIFY(run->state() == SessionState::Paused);
        const std::int64_t paused = run->progress().step;
        QTest::qWait(100);
        QCOMPARE(run->progress().step, paused);
        QTRY_COMPARE(valueOf(openStore(m_options.storeFile).run(run->runId())).status, RunStatus::Paused);
        for (int i = 1; i <= 3; ++i) {
            run->post(command::StepOnce{});
            QTRY_COMPARE(run->progress().step, paused + i);
            QTRY_VERIFY(run->state() == SessionState::Paused);
            QTest::qWait(30);
            QCOMPARE(run->progress().step, paused + i);
        }
        QTRY_COMPARE(run->series().latest(0).step, paused + 3);
        run->post(command::Resume{});
        QTRY_VERIFY(run->progress().step > paused + 10);
        run->post(command::Stop{});
        QVERIFY(run->wait(kLong));
        QVERIFY(run->outcome().status == RunStatus::Stopped);
        QCOMPARE(run->series().latest(0).step, run->progress().step);
        QVERIFY(valueOf(openStore(m_options.storeFile).verify()).clean);
    }

    void settingsAndEpochsAreHeeded()
    {
        FakeScript script;
        script.steps = 1'000'000;
        script.stepsPerSecond = 2000;
        auto run = started(script);
        QTRY_VERIFY(run->progress().step > 5);
        run->post(command::SetLearningRate{0.125});
        QTRY_COMPARE(run->series().latest(1).value, 0.125);
        run->post(command::StopAfterEpoch{});
        QVERIFY(run->wait(kLong));
        QCOMPARE(run->progress().step % 50, std::int64_t(0));
        const auto events = valueOf(openStore(m_options.storeFile).events(run->runId()));
        QVERIFY(std::any_of(events.begin(), events.end(),
                            [](const Event& event) { return event.kind == EventKind::SettingChanged; }));
    }

    void destructionStopsTheRunSoon()
    {
        FakeScript script;
        script.steps = 1'000'000;
        script.stepsPerSecond = 100;
        auto run = started(script);
        QTRY_VERIFY(run->progress().step > 3);
        const RunId id = run->runId();
        const auto begin = std::chrono::steady_clock::now();
        run.reset();
        // About a second is promised; a busy machine is forgiven, a forgotten wait of a minute is not.
        QVERIFY(std::chrono::steady_clock::now() - begin < 5s);
        const auto info = valueOf(openStore(m_options.storeFile).run(id));
        QVERIFY(info.status == RunStatus::Stopped);
        QCOMPARE(valueOf(openStore(m_options.storeFile).points(id, "train/loss")).steps.size(),
                 static_cast<std::size_t>(info.steps));
    }

    void destructionEndsAPausedAndAStartingRun()
    {
        FakeScript script;
        script.compiling = 60s;
        started(script).reset();
        script.compiling = 0s;
        script.steps = 1'000'000;
        auto run = started(script);
        run->post(command::Pause{});
        QTRY_VERIFY(run->state() == SessionState::Paused);
        run.reset();
        for (const RunInfo& info : valueOf(openStore(m_options.storeFile).runs()))
            QVERIFY(info.status == RunStatus::Stopped);
    }

    void aListenerHearsAllEventsWheneverItComes()
    {
        const auto kinds = [](RunController& run) {
            std::mutex mutex;
            std::vector<EventKind> heard;
            run.setEventListener([&](const Event& event) {
                const std::lock_guard lock(mutex);
                heard.push_back(event.kind);
            });
            const auto count = [&] {
                const std::lock_guard lock(mutex);
                return std::count(heard.begin(), heard.end(), EventKind::EpochEnded);
            };
            [&] { QTRY_COMPARE(count(), 4); }();
            const auto isLast = [&] {
                const std::lock_guard lock(mutex);
                return heard.back() == EventKind::StateChanged;
            };
            [&] { QTRY_VERIFY(isLast()); }();
            run.setEventListener({});
            const std::lock_guard lock(mutex);
            return heard;
        };
        auto early = started({});
        const auto heardEarly = kinds(*early);
        auto late = started({});
        QVERIFY(late->wait(kLong));
        QCOMPARE(kinds(*late), heardEarly);
        QVERIFY(heardEarly.front() == EventKind::StateChanged);
    }

    void checkpointsAreKeptBesideTheStore()
    {
        FakeScript script;
        script.checkpointEvery = 100;
        int heard = 0;
        m_options.session.checkpointWritten = [&](const CheckpointWritten&) { ++heard; };
        auto run = started(script);
        QVERIFY(run->wait(kLong));
        QCOMPARE(heard, 2);
        const auto checkpoints = valueOf(openStore(m_options.storeFile).checkpoints(run->runId()));
        QCOMPARE(checkpoints.size(), std::size_t(2));
        QCOMPARE(checkpoints[1].step, std::int64_t(200));
        const auto folder =
            m_options.storeFile.parent_path() / "checkpoints" / "runs.sqlite" / ("run-" + std::to_string(run->runId()));
        QCOMPARE(std::filesystem::path(checkpoints[1].file).parent_path(), folder);
        QVERIFY(std::filesystem::exists(checkpoints[1].file));
    }

    void storesInOneFolderKeepTheirCheckpointsApart()
    {
        FakeScript script;
        script.checkpointEvery = 100;
        std::set<std::string> files;
        const auto train = [&] {
            auto run = started(script);
            QVERIFY(run->wait(kLong));
            QCOMPARE(run->runId(), RunId(1));
            for (const CheckpointInfo& one : valueOf(openStore(m_options.storeFile).checkpoints(1)))
                files.insert(one.file);
        };
        train();
        const auto first = m_options.storeFile;
        m_options.storeFile.replace_filename("other.sqlite");
        train();
        // A store that is deleted leaves its checkpoints; the next one of its name must not take them for its own.
        std::filesystem::remove(first);
        m_options.storeFile = first;
        train();
        QCOMPARE(files.size(), std::size_t(6));

        // A copy goes on in a folder of its own.
        const auto copy = std::filesystem::path(first).replace_filename("copy.sqlite");
        std::filesystem::copy_file(first, copy);
        m_options.storeFile = copy;
        m_options.resume = 1;
        script.steps = 300;
        auto run = started(script);
        QVERIFY(run->wait(kLong));
        const auto checkpoints = valueOf(openStore(copy).checkpoints(1));
        QCOMPARE(checkpoints.size(), std::size_t(3));
        QVERIFY(checkpoints[1].file.find("/runs.sqlite/") != std::string::npos);
        QVERIFY(checkpoints[2].file.find("/copy.sqlite/") != std::string::npos);
    }

    void aResumeThatCannotStartLeavesTheRunAsItWas_data()
    {
        QTest::addColumn<bool>("stopped");
        QTest::newRow("fails") << false;
        QTest::newRow("is stopped before its first step") << true;
    }
    void aResumeThatCannotStartLeavesTheRunAsItWas()
    {
        QFETCH(bool, stopped);
        FakeScript script;
        script.checkpointEvery = 100;
        script.earlyStopAtStep = 130; // 30 steps after its checkpoint
        RunId id = 0;
        {
            auto good = started(script);
            QVERIFY(good->wait(kLong));
            id = good->runId();
        }
        RunStore store = openStore(m_options.storeFile);
        const RunInfo before = valueOf(store.run(id));
        const auto points = valueOf(store.points(id, "train/loss"));
        const auto events = valueOf(store.events(id)).size();
        QCOMPARE(points.steps.size(), std::size_t(130));

        m_options.resume = id;
        if (stopped)
            script.compiling = kLong;
        else
            script.compileProblems = {{"training/device", Severity::Error, "there is no such device", {}}};
        auto run = started(script);
        if (stopped)
            run->post(command::Stop{});
        QVERIFY(run->wait(kLong));
        QVERIFY(run->outcome().status == (stopped ? RunStatus::Stopped : RunStatus::Failed));
        const RunInfo after = valueOf(store.run(id));
        QVERIFY(after.status == before.status);
        QCOMPARE(after.steps, before.steps);
        QCOMPARE(after.failure, before.failure);
        QCOMPARE(after.heartbeatMs, before.heartbeatMs);
        QCOMPARE(valueOf(store.points(id, "train/loss")).steps, points.steps);
        QCOMPARE(valueOf(store.events(id)).size(), events);
        QVERIFY(valueOf(store.verify()).clean);
        run.reset();
        QVERIFY(!RunController::start(someProject(), m_options, [](const auto&, const auto&, auto&) {
                     return std::unique_ptr<Session>();
                 }).ok());
        QVERIFY(valueOf(store.run(id)).status == before.status);
        QCOMPARE(valueOf(store.points(id, "train/loss")).steps, points.steps);
    }

    void aResumedRunEqualsOneThatWasNeverInterrupted()
    {
        FakeScript script;
        script.checkpointEvery = 30;
        auto whole = started(script);
        QVERIFY(whole->wait(kLong));
        script.failAtStep = 110;
        auto first = started(script);
        QVERIFY(first->wait(kLong));
        const RunId id = first->runId();
        first.reset();

        // The newest checkpoint may be lost; the one before serves.
        QVERIFY(std::filesystem::remove(valueOf(openStore(m_options.storeFile).checkpoints(id)).back().file));
        script.failAtStep = 0;
        std::filesystem::path resumedFrom;
        m_options.resume = id;
        auto resumed = RunController::start(someProject(), m_options,
                                            [&](const Project& project, const SessionOptions& options, MetricStream& stream) {
                                                resumedFrom = options.resumeFrom;
                                                return FakeSession::factory(script)(project, options, stream);
                                            });
        VERIFY_OK(resumed);
        QVERIFY((*resumed)->wait(kLong));
        double secondsAtCheckpoint = 0;
        std::int64_t stepOfCheckpoint = 0;
        std::ifstream(resumedFrom) >> stepOfCheckpoint >> secondsAtCheckpoint;
        QVERIFY(secondsAtCheckpoint > 0);
        QCOMPARE(resumedFrom.filename().string(), std::string("step-60.ckpt"));
        QCOMPARE((*resumed)->runId(), id);
        QVERIFY((*resumed)->outcome().status == RunStatus::Finished);
        QCOMPARE((*resumed)->series().view(0).count, std::int64_t(200)); // the whole history is shown

        RunStore store = openStore(m_options.storeFile);
        for (const SeriesSummary& summary : valueOf(store.summaries(whole->runId()))) {
            const auto a = valueOf(store.points(whole->runId(), summary.name));
            const auto b = valueOf(store.points(id, summary.name));
            QCOMPARE(b.steps, a.steps);
            QVERIFY(sameBits(b.values, a.values));
        }
        QVERIFY(valueOf(store.run(id)).status == RunStatus::Finished);
        QCOMPARE(valueOf(store.run(id)).failure, std::string());
        QVERIFY(valueOf(store.run(id)).seconds > secondsAtCheckpoint);
        QVERIFY(valueOf(store.verify()).clean);
    }

    void whatCannotStartSaysWhy()
    {
        const auto failure = [&](const SessionFactory& factory) {
            auto run = RunController::start(someProject(), m_options, factory);
            return run.ok() ? Error{} : run.error();
        };
        m_options.resume = 12;
        QVERIFY(failure(FakeSession::factory({})).code == ErrorCode::NotFound);
        m_options.resume = {};
        auto plain = started({});
        QVERIFY(plain->wait(kLong));
        m_options.resume = plain->runId();
        const Error noCheckpoint = failure(FakeSession::factory({}));
        QVERIFY(noCheckpoint.code == ErrorCode::NotFound);
        QVERIFY(noCheckpoint.message.find("no checkpoint") != std::string::npos);
        m_options.resume = {};

        QCOMPARE(failure([](const auto&, const auto&, auto&) -> std::unique_ptr<Session> {
                     throw std::runtime_error("out of luck");
                 }).details,
                 std::string("out of luck"));
        QVERIFY(!failure([](const auto&, const auto&, auto&) { return std::unique_ptr<Session>(); }).message.empty());
        const auto runs = valueOf(openStore(m_options.storeFile).runs());
        QVERIFY(runs[0].status == RunStatus::Failed && runs[1].status == RunStatus::Failed);

        m_options.storeFile = "/proc/athanor/runs.sqlite";
        QVERIFY(failure(FakeSession::factory({})).code == ErrorCode::Unsupported);
    }

    void stallsAndBurstsDisturbNothing()
    {
        FakeScript script;
        script.stalls = {{20, 300ms}, {40, 700ms}};
        script.bursts = {{"train/loss", 30, 35, std::numeric_limits<double>::infinity()},
                         {"grad_norm", 33, 60, std::numeric_limits<double>::quiet_NaN()}};
        auto run = started(script);
        QVERIFY(run->wait(kLong));
        QVERIFY(run->outcome().status == RunStatus::Finished);
        const auto view = run->series().view(0);
        QCOMPARE(view.nonFinite, std::int64_t(6));
        QCOMPARE(view.nonFiniteMarks.front().step, std::int64_t(30));
        QCOMPARE(run->findings().size(), std::size_t(1));
        QCOMPARE(run->findings()[0].firstStep, std::int64_t(30));
        QCOMPARE(run->findings()[0].lastStep, std::int64_t(35));
        const auto stored = valueOf(openStore(m_options.storeFile).points(run->runId(), "grad_norm"));
        QCOMPARE(std::count_if(stored.values.begin(), stored.values.end(), [](double v) { return std::isnan(v); }), 28);
    }

    void aStormOfCommandsEndsWell()
    {
        for (int round = 0; round < 5; ++round) {
            FakeScript script;
            script.steps = 1'000'000;
            auto run = started(script);
            std::vector<std::jthread> threads;
            for (int i = 0; i < 3; ++i) {
                threads.emplace_back([&run, i] {
                    for (int n = 0; n < 200; ++n) {
                        switch ((n + i) % 5) {
                        case 0: run->post(command::Pause{}); break;
                        case 1: run->post(command::Resume{}); break;
                        case 2: run->post(command::StepOnce{}); break;
                        case 3: run->post(command::SaveCheckpoint{}); break;
                        case 4: (void)run->findings(); (void)run->series().view(0); (void)run->outcome(); break;
                        }
                    }
                });
            }
            threads.clear();
            run->post(command::Stop{});
            QVERIFY(run->wait(kLong));
            QVERIFY(run->outcome().status == RunStatus::Stopped);
        }
        QVERIFY(valueOf(openStore(m_options.storeFile).verify()).clean);
    }

private:
    std::unique_ptr<RunController> started(const FakeScript& script)
    {
        return valueOf(RunController::start(someProject(), m_options, FakeSession::factory(script)));
    }

    std::unique_ptr<QTemporaryDir> m_folder;
    RunOptions m_options;
};

QTEST_APPLESS_MAIN(TestRunController)
#include "tst_run_controller.moc"
