// Live and stored series, and the reader thread behind them, over a real run store.
#include "ui/plot/history_reader.h"
#include "ui/plot/series_source.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <semaphore>

using namespace athanor;

class TestSeriesSource : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<QTemporaryDir> m_folder;
    StoredRun m_stored;

    static double valueAt(std::int64_t step) { return static_cast<double>((step * 7919) % 10'007); }

    void makeRun(std::int64_t steps)
    {
        auto store = RunStore::open(m_stored.storeFile);
        QVERIFY(store.ok());
        const auto run = store->startRun({.name = "stored", .project = "p"});
        QVERIFY(run.ok());
        m_stored.run = *run;
        const std::vector<SeriesInfo> series{{"train/loss", "", SeriesRole::Essential}, {"lr", "", SeriesRole::Essential}};
        std::vector<Sample> samples;
        for (std::int64_t step = 1; step <= steps; ++step)
            samples.push_back({0, step, step == 500 ? std::numeric_limits<double>::quiet_NaN() : valueAt(step)});
        samples.push_back({1, 1, 0.1});
        RunStore::Flush flush;
        flush.newSeries = series;
        flush.samples = samples;
        flush.steps = steps;
        QVERIFY(store->flush(*run, flush).ok());
        QVERIFY(store->finishRun(*run, RunStatus::Finished).ok());
    }

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_stored.storeFile = m_folder->filePath(QStringLiteral("runs.sqlite")).toStdString();
    }

    void aStoredRunLoadsByItself()
    {
        makeRun(200'000);
        HistoryReader reader;
        StoredSeriesSource source(m_stored, QStringLiteral("stored"), reader);
        QSignalSpy loaded(&source, &StoredSeriesSource::listLoaded);
        QCOMPARE(source.structureVersion(), std::uint64_t{0});
        QTRY_COMPARE(loaded.size(), 1);
        QCOMPARE(source.infos().size(), std::size_t{2});
        const SeriesIndex loss = source.find("train/loss").value();
        QVERIFY(!source.find("nothing"));
        QCOMPARE(source.latest(loss).step, std::int64_t{200'000});
        QCOMPARE(source.latest(loss).value, valueAt(200'000));
        QCOMPARE(source.latest(loss).nonFinite, std::int64_t{1});
        QCOMPARE(source.version(loss), std::uint64_t{0});
        QCOMPARE(source.view(loss).count, std::int64_t{0}); // asks for it
        QTRY_COMPARE(source.version(loss), std::uint64_t{1});
        const SeriesView view = source.view(loss);
        QCOMPARE(view.count, std::int64_t{200'000});
        QCOMPARE(view.nonFinite, std::int64_t{1});
        QVERIFY(view.buckets.size() <= SeriesStore::kBuckets + 1);
    }

    void rawPointsOfARangeAreAllThere()
    {
        makeRun(200'000);
        HistoryReader reader;
        StoredSeriesSource source(m_stored, {}, reader);
        QVERIFY(source.hasHistory());
        std::optional<std::vector<HistoryWindow>> answer;
        QObject client;
        source.requestRange(&client, 0, {{"train/loss", "lr"}, 400, 600, 100}, [&](auto result) {
            QVERIFY(result.ok());
            answer = result.value();
        });
        QTRY_VERIFY(answer.has_value());
        QCOMPARE(answer->size(), std::size_t{2});
        const HistoryWindow& loss = answer->front();
        QVERIFY(loss.isComplete());
        QCOMPARE(loss.points.steps.size(), std::size_t{201});
        for (std::size_t i = 0; i < loss.points.steps.size(); ++i) {
            if (loss.points.steps[i] == 500)
                QVERIFY(std::isnan(loss.points.values[i]));
            else
                QCOMPARE(loss.points.values[i], valueAt(loss.points.steps[i]));
        }
        QVERIFY((*answer)[1].points.steps.empty());
    }

    void manyPointsAreThinnedWithoutLosingExtremes()
    {
        makeRun(200'000);
        HistoryReader reader;
        StoredSeriesSource source(m_stored, {}, reader);
        QObject client;
        std::optional<HistoryWindow> window;
        source.requestRange(&client, 0, {{"train/loss"}, 1, 200'000, 500},
                            [&](auto result) { window = result.value().front(); });
        QTRY_VERIFY(window.has_value());
        QVERIFY(!window->isComplete());
        QVERIFY(window->points.steps.size() <= 500U * 6);
        QCOMPARE(window->to, std::int64_t{200'000});
        double maximum = 0;
        for (std::int64_t step = 1; step <= 200'000; ++step)
            maximum = step == 500 ? maximum : std::max(maximum, valueAt(step));
        double found = 0;
        for (const double value : window->points.values)
            found = std::isnan(value) ? found : std::max(found, value);
        QCOMPARE(found, maximum);
    }

    void aStoreThatIsNotThereIsAnError()
    {
        HistoryReader reader;
        StoredSeriesSource source({"/proc/nowhere/runs.sqlite", 1}, {}, reader);
        QSignalSpy failed(&source, &StoredSeriesSource::loadFailed);
        QTRY_COMPARE(failed.size(), 1);
        QVERIFY(!failed[0][0].toString().isEmpty());
    }

    void newerRequestsReplaceOlderOnes()
    {
        makeRun(10);
        HistoryReader reader;
        QObject client;
        QObject other;
        std::binary_semaphore started(0);
        std::binary_semaphore goOn(0);
        std::vector<int> answered;
        std::atomic<int> worked{0};
        const auto job = [&](int number) {
            return [&, number](const Result<RunStore>&) -> HistoryReader::Answer {
                ++worked;
                return [&, number] { answered.push_back(number); };
            };
        };
        reader.request(&client, 0, m_stored.storeFile, [&](const Result<RunStore>&) -> HistoryReader::Answer {
            started.release();
            goOn.acquire();
            return [&] { answered.push_back(1); };
        });
        started.acquire(); // 1 runs
        reader.request(&client, 0, m_stored.storeFile, job(2));
        reader.request(&other, 0, m_stored.storeFile, job(10));
        reader.request(&client, 1, m_stored.storeFile, job(20));
        reader.request(&client, 0, m_stored.storeFile, job(3));
        QCOMPARE(reader.pendingCount(), 4); // 2 was replaced before it began
        goOn.release();
        QTRY_COMPARE(reader.pendingCount(), 0);
        QCOMPARE(worked.load(), 3);
        // 1 was overtaken while it ran.
        QCOMPARE(answered, (std::vector<int>{10, 20, 3}));
    }

    void answersForTheDeadAreDropped()
    {
        makeRun(10);
        HistoryReader reader;
        auto client = std::make_unique<QObject>();
        std::binary_semaphore started(0);
        std::binary_semaphore goOn(0);
        bool answered = false;
        reader.request(client.get(), 0, m_stored.storeFile, [&](const Result<RunStore>&) -> HistoryReader::Answer {
            started.release();
            goOn.acquire();
            return [&] { answered = true; };
        });
        started.acquire();
        client.reset();
        goOn.release();
        QTRY_COMPARE(reader.pendingCount(), 0);
        QVERIFY(!answered);

        QObject living;
        reader.request(&living, 0, m_stored.storeFile, [&](const Result<RunStore>&) -> HistoryReader::Answer {
            return [&] { answered = true; };
        });
        reader.cancel(&living, 0);
        QTRY_COMPARE(reader.pendingCount(), 0);
        QTest::qWait(20);
        QVERIFY(!answered);
    }

    void theReaderMayEndWithWorkWaiting()
    {
        makeRun(10);
        QObject client;
        HistoryReader reader;
        for (int slot = 0; slot < 100; ++slot)
            reader.request(&client, slot, m_stored.storeFile, [](const Result<RunStore>&) { return HistoryReader::Answer(); });
    }
};

QTEST_GUILESS_MAIN(TestSeriesSource)
#include "tst_series_source.moc"
