#include "engine/metrics/series_store.h"

#include <QTest>

#include <malloc.h>

#include <bit>
#include <cmath>
#include <random>
#include <thread>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool sameSample(const Sample& a, const Sample& b)
{
    return a.series == b.series && a.step == b.step && sameBits(a.value, b.value);
}

// A walk with spikes of both signs, gaps in its steps and bursts of values that are not finite.
std::vector<Sample> difficultSamples(std::size_t count)
{
    std::mt19937_64 random(7);
    std::normal_distribution<double> normal;
    std::vector<Sample> out;
    std::int64_t step = 0;
    double level = 0;
    int burst = 0;
    for (std::size_t i = 0; i < count; ++i) {
        step += random() % 50 == 0 ? 17 : 1;
        level += normal(random);
        double value = level;
        if (random() % 5000 == 0)
            value = 1e9 * normal(random);
        if (random() % 20'000 == 0)
            burst = static_cast<int>(random() % 3000);
        if (burst > 0) {
            --burst;
            value = std::array{kNaN, kInf, -kInf}[random() % 3];
        }
        out.push_back({0, step, value});
    }
    return out;
}

// What a bucket over these samples must say, straight from its definition.
SeriesBucket expectedBucket(std::span<const Sample> samples)
{
    SeriesBucket out;
    out.firstStep = samples.front().step;
    out.lastStep = samples.back().step;
    out.first = out.last = kNaN;
    for (const Sample& sample : samples) {
        ++out.count;
        if (!std::isfinite(sample.value)) {
            ++out.nonFinite;
            continue;
        }
        if (out.count - out.nonFinite == 1)
            out.first = sample.value;
        out.last = sample.value;
        out.sum += sample.value;
        if (sample.value < out.min) {
            out.min = sample.value;
            out.minStep = sample.step;
        }
        if (sample.value > out.max) {
            out.max = sample.value;
            out.maxStep = sample.step;
        }
    }
    return out;
}

bool agree(const SeriesBucket& a, const SeriesBucket& b)
{
    const bool empty = b.count == b.nonFinite;
    const double scale = std::max({1.0, std::abs(b.min), std::abs(b.max)}) * b.count;
    return a.firstStep == b.firstStep && a.lastStep == b.lastStep && sameBits(a.first, b.first) &&
           sameBits(a.last, b.last) && a.min == b.min && a.max == b.max && a.count == b.count &&
           a.nonFinite == b.nonFinite && (empty || (a.minStep == b.minStep && a.maxStep == b.maxStep)) &&
           (empty || std::abs(a.sum - b.sum) <= 1e-12 * scale);
}

void checkAgainst(const SeriesView& view, const std::vector<Sample>& all)
{
    QCOMPARE(view.count, static_cast<std::int64_t>(all.size()));
    QVERIFY(view.buckets.size() <= SeriesStore::kBuckets + 1);
    std::size_t at = 0;
    for (const SeriesBucket& bucket : view.buckets) {
        QVERIFY(at + bucket.count <= all.size());
        QVERIFY(agree(bucket, expectedBucket(std::span(all).subspan(at, bucket.count))));
        at += bucket.count;
    }
    QCOMPARE(at, all.size());

    const std::size_t recent = std::min(all.size(), SeriesStore::kRecent);
    QCOMPARE(view.recent.size(), recent);
    QVERIFY(std::equal(view.recent.begin(), view.recent.end(), all.end() - static_cast<std::ptrdiff_t>(recent),
                       sameSample));

    std::vector<Sample> marks;
    std::copy_if(all.begin(), all.end(), std::back_inserter(marks),
                 [](const Sample& sample) { return !std::isfinite(sample.value); });
    QCOMPARE(view.nonFinite, static_cast<std::int64_t>(marks.size()));
    if (marks.size() > 2 * SeriesStore::kMarks)
        marks.erase(marks.begin() + SeriesStore::kMarks, marks.end() - SeriesStore::kMarks);
    QVERIFY(std::equal(view.nonFiniteMarks.begin(), view.nonFiniteMarks.end(), marks.begin(), marks.end(), sameSample));
    if (!all.empty()) {
        QCOMPARE(view.lastStep, all.back().step);
        QVERIFY(sameBits(view.lastValue, all.back().value));
    }
}

std::size_t usedMemory()
{
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

} // namespace

class TestSeriesStore : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nothingIsHiddenByMerging_data()
    {
        QTest::addColumn<int>("count");
        for (const int count : {0, 1, 2, 5, 2047, 2048, 2049, 4095, 4096, 4097, 100'000, 1'000'000})
            QTest::addRow("%d", count) << count;
    }
    void nothingIsHiddenByMerging()
    {
        QFETCH(int, count);
        const auto samples = difficultSamples(static_cast<std::size_t>(count));
        SeriesStore store;
        store.addSeries({"train/loss", "", SeriesRole::Essential});
        std::mt19937 random(3);
        for (std::span<const Sample> rest = samples; !rest.empty();) {
            const auto part = rest.first(std::min<std::size_t>(rest.size(), 1 + random() % 9000));
            store.append(part);
            rest = rest.subspan(part.size());
        }
        checkAgainst(store.view(0), samples);
    }

    void seriesAreApart()
    {
        SeriesStore store;
        QCOMPARE(store.structureVersion(), std::uint64_t(0));
        store.addSeries({"a", "ms", SeriesRole::Machine});
        store.addSeries({"b", "", SeriesRole::Probe});
        QCOMPARE(store.structureVersion(), std::uint64_t(2));
        QCOMPARE(store.seriesCount(), std::size_t(2));
        QCOMPARE(store.infos()[0].unit, std::string("ms"));
        const auto before = store.version(0);
        store.append(std::vector<Sample>{{1, 1, 10.0}, {1, 2, kInf}, {7, 3, 5.0}}); // there is no series 7
        QCOMPARE(store.version(0), before);
        QVERIFY(store.version(1) > 0);
        QCOMPARE(store.view(0).count, std::int64_t(0));
        QVERIFY(std::isnan(store.view(0).lastValue));
        QVERIFY(std::isnan(store.latest(0).value));
        QCOMPARE(store.view(1).info.name, std::string("b"));
        QCOMPARE(store.view(1).version, store.version(1));
        QCOMPARE(store.latest(1).step, std::int64_t(2));
        QCOMPARE(store.latest(1).value, kInf);
        QCOMPARE(store.latest(1).count, std::int64_t(2));
        QCOMPARE(store.latest(1).nonFinite, std::int64_t(1));
        QCOMPARE(store.view(7).count, std::int64_t(0));
        QCOMPARE(store.version(7), std::uint64_t(0));
        const auto version = store.version(1);
        store.append(std::vector<Sample>{{1, 3, 1.0}});
        QVERIFY(store.version(1) > version);
    }

    void memoryIsBounded()
    {
        SeriesStore store;
        store.addSeries({"a", "", SeriesRole::Essential});
        std::vector<Sample> part(1000);
        std::int64_t step = 0;
        const auto append = [&](int parts) {
            for (int i = 0; i < parts; ++i) {
                for (Sample& sample : part) {
                    ++step;
                    sample = {0, step, step % 7 == 0 ? kNaN : 1.0 / static_cast<double>(step)};
                }
                store.append(part);
            }
        };
        const std::size_t empty = usedMemory();
        append(100);
        const std::size_t full = usedMemory();
        append(3000);
        QVERIFY(usedMemory() <= full + 1024);
        QVERIFY(full <= empty + 320 * 1024); // with all marks; half of it without
    }

    void readersSeeWholeStates()
    {
        SeriesStore store;
        store.addSeries({"a", "", SeriesRole::Essential});
        std::atomic<bool> done = false;
        std::atomic<int> broken = 0;
        std::vector<std::jthread> readers;
        for (int i = 0; i < 2; ++i) {
            readers.emplace_back([&] {
                std::int64_t last = 0;
                while (!done) {
                    const SeriesView view = store.view(0);
                    std::int64_t count = 0;
                    for (const SeriesBucket& bucket : view.buckets)
                        count += bucket.count;
                    broken += count != view.count || view.count < last || view.lastStep != view.count;
                    last = view.count;
                    broken += store.latest(0).count < last;
                    (void)store.infos();
                    (void)store.structureVersion();
                }
            });
        }
        std::vector<Sample> part(777);
        for (std::int64_t step = 0; step < 200 * 777;) {
            for (Sample& sample : part) {
                ++step;
                sample = {0, step, static_cast<double>(step)};
            }
            store.append(part);
            if (step % 100 == 0)
                store.addSeries({"more", "", SeriesRole::Probe});
        }
        done = true;
        readers.clear();
        QCOMPARE(broken.load(), 0);
    }
};

QTEST_APPLESS_MAIN(TestSeriesStore)
#include "tst_series_store.moc"
