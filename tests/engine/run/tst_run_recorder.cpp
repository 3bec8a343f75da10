#include "engine/run/run_recorder.h"

#include "engine/base/log.h"
#include "tests/engine/store/store_testing.h"
#include "tests/support/manual_clock.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include <atomic>
#include <limits>

using namespace athanor;
using namespace athanor::testing;
using namespace std::chrono_literals;

namespace {

const SeriesInfo kLoss{"train/loss", "", SeriesRole::Essential};
const SeriesInfo kNorm{"grad_norm", "", SeriesRole::Probe};

/// A run that is recorded, with the test as its session.
struct Recording {
    explicit Recording(const std::filesystem::path& storeFile, RunId existing = 0,
                       const Clock& recorderClock = systemClock())
        : file(storeFile), clock(recorderClock)
    {
        RunStore store = openStore(file);
        run = existing != 0 ? existing : valueOf(store.startRun({"a", "p", "", "", "", Json::object()}));
        for (const SeriesSummary& summary : valueOf(store.summaries(run)))
            stream.series({summary.name, summary.unit, summary.role});
        loss = stream.series(kLoss);
        norm = stream.series(kNorm);
        recorder = std::make_unique<RunRecorder>(
            stream, std::move(store), run, series, diagnosis,
            RunRecorder::Source{[this] {
                                    ++snapshots;
                                    return RunRecorder::Snapshot{RunStatus::Running, 1.5, lastStep, 0.5};
                                },
                                [this] { return RunRecorder::Ending{RunStatus::Stopped, "because"}; }},
            clock);
        recorder->setListener([this](const Event& event) {
            const std::lock_guard lock(mutex);
            heard.push_back(event.step);
        });
    }
    ~Recording()
    {
        stream.close();
        recorder.reset();
    }

    void steps(std::int64_t count)
    {
        for (; count > 0; --count) {
            const std::int64_t step = ++lastStep;
            stream.push(loss, step, 1.0 / static_cast<double>(step));
            stream.push(norm, step, static_cast<double>(step));
            stream.commitStep();
        }
    }
    void event(EventKind kind = EventKind::Note) { stream.event({lastStep, 0, kind, "text", "place"}); }
    std::size_t heardCount()
    {
        const std::lock_guard lock(mutex);
        return heard.size();
    }
    std::int64_t storedPoints(const std::string& name = "train/loss") const
    {
        for (const SeriesSummary& summary : valueOf(openStore(file).summaries(run))) {
            if (summary.name == name)
                return summary.count;
        }
        return 0;
    }

    std::filesystem::path file;
    const Clock& clock;
    RunId run = 0;
    MetricStream stream;
    SeriesStore series;
    DiagnosisEngine diagnosis;
    SeriesIndex loss = 0;
    SeriesIndex norm = 0;
    std::atomic<std::int64_t> lastStep = 0;
    std::atomic<int> snapshots = 0;
    std::mutex mutex; // guards heard
    std::vector<std::int64_t> heard;
    std::unique_ptr<RunRecorder> recorder;
};

/// Counts the log's lines of a level and above while it lives.
class LogCount {
public:
    explicit LogCount(spdlog::level::level_enum level)
        : m_id(addLogSink([this, level](const LogLine& line) { m_count += line.level >= level; }))
    {
    }
    ~LogCount() { removeLogSink(m_id); }
    LogCount(const LogCount&) = delete;
    LogCount& operator=(const LogCount&) = delete;
    [[nodiscard]] int count() const { return m_count; }

private:
    std::atomic<int> m_count = 0;
    int m_id;
};

} // namespace

class TestRunRecorder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { spdlog::default_logger()->set_level(spdlog::level::debug); }
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void everythingIsStoredAtTheEnd()
    {
        Recording recording(m_file);
        recording.steps(3000);
        recording.event(EventKind::EpochEnded);
        recording.recorder->addCheckpoint({3000, "/c/3000", true, 0.5});
        recording.stream.close();
        QVERIFY(recording.recorder->wait(20s));
        QVERIFY(recording.recorder->done());
        QVERIFY(recording.recorder->storageError().message.empty());
        const auto points = valueOf(recording.recorder->store().points(recording.run, "train/loss"));
        QCOMPARE(points.steps.size(), std::size_t(3000));
        QCOMPARE(points.values[999], 1.0 / 1000);
        const auto info = valueOf(recording.recorder->store().run(recording.run));
        QVERIFY(info.status == RunStatus::Stopped);
        QCOMPARE(info.failure, std::string("because"));
        QCOMPARE(info.seconds, 1.5);
        QCOMPARE(info.steps, std::int64_t(3000));
        QCOMPARE(info.epochs, 0.5);
        QCOMPARE(valueOf(recording.recorder->store().events(recording.run)).size(), std::size_t(1));
        QCOMPARE(valueOf(recording.recorder->store().checkpoints(recording.run)).size(), std::size_t(1));
        QCOMPARE(recording.series.view(recording.loss).count, std::int64_t(3000));
        QTRY_COMPARE(recording.heardCount(), std::size_t(1));
    }

    void pointsAreShownAtOnceAndStoredEveryHalfSecond()
    {
        ManualClock clock;
        Recording recording(m_file, 0, clock);
        recording.steps(10);
        QTRY_COMPARE(recording.series.view(recording.loss).count, std::int64_t(10));
        QTest::qWait(120); // real time does not count
        QCOMPARE(recording.storedPoints(), std::int64_t(0));
        clock.advance(499ms);
        QTest::qWait(120);
        QCOMPARE(recording.storedPoints(), std::int64_t(0));
        clock.advance(1ms);
        QTRY_COMPARE(recording.storedPoints(), std::int64_t(10));
    }

    void anEventFlushesAtOnceWithWhatCameBefore()
    {
        ManualClock clock;
        Recording recording(m_file, 0, clock);
        clock.advance(60ms); // since the start, which counts as a flush
        recording.steps(10);
        recording.event();
        QTRY_COMPARE(recording.heardCount(), std::size_t(1));
        QCOMPARE(recording.storedPoints(), std::int64_t(10)); // it was stored before it was told
        QCOMPARE(valueOf(openStore(m_file).events(recording.run)).size(), std::size_t(1));
    }

    void manyEventsShareATransaction()
    {
        Recording recording(m_file);
        for (int i = 0; i < 5000; ++i) {
            recording.steps(1);
            recording.event();
        }
        recording.stream.close();
        QVERIFY(recording.recorder->wait(30s));
        QTRY_COMPARE(recording.heardCount(), std::size_t(5000));
        QVERIFY(std::is_sorted(recording.heard.begin(), recording.heard.end()));
        QCOMPARE(valueOf(recording.recorder->store().events(recording.run)).size(), std::size_t(5000));
        QVERIFY2(recording.snapshots < 500, "each event had its own transaction");
    }

    void anIdleRunKeepsItsHeartbeat()
    {
        ManualClock clock;
        Recording recording(m_file, 0, clock);
        const auto heartbeat = [&] {
            return SQLite::Database(m_file.string()).execAndGet("SELECT heartbeat_ms FROM run").getInt64();
        };
        // The store stamps by the system's clock; any change is a heartbeat.
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("UPDATE run SET heartbeat_ms = 1");
        clock.advance(501ms);
        QTRY_VERIFY(heartbeat() > 1); // the names of the series
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("UPDATE run SET heartbeat_ms = 1");
        clock.advance(1s);
        QTest::qWait(150);
        QCOMPARE(heartbeat(), std::int64_t(1));
        clock.advance(1s);
        QTRY_VERIFY(heartbeat() > 1);
    }

    void aBusyStoreDelaysButLosesNothing()
    {
        const LogCount warnings(spdlog::level::warn);
        Recording recording(m_file);
        SQLite::Database other(m_file.string(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        recording.steps(1000);
        recording.event();
        QTRY_COMPARE(recording.heardCount(), std::size_t(1)); // the listener does not wait for the disk
        QTRY_VERIFY(!recording.recorder->storageError().message.empty());
        QVERIFY(recording.recorder->storageError().code == ErrorCode::Busy);
        QTest::qWait(1500);
        recording.steps(1000);
        QTRY_COMPARE(recording.series.view(recording.loss).count, std::int64_t(2000));
        QCOMPARE(warnings.count(), 1); // one line for the whole episode
        other.exec("ROLLBACK");
        QTRY_COMPARE(recording.storedPoints(), std::int64_t(2000));
        QTRY_VERIFY(recording.recorder->storageError().message.empty());
        QCOMPARE(recording.heardCount(), std::size_t(1));

        other.exec("BEGIN IMMEDIATE");
        recording.steps(500);
        recording.stream.close();
        QVERIFY(!recording.recorder->wait(1200ms));
        QCOMPARE(warnings.count(), 3); // the second episode, and that the end waits
        other.exec("ROLLBACK");
        QVERIFY(recording.recorder->wait(20s));
        QCOMPARE(recording.storedPoints(), std::int64_t(2500));
        QCOMPARE(recording.storedPoints("grad_norm"), std::int64_t(2500));
        QVERIFY(valueOf(recording.recorder->store().verify()).clean);
    }

    void theDestructorGivesUpOnAStoreThatStaysBusy()
    {
        const LogCount errors(spdlog::level::err);
        auto recording = std::make_unique<Recording>(m_file);
        SQLite::Database other(m_file.string(), SQLite::OPEN_READWRITE);
        QTRY_COMPARE(recording->series.seriesCount(), std::size_t(2));
        other.exec("BEGIN IMMEDIATE");
        recording->steps(100);
        const auto begin = std::chrono::steady_clock::now();
        recording.reset();
        QVERIFY(std::chrono::steady_clock::now() - begin < 10s); // and not the patience of a minute
        QCOMPARE(errors.count(), 1); // it says what was lost
        other.exec("ROLLBACK");
        QVERIFY(valueOf(openStore(m_file).verify()).clean);
    }

    void droppedProbesAreTold()
    {
        ManualClock clock;
        Recording recording(m_file, 0, clock);
        // The recorder is held up inside its listener while the stream runs over.
        std::atomic<bool> hold = true;
        recording.recorder->setListener([&](const Event& event) {
            while (event.kind == EventKind::Note && hold)
                std::this_thread::sleep_for(1ms);
            const std::lock_guard lock(recording.mutex);
            recording.heard.push_back(event.kind == EventKind::ProbesDropped ? -1 : event.step);
        });
        clock.advance(60ms);
        recording.event();
        QTRY_VERIFY(recording.snapshots > 0);
        QTest::qWait(50);
        for (std::size_t i = 0; i < MetricStream::kCapacity; ++i)
            recording.stream.push(recording.loss, 1, 0.5);
        recording.stream.commitStep();
        recording.lastStep = 1;
        recording.steps(5); // each waits, then loses its probe
        QCOMPARE(recording.stream.droppedProbes(), std::uint64_t(5));
        hold = false;
        QTRY_COMPARE(recording.diagnosis.findings().size(), std::size_t(1));
        QCOMPARE(recording.diagnosis.findings()[0].rule, std::string("run/probes-dropped"));
        QCOMPARE(recording.diagnosis.findings()[0].evidence.at("dropped"), 5.0);
        clock.advance(1s);
        QTRY_COMPARE(recording.heardCount(), std::size_t(2));
        QCOMPARE(recording.heard.back(), std::int64_t(-1));
        recording.stream.close();
        QVERIFY(recording.recorder->wait(20s));
        QCOMPARE(recording.storedPoints(), static_cast<std::int64_t>(MetricStream::kCapacity) + 5);
        QCOMPARE(recording.storedPoints("grad_norm"), std::int64_t(0));
        const auto events = valueOf(recording.recorder->store().events(recording.run));
        QVERIFY(events.back().kind == EventKind::ProbesDropped);
    }

    void aReopenedRunIsShownAndJudgedAsAWhole()
    {
        RunId run = 0;
        {
            Recording first(m_file);
            first.steps(40);
            first.stream.push(first.loss, 41, std::numeric_limits<double>::quiet_NaN());
            first.stream.commitStep();
            run = first.run;
        }
        RunStore store = openStore(m_file);
        reopen(store, run, 41);
        Recording second(m_file, run);
        QTRY_COMPARE(second.series.seriesCount(), std::size_t(2));
        second.lastStep = 41;
        second.steps(10);
        second.stream.close();
        QVERIFY(second.recorder->wait(20s));
        const auto view = second.series.view(second.loss);
        QCOMPARE(view.count, std::int64_t(51));
        QCOMPARE(view.nonFinite, std::int64_t(1));
        QCOMPARE(view.lastStep, std::int64_t(51));
        QCOMPARE(second.series.seriesCount(), std::size_t(2));
        QCOMPARE(second.storedPoints(), std::int64_t(51));
        QCOMPARE(second.diagnosis.findings().size(), std::size_t(1));
        QCOMPARE(second.diagnosis.findings()[0].firstStep, std::int64_t(41));
        QVERIFY(valueOf(second.recorder->store().verify()).clean);
    }

    void aDeletedStoreIsNoticedAndNotWaitedFor()
    {
        Recording recording(m_file);
        recording.steps(10);
        QTRY_COMPARE(recording.storedPoints(), std::int64_t(10));
        for (const char* more : {"", "-wal", "-shm"})
            std::filesystem::remove(m_file.string() + more);
        recording.steps(10);
        QTRY_VERIFY(recording.recorder->storageError().code == ErrorCode::NotFound);
        recording.stream.close();
        QVERIFY(recording.recorder->wait(5s)); // and not the patience of a minute
        QVERIFY(recording.recorder->storageError().message.find("deleted") != std::string::npos);
    }

    void aRunThatIsDeletedIsNoticed()
    {
        Recording recording(m_file);
        recording.steps(10);
        QTRY_COMPARE(recording.storedPoints(), std::int64_t(10));
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("DELETE FROM run");
        recording.steps(10);
        recording.stream.close();
        QVERIFY(recording.recorder->wait(5s));
        QVERIFY(recording.recorder->storageError().code == ErrorCode::NotFound);
    }

    void theWaitForABusyStoreIsToldAndCanBeGivenUp()
    {
        const LogCount warnings(spdlog::level::warn);
        Recording recording(m_file);
        recording.steps(10);
        QTRY_COMPARE(recording.storedPoints(), std::int64_t(10));
        SQLite::Database other(m_file.string(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        recording.steps(10);
        recording.stream.close();
        QTRY_COMPARE(warnings.count(), 2); // that it cannot be written, and that the end waits
        QVERIFY(!recording.recorder->wait(300ms));
        recording.recorder->giveUp();
        QVERIFY(recording.recorder->wait(5s));
        QVERIFY(recording.recorder->storageError().code == ErrorCode::Busy);
        other.exec("ROLLBACK");
        QCOMPARE(recording.storedPoints(), std::int64_t(10));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

QTEST_APPLESS_MAIN(TestRunRecorder)
#include "tst_run_recorder.moc"
