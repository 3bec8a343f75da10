// Runs that end, die and go on.
#include "engine/store/run_store.h"

#include "tests/engine/store/store_testing.h"
#include "tests/support/manual_clock.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include <cmath>
#include <limits>

using namespace athanor;
using namespace athanor::testing;
using namespace std::chrono_literals;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

const std::vector<SeriesInfo> kTwoSeries{{"train/loss", "", SeriesRole::Essential},
                                         {"time/step", "ms", SeriesRole::Machine}};

NewRun newRun()
{
    return {{}, "mnist-cnn", {}, "{}", {}, Json::object()};
}

} // namespace

class TestRunLife : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void aReopenedRunGoesOnExactlyAfterItsStep_data()
    {
        QTest::addColumn<int>("step");
        for (const int step : {0, 1, 300, 512, 513, 1024, 1499, 1500, 9000})
            QTest::addRow("%d", step) << step;
    }
    void aReopenedRunGoesOnExactlyAfterItsStep()
    {
        QFETCH(int, step);
        // The same run once in one go, and once written to its end, taken up again and written on.
        std::vector<double> values;
        for (int i = 0; i < 1500; ++i)
            values.push_back(i % 100 == 99 ? kNaN : std::sin(0.01 * i) * i);
        RunStore store = openStore(m_file);
        const RunId whole = valueOf(store.startRun(newRun()));
        const RunId again = valueOf(store.startRun(newRun()));
        const std::vector<Event> events{{300, 1, EventKind::EpochEnded, "1", {}}, {600, 2, EventKind::EpochEnded, "2", {}}};
        for (const RunId run : {whole, again})
            VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(0, 1, values), events)));
        VERIFY_OK(store.addCheckpoint(again, {300, "/c/300", false, 1}));
        VERIFY_OK(store.addCheckpoint(again, {1500, "/c/1500", false, 1}));
        VERIFY_OK(store.finishRun(again, RunStatus::Stopped, "why"));

        reopen(store, again, step);
        QVERIFY(valueOf(store.run(again)).status == RunStatus::Running);
        QCOMPARE(valueOf(store.run(again)).steps, std::int64_t(step));
        QCOMPARE(valueOf(store.run(again)).failure, std::string());
        const auto kept = valueOf(store.points(again, "train/loss"));
        QCOMPARE(kept.steps.size(), static_cast<std::size_t>(std::min(step, 1500)));
        QVERIFY(valueOf(store.verify()).clean);
        QCOMPARE(valueOf(store.events(again)).size(), std::size_t((step >= 300) + (step >= 600)));
        QCOMPARE(valueOf(store.checkpoints(again)).size(), std::size_t((step >= 300) + (step >= 1500)));

        if (step < 1500) {
            // The session names its series anew, here in another order: the names decide.
            const std::vector<SeriesInfo> swapped{kTwoSeries[1], kTwoSeries[0]};
            VERIFY_OK(store.flush(again, flushOf(swapped, samplesOf(1, step + 1, {values.begin() + step, values.end()}))));
        }
        const auto expected = valueOf(store.points(whole, "train/loss"));
        const auto actual = valueOf(store.points(again, "train/loss"));
        QCOMPARE(actual.steps, expected.steps);
        QVERIFY(sameBits(actual.values, expected.values));
        const auto a = valueOf(store.summaries(whole))[0];
        const auto b = valueOf(store.summaries(again))[0];
        QVERIFY(a.count == b.count && a.nonFinite == b.nonFinite && a.lastStep == b.lastStep);
        QVERIFY(sameBits(a.last, b.last) && sameBits(a.min, b.min) && sameBits(a.max, b.max));
        QVERIFY(a.minStep == b.minStep && a.maxStep == b.maxStep);
        QVERIFY(valueOf(store.verify()).clean);
    }

    void aRunThatGoesOnCannotBeReopened()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        const auto reopened = openStore(m_file).claimRun(run);
        QVERIFY(!reopened.ok() && reopened.error().code == ErrorCode::Busy);
    }

    void anotherStoreObjectContinuesARun()
    {
        const RunId run = valueOf(openStore(m_file).startRun(newRun()));
        VERIFY_OK(openStore(m_file).flush(run, flushOf(kTwoSeries, samplesOf(0, 1, {1, 2, 3}))));
        VERIFY_OK(openStore(m_file).flush(run, flushOf({}, samplesOf(0, 4, {4}))));
        QCOMPARE(valueOf(openStore(m_file).points(run, "train/loss")).values, (std::vector<double>{1, 2, 3, 4}));
        QVERIFY(valueOf(openStore(m_file).verify()).clean);
    }

    void aRunOfADeadProcessIsInterrupted()
    {
        ManualClock clock;
        RunStore store = openStore(m_file, clock);
        const RunId gone = valueOf(store.startRun(newRun()));
        const RunId reused = valueOf(store.startRun(newRun()));
        const RunId alive = valueOf(store.startRun(newRun()));
        const RunId done = valueOf(store.startRun(newRun()));
        VERIFY_OK(store.finishRun(done, RunStatus::Finished));
        SQLite::Database raw(m_file.string(), SQLite::OPEN_READWRITE);
        raw.exec("UPDATE run SET pid = 2147483646 WHERE id = " + std::to_string(gone));
        // The id of this process, but of one that started at another time.
        raw.exec("UPDATE run SET process_start = process_start - 1, status = 'paused' WHERE id = " +
                 std::to_string(reused));
        raw.exec("UPDATE run SET pid = 2147483646 WHERE id = " + std::to_string(done));
        const auto statusOf = [&](RunId run) { return valueOf(store.run(run)).status; };
        QVERIFY(statusOf(gone) == RunStatus::Interrupted);
        QVERIFY(statusOf(reused) == RunStatus::Interrupted);
        QVERIFY(statusOf(alive) == RunStatus::Running);
        QVERIFY(statusOf(done) == RunStatus::Finished);
        QVERIFY(valueOf(store.runs())[3].status == RunStatus::Interrupted);
        QCOMPARE(valueOf(store.markInterrupted()), 2);
        QCOMPARE(valueOf(store.markInterrupted()), 0);
        const std::string stored = raw.execAndGet("SELECT group_concat(status) FROM run").getString();
        QCOMPARE(stored, std::string("interrupted,interrupted,running,finished"));
        reopen(store, gone, 0);
    }

    void aClaimedRunThatIsReleasedIsAsItWas()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        const std::vector<Event> events{{2, 1, EventKind::EpochEnded, "1", {}}};
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(0, 1, {1, 2, 3}), events)));
        VERIFY_OK(store.addCheckpoint(run, {1, "/c/1", false, 1}));
        VERIFY_OK(store.finishRun(run, RunStatus::Failed, "why"));
        SQLite::Database raw(m_file.string(), SQLite::OPEN_READWRITE);
        raw.exec("UPDATE run SET machine = 'elsewhere', pid = 7, process_start = 8, heartbeat_ms = 9");
        const char* row = "SELECT quote(status) || quote(failure) || steps || seconds || machine || pid || process_start || "
                          "heartbeat_ms FROM run";
        const std::string before = raw.execAndGet(row).getString();

        const RunClaim claim = valueOf(store.claimRun(run));
        QVERIFY(valueOf(store.run(run)).status == RunStatus::Running);
        QVERIFY(openStore(m_file).claimRun(run).error().code == ErrorCode::Busy);
        VERIFY_OK(store.releaseRun(run, claim));
        QCOMPARE(raw.execAndGet(row).getString(), before);
        QCOMPARE(valueOf(store.points(run, "train/loss")).values, (std::vector<double>{1, 2, 3}));
        QCOMPARE(valueOf(store.events(run)).size(), std::size_t(1));
        QCOMPARE(valueOf(store.checkpoints(run)).size(), std::size_t(1));
    }

    void aRunOfAnotherMachineIsJudgedByItsHeartbeat()
    {
        ManualClock clock;
        RunStore store = openStore(m_file, clock);
        const RunId run = valueOf(store.startRun(newRun()));
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("UPDATE run SET machine = 'elsewhere'");
        clock.advance(9s);
        QVERIFY(valueOf(store.run(run)).status == RunStatus::Running);
        VERIFY_OK(store.flush(run, {}));
        clock.advance(9s);
        QVERIFY(valueOf(store.run(run)).status == RunStatus::Running);
        clock.advance(2s);
        QVERIFY(valueOf(store.run(run)).status == RunStatus::Interrupted);
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

QTEST_APPLESS_MAIN(TestRunLife)
#include "tst_run_life.moc"
