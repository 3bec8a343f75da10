#include "engine/store/run_store.h"

#include "tests/engine/store/store_testing.h"
#include "tests/support/manual_clock.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QTemporaryDir>

#include <cmath>
#include <limits>
#include <random>

using namespace athanor;
using namespace athanor::testing;
using namespace std::chrono_literals;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

const std::vector<SeriesInfo> kTwoSeries{{"train/loss", "", SeriesRole::Essential},
                                         {"time/step", "ms", SeriesRole::Machine}};

NewRun newRun(const std::string& name = {})
{
    return {name, "mnist-cnn", "/home/me/mnist-cnn.athanor", "{\"athanor\": 1}\n", "abcd",
            {{"device", "cpu"}, {"threads", 2}}};
}

} // namespace

class TestRunStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = std::filesystem::path(m_folder->path().toStdString()) / "runs.sqlite";
    }

    void aRunIsKept()
    {
        ManualClock clock(1'000'000);
        {
            RunStore store = openStore(m_file, clock);
            QCOMPARE(store.file(), m_file);
            const RunId run = valueOf(store.startRun(newRun("first")));
            clock.advance(3s);
            const auto samples = samplesOf(0, 1, {2.0, 1.5});
            RunStore::Flush flush = flushOf(kTwoSeries, samples);
            flush.status = RunStatus::Paused;
            flush.seconds = 2.5;
            flush.steps = 2;
            flush.epochs = 0.25;
            VERIFY_OK(store.flush(run, flush));
            VERIFY_OK(store.setTags(run, {"good", "cnn"}));
            VERIFY_OK(store.setNote(run, "a note\nof two lines"));
        }
        RunStore store = openStore(m_file, clock);
        const auto runs = valueOf(store.runs());
        QCOMPARE(runs.size(), std::size_t(1));
        const RunInfo& info = runs.front();
        QCOMPARE(info.name, std::string("first"));
        QCOMPARE(info.project, std::string("mnist-cnn"));
        QCOMPARE(info.projectFile, std::string("/home/me/mnist-cnn.athanor"));
        QVERIFY(info.status == RunStatus::Paused); // this process is still there
        QCOMPARE(info.startedMs, std::int64_t(1'000'000));
        QCOMPARE(info.seconds, 2.5);
        QCOMPARE(info.steps, std::int64_t(2));
        QCOMPARE(info.epochs, 0.25);
        QCOMPARE(info.tags, (std::vector<std::string>{"good", "cnn"}));
        QCOMPARE(info.note, std::string("a note\nof two lines"));
        QVERIFY(info.environment == (Json{{"device", "cpu"}, {"threads", 2}}));
        QCOMPARE(valueOf(store.projectText(info.id)), std::string("{\"athanor\": 1}\n"));
        QCOMPARE(valueOf(store.run(info.id)).tags, info.tags);

        VERIFY_OK(store.finishRun(info.id, RunStatus::Failed, "no memory"));
        QVERIFY(valueOf(store.run(info.id)).status == RunStatus::Failed);
        QCOMPARE(valueOf(store.run(info.id)).failure, std::string("no memory"));
        VERIFY_OK(store.setTags(info.id, {}));
        VERIFY_OK(store.rename(info.id, "renamed"));
        QCOMPARE(valueOf(store.run(info.id)).name, std::string("renamed"));
        QVERIFY(valueOf(store.run(info.id)).tags.empty());
    }

    void runsAreFoundByIdAndByName()
    {
        ManualClock clock;
        RunStore store = openStore(m_file, clock);
        const RunId first = valueOf(store.startRun(newRun()));
        clock.advance(1s);
        const RunId second = valueOf(store.startRun(newRun("twin")));
        const RunId third = valueOf(store.startRun(newRun("twin")));
        QCOMPARE(valueOf(store.run(first)).name, "mnist-cnn-" + std::to_string(first));
        QCOMPARE(valueOf(store.findRun(std::to_string(second))), second);
        QCOMPARE(valueOf(store.findRun("mnist-cnn-" + std::to_string(first))), first);
        const auto several = store.findRun("twin");
        QVERIFY(!several.ok() && several.error().code == ErrorCode::InvalidArgument);
        QVERIFY(several.error().hint.find(std::to_string(second) + ", " + std::to_string(third)) != std::string::npos);
        QVERIFY(store.findRun("nobody").error().code == ErrorCode::NotFound);
        const auto runs = valueOf(store.runs());
        QCOMPARE(runs[0].id, third); // newest first
        QCOMPARE(runs[2].id, first);
    }

    void unknownRunsAndSeriesAreErrors()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        for (const Error& error :
             {store.run(99).error(), store.projectText(99).error(), store.summaries(99).error(),
              store.events(99).error(), store.checkpoints(99).error(), store.points(99, "train/loss").error(),
              store.points(run, "train/loss").error(), store.setNote(99, "x").error(), store.rename(99, "x").error(),
              store.setTags(99, {"x"}).error(), store.finishRun(99, RunStatus::Finished).error(),
              store.flush(99, {}).error(), store.claimRun(99).error(),
              store.rewindRun(99, 1).error()})
            QVERIFY2(error.code == ErrorCode::NotFound, error.text().c_str());
        QVERIFY(store.rename(run, "").error().code == ErrorCode::InvalidArgument);
        const auto unknownIndex = store.flush(run, flushOf(kTwoSeries, samplesOf(2, 1, {1.0})));
        QVERIFY(!unknownIndex.ok());
        QVERIFY(valueOf(store.summaries(run)).empty()); // nothing of it was stored
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(1, 1, {1.0}))));
    }

    void valuesComeBackBitForBit()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        std::vector<double> values{0.0, -0.0, kNaN, kInf, -kInf, 5e-324, -5e-324, 1e308};
        for (const std::uint64_t bits : {0x7ff8000000000001ULL, 0xfff8deadbeef0123ULL, 0x7ff0000000000001ULL})
            values.push_back(std::bit_cast<double>(bits));
        std::int64_t step = 0;
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, {})));
        for (const double value : values) {
            VERIFY_OK(store.flush(run, flushOf({}, samplesOf(0, ++step, {value}))));
            const auto summary = valueOf(openStore(m_file).summaries(run)).front();
            QVERIFY(sameBits(summary.last, value));
            QCOMPARE(summary.lastStep, step);
        }
        const auto points = valueOf(store.points(run, "train/loss"));
        QVERIFY(sameBits(points.values, values));
        QCOMPARE(points.steps.back(), step);
        const auto summary = valueOf(store.summaries(run)).front();
        QCOMPARE(summary.count, std::int64_t(11));
        QCOMPARE(summary.nonFinite, std::int64_t(6));
        QVERIFY(sameBits(summary.min, -5e-324));
        QCOMPARE(summary.minStep, std::int64_t(7));
        QCOMPARE(summary.max, 1e308);
        QCOMPARE(summary.maxStep, std::int64_t(8));
    }

    void summariesKeepTheirBits()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(0, 1, {-0.0, kNaN}))));
        const auto summaries = valueOf(store.summaries(run));
        QCOMPARE(summaries[0].name, std::string("train/loss"));
        QVERIFY(summaries[1].role == SeriesRole::Machine);
        QCOMPARE(summaries[1].unit, std::string("ms"));
        QVERIFY(sameBits(summaries[0].min, -0.0) && sameBits(summaries[0].max, -0.0));
        QVERIFY(sameBits(summaries[0].last, kNaN));
        QCOMPARE(summaries[1].count, std::int64_t(0));
        QVERIFY(std::isnan(summaries[1].last) && std::isnan(summaries[1].min) && std::isnan(summaries[1].max));
    }

    void manyFlushesOfManySeriesAgreeWithWhatWasPushed()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        constexpr std::size_t kSeries = 7;
        std::mt19937_64 random(5);
        std::vector<SeriesPoints> pushed(kSeries);
        std::vector<SeriesInfo> infos;
        std::int64_t step = 0;
        for (int round = 0; round < 120; ++round) {
            std::vector<SeriesInfo> news;
            if (round % 10 == 0 && infos.size() < kSeries) {
                news.push_back({"s/" + std::to_string(infos.size()), "", SeriesRole::Probe});
                infos.push_back(news.back());
            }
            std::vector<Sample> samples;
            for (std::size_t count = random() % 900; count > 0; --count) {
                step += static_cast<std::int64_t>(random() % 3);
                const auto series = static_cast<SeriesIndex>(random() % infos.size());
                samples.push_back({series, step, std::bit_cast<double>(random())});
                pushed[series].steps.push_back(step);
                pushed[series].values.push_back(samples.back().value);
            }
            VERIFY_OK(store.flush(run, flushOf(news, samples)));
        }
        for (std::size_t i = 0; i < kSeries; ++i) {
            const auto points = valueOf(store.points(run, infos[i].name));
            QCOMPARE(points.steps, pushed[i].steps);
            QVERIFY(sameBits(points.values, pushed[i].values));
        }
        QVERIFY(valueOf(store.verify()).clean);
    }

    void rangesAreCutExactly()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        std::vector<double> values;
        for (int i = 0; i < 2000; ++i)
            values.push_back(i);
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(0, 1, values))));
        for (const auto& [from, to] : std::vector<std::pair<int, int>>{{1, 2000}, {512, 513}, {700, 700}, {1999, 5000}}) {
            const auto points = valueOf(store.points(run, "train/loss", from, to));
            const int last = std::min(to, 2000);
            QCOMPARE(points.steps.size(), static_cast<std::size_t>(last - from + 1));
            QCOMPARE(points.steps.front(), std::int64_t(from));
            QCOMPARE(points.values.back(), last - 1.0);
        }
        QVERIFY(valueOf(store.points(run, "train/loss", 2001)).steps.empty());
        QVERIFY(valueOf(store.points(run, "train/loss", {}, 0)).steps.empty());
    }

    void stepsThatGoBackLoseNothing()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, {{0, 10, 1.0}, {0, 11, 2.0}, {0, 5, 3.0}, {0, 12, 4.0}})));
        QCOMPARE(valueOf(store.points(run, "train/loss")).steps, (std::vector<std::int64_t>{10, 11, 5, 12}));
        QCOMPARE(valueOf(store.points(run, "train/loss", 5, 10)).values, (std::vector<double>{1.0, 3.0}));
        QVERIFY(valueOf(store.verify()).clean);
    }

    void listsReadNoPoints()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        VERIFY_OK(store.flush(run, flushOf(kTwoSeries, samplesOf(0, 1, {1.0, 2.0}))));
        SQLite::Database(m_file.string(), SQLite::OPEN_READWRITE).exec("DROP TABLE block");
        QCOMPARE(valueOf(store.runs()).size(), std::size_t(1));
        QCOMPARE(valueOf(store.summaries(run))[0].last, 2.0);
        QVERIFY(!store.points(run, "train/loss").ok()); // it is really gone
    }

    void eventsAndCheckpointsAreKept()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        const std::vector<Event> events{{1, 100, EventKind::StateChanged, "running", {}},
                                        {50, 200, EventKind::NonFinite, "The loss is NaN.", "train/loss"}};
        const std::string inside = (m_file.parent_path() / "checkpoints" / "run-1" / "a.ckpt").string();
        const std::vector<CheckpointInfo> checkpoints{{50, inside, true, 0.25}};
        RunStore::Flush flush;
        flush.events = events;
        flush.checkpoints = checkpoints;
        VERIFY_OK(store.flush(run, flush));
        VERIFY_OK(store.addCheckpoint(run, {100, "/elsewhere/b.ckpt", false, kNaN}));
        VERIFY_OK(store.addCheckpoint(run, {150, inside, true, 0.125})); // the best, written again

        const auto storedEvents = valueOf(store.events(run));
        QCOMPARE(storedEvents.size(), std::size_t(2));
        QVERIFY(storedEvents[1].kind == EventKind::NonFinite);
        QCOMPARE(storedEvents[1].wallMilliseconds, std::int64_t(200));
        QCOMPARE(storedEvents[1].text, std::string("The loss is NaN."));
        QCOMPARE(storedEvents[1].where, std::string("train/loss"));
        const auto stored = valueOf(store.checkpoints(run));
        QCOMPARE(stored.size(), std::size_t(2));
        QCOMPARE(stored[0].file, std::string("/elsewhere/b.ckpt"));
        QVERIFY(std::isnan(stored[0].monitored) && !stored[0].best);
        QCOMPARE(stored[1].file, inside);
        QCOMPARE(stored[1].step, std::int64_t(150));
        QCOMPARE(stored[1].monitored, 0.125);

        // A store may be moved together with what lies beside it.
        const auto moved = m_file.parent_path() / "moved" / "runs.sqlite";
        store = openStore(m_file.parent_path() / "other.sqlite");
        std::filesystem::create_directories(moved.parent_path());
        std::filesystem::rename(m_file, moved);
        QCOMPARE(valueOf(openStore(moved).checkpoints(run))[1].file,
                 (moved.parent_path() / "checkpoints" / "run-1" / "a.ckpt").string());
    }

    void oddNumbersDoNotStopAFlush()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun(newRun()));
        const auto samples = samplesOf(0, 1, {1.0});
        RunStore::Flush flush = flushOf(kTwoSeries, samples);
        flush.seconds = kNaN;
        flush.epochs = kInf;
        VERIFY_OK(store.flush(run, flush));
        QCOMPARE(valueOf(store.points(run, "train/loss")).values.size(), std::size_t(1));
    }

    void statusNamesAreKeptForEver()
    {
        const std::vector<std::pair<RunStatus, std::string>> names{
            {RunStatus::Running, "running"},   {RunStatus::Paused, "paused"},
            {RunStatus::Finished, "finished"}, {RunStatus::Stopped, "stopped"},
            {RunStatus::Diverged, "diverged"}, {RunStatus::Failed, "failed"},
            {RunStatus::Interrupted, "interrupted"}};
        for (const auto& [status, name] : names) {
            QCOMPARE(runStatusName(status), name);
            QVERIFY(runStatusFromName(name) == status);
        }
        QVERIFY(!runStatusFromName("unknown"));
    }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;
};

QTEST_APPLESS_MAIN(TestRunStore)
#include "tst_run_store.moc"
