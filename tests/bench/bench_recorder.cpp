// How fast samples go from a session to the disk, against one row per sample in the same database settings,
// and whether memory stays flat. Run it alone on the machine; compare the ratios, not the times.
#include "engine/run/run_recorder.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <benchmark/benchmark.h>

#include <malloc.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kSeries = 50;

/// A folder of its own that goes away with it.
class Folder {
public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "athanor-bench-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            std::abort();
        m_path = pattern;
    }
    ~Folder() { std::filesystem::remove_all(m_path); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    [[nodiscard]] std::filesystem::path file() const { return m_path / "runs.sqlite"; }

private:
    std::filesystem::path m_path;
};

/// A run of kSeries series with its recorder, fed by the bench as by a session.
class RecordedRun {
public:
    explicit RecordedRun(const std::filesystem::path& file)
    {
        auto store = RunStore::open(file);
        if (!store.ok())
            std::abort();
        const auto run = store->startRun({"bench", "bench", "", "", "", Json::object()});
        for (std::int64_t i = 0; i < kSeries; ++i)
            m_indices.push_back(m_stream.series({"grad_norm/" + std::to_string(i), "", SeriesRole::Essential}));
        m_recorder = std::make_unique<RunRecorder>(
            m_stream, std::move(*store), *run, m_series, m_diagnosis,
            RunRecorder::Source{[] { return RunRecorder::Snapshot{}; }, [] { return RunRecorder::Ending{}; }},
            systemClock());
    }
    ~RecordedRun() { finish(); }
    RecordedRun(const RecordedRun&) = delete;
    RecordedRun& operator=(const RecordedRun&) = delete;

    void step()
    {
        ++m_step;
        for (const SeriesIndex index : m_indices)
            m_stream.push(index, m_step, 1.0 / static_cast<double>(m_step + index));
        m_stream.commitStep();
    }
    void finish() // until every point is in the store
    {
        m_stream.close();
        m_recorder->wait(1h);
    }

private:
    MetricStream m_stream;
    SeriesStore m_series;
    DiagnosisEngine m_diagnosis;
    std::vector<SeriesIndex> m_indices;
    std::int64_t m_step = 0;
    std::unique_ptr<RunRecorder> m_recorder;
};

double secondsOf(const std::function<void()>& work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void recordSteps(std::int64_t steps)
{
    const Folder folder;
    RecordedRun run(folder.file());
    for (std::int64_t i = 0; i < steps; ++i)
        run.step();
    run.finish();
}

// The plain way: a table with a row per sample, prepared insert, a transaction every 500 steps.
void insertRows(std::int64_t steps)
{
    const Folder folder;
    SQLite::Database db(folder.file().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    db.exec("CREATE TABLE sample (series INTEGER, step INTEGER, value REAL, PRIMARY KEY (series, step)) WITHOUT ROWID");
    SQLite::Statement insert(db, "INSERT INTO sample VALUES (?, ?, ?)");
    for (std::int64_t step = 1; step <= steps;) {
        SQLite::Transaction transaction(db);
        for (std::int64_t end = std::min(steps, step + 499); step <= end; ++step) {
            for (std::int64_t series = 0; series < kSeries; ++series) {
                insert.bind(1, series);
                insert.bind(2, step);
                insert.bind(3, 1.0 / static_cast<double>(step + series));
                insert.exec();
                insert.reset();
            }
        }
        transaction.commit();
    }
}

// Goal: at least a million samples a second, from push to the last commit.
void recorderEndToEnd(benchmark::State& state)
{
    const std::int64_t steps = state.range(0);
    double recorder = 0;
    double rows = 0;
    for (auto _ : state) {
        const double once = secondsOf([&] { recordSteps(steps); });
        state.SetIterationTime(once);
        recorder += once;
        rows += secondsOf([&] { insertRows(steps); });
    }
    const auto samples = static_cast<double>(steps * kSeries) * static_cast<double>(state.iterations());
    state.counters["samples/s"] = samples / recorder;
    state.counters["row_samples/s"] = samples / rows;
    state.counters["times_faster"] = rows / recorder;
}
BENCHMARK(recorderEndToEnd)->Arg(20'000)->Arg(100'000)->UseManualTime()->Iterations(3)->Unit(benchmark::kMillisecond);

// Goal: a median of at most 0.2 µs a push. The cost of handing a step over is shown beside it.
void pushMedian(benchmark::State& state)
{
    const Folder folder;
    RecordedRun idle(folder.file()); // a recorder at work, as in a run
    MetricStream stream;
    const auto series = stream.series({"train/loss", "", SeriesRole::Essential});
    MetricStream::Batch batch;
    std::vector<double> pushes;
    std::vector<double> commits;
    std::int64_t step = 0;
    for (auto _ : state) {
        ++step;
        pushes.push_back(1e9 / kSeries * secondsOf([&] {
                             for (std::int64_t i = 0; i < kSeries; ++i)
                                 stream.push(series, step, 0.5);
                         }));
        commits.push_back(1e9 * secondsOf([&] { stream.commitStep(); }));
        if (step % 100 == 0)
            batch = stream.take(0ms, std::move(batch));
    }
    const auto median = [](std::vector<double>& values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    state.counters["push_median_ns"] = median(pushes);
    state.counters["commit_median_ns"] = median(commits);
}
BENCHMARK(pushMedian)->Iterations(20'000);

// What a plot pays for its view of a long series.
void viewOfALongSeries(benchmark::State& state)
{
    SeriesStore store;
    store.addSeries({"train/loss", "", SeriesRole::Essential});
    std::vector<Sample> part(1000);
    for (std::int64_t step = 0; step < 1'000'000;) {
        for (Sample& sample : part) {
            ++step;
            sample = {0, step, 1.0 / static_cast<double>(step)};
        }
        store.append(part);
    }
    for (auto _ : state)
        benchmark::DoNotOptimize(store.view(0));
}
BENCHMARK(viewOfALongSeries)->Unit(benchmark::kMicrosecond);

double usedMegabytes()
{
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

// Goal: flat. The growth is measured from the 100,000th step, when every series has all its buckets.
void memoryOverAMillionSteps(benchmark::State& state)
{
    constexpr std::int64_t kSettled = 100'000;
    constexpr std::int64_t kSteps = 1'000'000;
    for (auto _ : state) {
        const Folder folder;
        RecordedRun run(folder.file());
        double settled = 0;
        double highest = 0;
        for (std::int64_t step = 1; step <= kSteps; ++step) {
            run.step();
            if (step % 20'000 != 0)
                continue;
            highest = std::max(highest, step > kSettled ? usedMegabytes() : 0);
            settled = step <= kSettled ? std::max(settled, usedMegabytes()) : settled;
        }
        run.finish();
        state.counters["settled_MB"] = settled;
        state.counters["highest_MB"] = highest;
        state.counters["growth"] = highest / settled;
    }
}
BENCHMARK(memoryOverAMillionSteps)->Iterations(1)->Unit(benchmark::kSecond);

} // namespace

BENCHMARK_MAIN();
