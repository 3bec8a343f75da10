// What users of other trackers lost runs by.
#include "engine/store/run_filter.h"
#include "engine/store/run_trash.h"
#include "tests/engine/store/store_testing.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <limits>
#include <thread>

using namespace athanor;
using namespace athanor::testing;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class SettableClock final : public Clock {
public:
    std::int64_t milliseconds = 1'700'000'000'000;
    [[nodiscard]] std::chrono::nanoseconds now() const override
    {
        return std::chrono::milliseconds(milliseconds);
    }
    [[nodiscard]] std::int64_t wallMilliseconds() const override { return milliseconds; }
};

} // namespace

class TestStoreTroubles : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::filesystem::path m_file;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_file = m_folder->filePath("runs.sqlite").toStdString();
    }

    void aRunOfNothingButNaN()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({}));
        valueOf(store.flush(run, flushOf({{"train/loss", "", SeriesRole::Essential}},
                                         samplesOf(0, 1, std::vector<double>(5000, kNaN)))));
        valueOf(store.finishRun(run, RunStatus::Diverged, "The loss is NaN"));
        const SeriesSummary summary = valueOf(store.summaries(run)).front();
        QCOMPARE(summary.count, 5000);
        QCOMPARE(summary.nonFinite, 5000);
        QVERIFY(std::isnan(summary.last) && std::isnan(summary.min) && std::isnan(summary.max));
        QCOMPARE(valueOf(store.points(run, "train/loss")).values.size(), 5000U);
        const RunFacts facts(valueOf(store.run(run)), valueOf(store.summaries(run)), {});
        QVERIFY(valueOf(RunFilter::parse("train/loss = nan")).accepts(facts));
        QVERIFY(valueOf(store.verify()).clean);
    }

    void twelveThousandNames()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({}));
        std::vector<SeriesInfo> series;
        std::vector<Sample> samples;
        for (SeriesIndex i = 0; i < 12'000; ++i) {
            series.push_back({"metric/" + std::to_string(i), "", SeriesRole::Essential});
            for (int step = 1; step <= 3; ++step)
                samples.push_back({i, step, static_cast<double>(i) * step});
        }
        valueOf(store.flush(run, flushOf(series, samples)));
        QCOMPARE(valueOf(store.summaries(run)).size(), 12'000U);
        QCOMPARE(valueOf(store.points(run, "metric/11999")).values,
                 (std::vector<double>{11'999, 23'998, 35'997}));
    }

    void aThousandSeriesOfOneRunKeepApart()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({}));
        std::vector<SeriesInfo> series;
        for (int i = 0; i < 1000; ++i)
            series.push_back({"grad_norm/layer" + std::to_string(i), "", SeriesRole::Probe});
        for (int flush = 0; flush < 3; ++flush) {
            std::vector<Sample> samples;
            for (int step = 1; step <= 20; ++step)
                for (SeriesIndex i = 0; i < 1000; ++i)
                    samples.push_back({i, flush * 20 + step, static_cast<double>(i) + step * 0.001});
            valueOf(store.flush(run, flushOf(flush == 0 ? series : std::vector<SeriesInfo>{}, samples)));
        }
        for (const int i : {0, 499, 999}) {
            const SeriesPoints points = valueOf(store.points(run, "grad_norm/layer" + std::to_string(i)));
            QCOMPARE(points.values.size(), 60U);
            QCOMPARE(points.values[25], i + 6 * 0.001);
        }
    }

    // Eight processes open a store of the first version at the same moment: one migrates, all find it whole.
    void processesMigrateAtOnce()
    {
        RunId run = 0;
        {
            RunStore store = openStore(m_file);
            run = valueOf(store.startRun({}));
            valueOf(
                store.flush(run, flushOf({{"a", "", SeriesRole::Essential}}, samplesOf(0, 1, {1, 2, 3}))));
            valueOf(store.finishRun(run, RunStatus::Finished));
        }
        {
            SQLite::Database db(m_file.string(), SQLite::OPEN_READWRITE);
            db.exec("DROP TABLE mark; DROP TABLE trash; PRAGMA user_version = 1; PRAGMA "
                    "wal_checkpoint(TRUNCATE)");
        }
        std::vector<pid_t> children;
        for (int i = 0; i < 8; ++i) {
            const pid_t child = fork();
            if (child == 0) {
                const auto store = RunStore::open(m_file);
                _exit(store && store->points(run, "a") && store->points(run, "a")->values.size() == 3 ? 0
                                                                                                      : 1);
            }
            children.push_back(child);
        }
        for (const pid_t child : children) {
            int status = 0;
            QCOMPARE(waitpid(child, &status, 0), child);
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        }
        QVERIFY(valueOf(openStore(m_file).verify()).clean);
    }

    void aKilledRunIsMarkedAndCanBeDeletedAndRestored()
    {
        int channel[2];
        QCOMPARE(pipe(channel), 0);
        const pid_t child = fork();
        if (child == 0) {
            auto store = RunStore::open(m_file);
            const RunId run = store->startRun({}).value();
            const std::vector<SeriesInfo> series{{"a", "", SeriesRole::Essential}};
            const std::vector<Sample> samples = samplesOf(0, 1, {1, 2, 3});
            const Status stored = store->flush(run, flushOf(series, samples));
            (void)!write(channel[1], stored.ok() ? "y" : "n", 1);
            pause();
            _exit(0);
        }
        char answer = 0;
        QCOMPARE(read(channel[0], &answer, 1), ssize_t{1});
        QCOMPARE(answer, 'y');
        kill(child, SIGKILL);
        int status = 0;
        waitpid(child, &status, 0);
        RunStore store = openStore(m_file);
        QCOMPARE(valueOf(store.run(1)).status, RunStatus::Interrupted);
        RunTrash trash = valueOf(RunTrash::open(m_file));
        const std::vector<RunId> runs{1};
        VERIFY_OK(trash.put(runs));
        QVERIFY(valueOf(store.runs()).empty());
        VERIFY_OK(trash.restore(runs));
        QCOMPARE(valueOf(store.points(1, "a")).values.size(), 3U);
        VERIFY_OK(store.claimRun(1)); // and it can go on
    }

    void theClockIsSetBack()
    {
        SettableClock clock;
        RunStore store = openStore(m_file, clock);
        const RunId first = valueOf(store.startRun({}));
        valueOf(store.flush(first, flushOf({{"a", "", SeriesRole::Essential}}, samplesOf(0, 1, {1}))));
        clock.milliseconds -= 86'400'000;
        valueOf(store.flush(first, flushOf({}, samplesOf(0, 2, {2}))));
        QCOMPARE(valueOf(store.run(first)).status,
                 RunStatus::Running); // its process lives, whatever the clock says
        const RunId second = valueOf(store.startRun({}));
        QVERIFY(second > first);
        QCOMPARE(valueOf(store.points(first, "a")).values, (std::vector<double>{1, 2}));
        QVERIFY(valueOf(store.verify()).clean);
    }

    // The folder is moved while a run writes: told as gone, taken when it is back.
    void theStoreIsMovedWhileItIsOpen()
    {
        const auto folder = std::filesystem::path(m_folder->filePath("here").toStdString());
        const auto moved = std::filesystem::path(m_folder->filePath("there").toStdString());
        std::filesystem::create_directories(folder);
        RunStore store = openStore(folder / "runs.sqlite");
        const RunId run = valueOf(store.startRun({}));
        valueOf(store.flush(run, flushOf({{"a", "", SeriesRole::Essential}}, samplesOf(0, 1, {1}))));
        std::filesystem::rename(folder, moved);
        const Status gone = store.flush(run, flushOf({}, samplesOf(0, 2, {2})));
        QCOMPARE(gone.error().code, ErrorCode::NotFound);
        std::filesystem::rename(moved, folder);
        valueOf(store.flush(run, flushOf({}, samplesOf(0, 2, {2}))));
        QCOMPARE(valueOf(store.points(run, "a")).values, (std::vector<double>{1, 2}));
    }

    // Copied by hand while it was written: the main file without its log. What is there is whole, or it is told.
    void aHalfCopiedStore()
    {
        RunStore store = openStore(m_file);
        const RunId run = valueOf(store.startRun({}));
        const std::vector<double> values(3000, 1.5);
        valueOf(store.flush(run, flushOf({{"a", "", SeriesRole::Essential}}, samplesOf(0, 1, values))));
        const std::filesystem::path copy = m_folder->filePath("copy.sqlite").toStdString();
        std::filesystem::copy_file(m_file, copy);
        const auto opened = RunStore::open(copy);
        if (!opened)
            return;
        const auto points = opened->points(run, "a");
        QVERIFY(!points.ok() || points->values == values);
    }

    void idsThatLookLikeNumbersAndNamesThatLookLikeIds()
    {
        RunStore store = openStore(m_file);
        std::vector<std::string> names{"2",
                                       "1e3",
                                       "007",
                                       "-1",
                                       "nan",
                                       "0x10",
                                       "1; DROP TABLE run",
                                       "a\nb",
                                       "\xF0\x9F\x98\x80",
                                       "'\"`",
                                       "%s%n",
                                       std::string(5000, 'x')};
        for (const std::string& name : names) {
            NewRun fresh;
            fresh.name = name;
            const RunId run = valueOf(store.startRun(fresh));
            valueOf(store.setTags(run, {name}));
            valueOf(store.setNote(run, name));
            valueOf(store.flush(run, flushOf({{name, name, SeriesRole::Essential}}, samplesOf(0, 1, {1}))));
        }
        QCOMPARE(valueOf(store.findRun("2")), RunId{2}); // an id goes before a name
        QCOMPARE(valueOf(store.findRun("1e3")), RunId{2});
        QCOMPARE(valueOf(store.findRun("007")), RunId{3});
        for (std::size_t i = 0; i < names.size(); ++i) {
            const RunInfo info = valueOf(store.run(static_cast<RunId>(i + 1)));
            QCOMPARE(info.name, names[i]);
            QCOMPARE(info.tags, std::vector<std::string>{names[i]});
            QCOMPARE(valueOf(store.points(info.id, names[i])).values, std::vector<double>{1});
        }
        QCOMPARE(valueOf(store.runs()).size(), names.size());
        QVERIFY(valueOf(store.verify()).clean);
    }
};

QTEST_APPLESS_MAIN(TestStoreTroubles)
#include "tst_store_troubles.moc"
