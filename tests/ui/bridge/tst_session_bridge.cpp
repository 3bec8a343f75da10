// The bridge between a run and the GUI thread, over a scripted session.
#include "tests/support/fake_session.h"
#include "ui/bridge/session_bridge.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

FakeScript slowScript()
{
    FakeScript script;
    script.steps = 100'000;
    script.stepsPerSecond = 500;
    return script;
}

} // namespace

class TestSessionBridge : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;

    std::unique_ptr<SessionBridge> makeBridge(FakeScript script)
    {
        auto bridge = std::make_unique<SessionBridge>(FakeSession::factory(std::move(script)));
        bridge->setStoreFile(m_folder->filePath(QStringLiteral("runs.sqlite")).toStdString());
        return bridge;
    }
    static Project project()
    {
        Project project;
        project.name = "fake";
        return project;
    }

private Q_SLOTS:
    void init() { m_folder = std::make_unique<QTemporaryDir>(); }

    void isIdleBeforeTheFirstRun()
    {
        auto bridge = makeBridge({});
        QVERIFY(!bridge->hasRun());
        QVERIFY(!bridge->isActive());
        QCOMPARE(bridge->state(), SessionState::Idle);
        QCOMPARE(bridge->series(), nullptr);
        QCOMPARE(bridge->runId(), RunId{0});
        bridge->post(command::Pause{}); // does nothing
        QVERIFY(bridge->stopAndWait(1ms));
    }

    void playsARunToItsEnd()
    {
        FakeScript script;
        script.steps = 100;
        auto bridge = makeBridge(script);
        QSignalSpy started(bridge.get(), &SessionBridge::runStarted);
        QSignalSpy ended(bridge.get(), &SessionBridge::runEnded);
        QSignalSpy progress(bridge.get(), &SessionBridge::progressChanged);
        std::vector<Event> events;
        bool onOwnThread = true;
        connect(bridge.get(), &SessionBridge::eventArrived, this, [&](const Event& event) {
            events.push_back(event);
            onOwnThread = onOwnThread && QThread::currentThread() == thread();
        });
        QVERIFY(bridge->start(project(), {}).ok());
        QCOMPARE(started.size(), 1);
        QVERIFY(bridge->isActive());
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(!bridge->isActive());
        QVERIFY(bridge->hasRun());
        QCOMPARE(bridge->state(), SessionState::Finished);
        QCOMPARE(bridge->outcome().status, RunStatus::Finished);
        QVERIFY(progress.size() >= 1);
        QVERIFY(onOwnThread);
        QVERIFY(events.size() >= 3); // states at least
        QCOMPARE(events.size(), bridge->events().size());
        // Everything is in the store when the end is told.
        const auto store = RunStore::open(bridge->storeFile());
        QVERIFY(store.ok());
        const auto points = store->points(bridge->runId(), "train/loss");
        QVERIFY(points.ok());
        QCOMPARE(points->steps.size(), std::size_t{100});
        QTest::qWait(250); // no more after the end
        QCOMPARE(ended.size(), 1);
    }

    void statesArriveInOrder()
    {
        auto bridge = makeBridge(slowScript());
        std::vector<SessionState> states;
        connect(bridge.get(), &SessionBridge::stateChanged, this, [&](SessionState state) { states.push_back(state); });
        QVERIFY(bridge->start(project(), {}).ok());
        QTRY_VERIFY(bridge->progress().step > 5);
        bridge->post(command::Pause{});
        QTRY_COMPARE(bridge->state(), SessionState::Paused);
        const std::int64_t at = bridge->progress().step;
        QTest::qWait(200);
        QCOMPARE(bridge->progress().step, at);
        bridge->post(command::StepOnce{});
        QTRY_COMPARE(bridge->progress().step, at + 1);
        QTRY_COMPARE(bridge->state(), SessionState::Paused);
        QTest::qWait(100);
        QCOMPARE(bridge->progress().step, at + 1);
        bridge->post(command::Resume{});
        QTRY_VERIFY(bridge->progress().step > at + 10);
        QVERIFY(bridge->stopAndWait(5s));
        QVERIFY(states.size() >= 3);
        QCOMPARE(states.back(), SessionState::Finished);
        QVERIFY(std::find(states.begin(), states.end(), SessionState::Paused) != states.end());
        for (std::size_t i = 1; i < states.size(); ++i)
            QVERIFY(states[i] != states[i - 1]);
        QCOMPARE(bridge->outcome().status, RunStatus::Stopped);
    }

    void refusesASecondRunWhileOneIsGoing()
    {
        auto bridge = makeBridge(slowScript());
        QVERIFY(bridge->start(project(), {}).ok());
        const RunId first = bridge->runId();
        const Status second = bridge->start(project(), {});
        QVERIFY(!second.ok());
        QCOMPARE(second.error().code, ErrorCode::Busy);
        QVERIFY(!second.error().hint.empty());
        QCOMPARE(bridge->runId(), first);
        QVERIFY(bridge->stopAndWait(5s));
        QVERIFY(bridge->start(project(), {}).ok());
        QVERIFY(bridge->runId() != first);
    }

    void aStoreThatCannotBeWrittenIsAnErrorAndKeepsTheLastRun()
    {
        FakeScript script;
        script.steps = 10;
        auto bridge = makeBridge(script);
        QSignalSpy ended(bridge.get(), &SessionBridge::runEnded);
        QVERIFY(bridge->start(project(), {}).ok());
        QTRY_COMPARE(ended.size(), 1);
        const RunId first = bridge->runId();
        RunOptions options;
        options.storeFile = "/proc/nowhere/runs.sqlite";
        QVERIFY(!bridge->start(project(), options).ok());
        QCOMPARE(bridge->runId(), first);
        QVERIFY(bridge->series() != nullptr);
        QVERIFY(!bridge->isActive());
    }

    void seriesLiveOnWithThoseWhoDrawThem()
    {
        FakeScript script;
        script.steps = 10;
        auto bridge = makeBridge(script);
        QSignalSpy ended(bridge.get(), &SessionBridge::runEnded);
        QVERIFY(bridge->start(project(), {}).ok());
        QTRY_COMPARE(ended.size(), 1);
        const auto series = bridge->sharedSeries();
        QVERIFY(series != nullptr);
        QVERIFY(bridge->start(project(), {}).ok());
        QVERIFY(bridge->series() != series.get());
        QCOMPARE(series->view(0).count, std::int64_t{10});
        bridge.reset();
        QCOMPARE(series->view(0).count, std::int64_t{10});
    }

    void findingsAreTold()
    {
        FakeScript script;
        script.bursts = {{"train/loss", 50, 60, std::numeric_limits<double>::quiet_NaN()}};
        auto bridge = makeBridge(script);
        QSignalSpy found(bridge.get(), &SessionBridge::findingsChanged);
        QSignalSpy ended(bridge.get(), &SessionBridge::runEnded);
        QVERIFY(bridge->start(project(), {}).ok());
        QTRY_COMPARE(ended.size(), 1);
        QVERIFY(found.size() >= 1);
        const auto findings = bridge->findings();
        const bool hasNonFinite = std::any_of(findings.begin(), findings.end(),
                                              [](const Finding& finding) { return finding.rule == "loss/non-finite"; });
        QVERIFY(hasNonFinite);
    }

    void aFailedRunEndsWithItsProblem()
    {
        FakeScript script;
        script.failAtStep = 5;
        auto bridge = makeBridge(script);
        QSignalSpy ended(bridge.get(), &SessionBridge::runEnded);
        QVERIFY(bridge->start(project(), {}).ok());
        QTRY_COMPARE(ended.size(), 1);
        QCOMPARE(bridge->state(), SessionState::Failed);
        QCOMPARE(bridge->outcome().status, RunStatus::Failed);
        QVERIFY(!bridge->outcome().failure.empty() || !bridge->outcome().problems.empty());
    }

    void destructionWhileTrainingStopsAndJoins()
    {
        for (int i = 0; i < 5; ++i) {
            auto bridge = makeBridge(slowScript());
            QVERIFY(bridge->start(project(), {}).ok());
            std::shared_ptr<const SeriesStore> held = i % 2 == 0 ? bridge->sharedSeries() : nullptr;
            QTest::qWait(20 * i);
            bridge.reset();
            // Nothing is written any more, also while someone holds the series.
            const auto count = held ? held->latest(0).count : 0;
            QTest::qWait(50);
            QCOMPARE(held ? held->latest(0).count : 0, count);
        }
        QCoreApplication::processEvents(); // late events must find nobody, and do no harm
    }

    void aStormOfCommandsEndsWell()
    {
        auto bridge = makeBridge(slowScript());
        QVERIFY(bridge->start(project(), {}).ok());
        for (int i = 0; i < 200; ++i) {
            bridge->post(command::Pause{});
            bridge->post(command::StepOnce{});
            bridge->post(command::Resume{});
            if (i % 20 == 0)
                QTest::qWait(5);
        }
        QVERIFY(bridge->stopAndWait(5s));
        QCOMPARE(bridge->state(), SessionState::Finished);
    }
};

QTEST_GUILESS_MAIN(TestSessionBridge)
#include "tst_session_bridge.moc"
