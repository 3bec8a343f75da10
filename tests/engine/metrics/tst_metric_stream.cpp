#include "engine/metrics/metric_stream.h"

#include "tests/support/manual_clock.h"

#include <QTest>

#include <set>
#include <thread>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

const SeriesInfo kLoss{"train/loss", "", SeriesRole::Essential};
const SeriesInfo kNorm{"grad_norm", "", SeriesRole::Probe};
const SeriesInfo kTime{"time/step", "ms", SeriesRole::Machine};

void pushMany(MetricStream& stream, SeriesIndex series, std::int64_t step, int count)
{
    for (int i = 0; i < count; ++i)
        stream.push(series, step, i);
}

std::string nameOf(std::size_t number)
{
    return std::string("s").append(std::to_string(number));
}

} // namespace

class TestMetricStream : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void namesAreKeptForEver()
    {
        // These stand in stored runs.
        const std::vector<std::pair<EventKind, std::string>> kinds{
            {EventKind::StateChanged, "state-changed"},           {EventKind::EpochEnded, "epoch-ended"},
            {EventKind::ValidationEnded, "validation-ended"},     {EventKind::CheckpointWritten, "checkpoint-written"},
            {EventKind::NonFinite, "non-finite"},                 {EventKind::SettingChanged, "setting-changed"},
            {EventKind::ProbesDropped, "probes-dropped"},         {EventKind::Note, "note"},
            {EventKind::Failed, "failed"},
        };
        for (const auto& [kind, name] : kinds) {
            QCOMPARE(eventKindName(kind), name);
            QCOMPARE(eventKindFromName(name), std::optional(kind));
        }
        QCOMPARE(eventKindFromName("no-such-kind"), std::optional<EventKind>());
        QCOMPARE(seriesRoleName(SeriesRole::Essential), std::string("essential"));
        QCOMPARE(seriesRoleName(SeriesRole::Probe), std::string("probe"));
        QCOMPARE(seriesRoleName(SeriesRole::Machine), std::string("machine"));
        QCOMPARE(seriesRoleFromName("probe"), std::optional(SeriesRole::Probe));
        QCOMPARE(seriesRoleFromName(""), std::optional<SeriesRole>());
    }

    void aNameHasOneIndex()
    {
        MetricStream stream;
        QCOMPARE(stream.series(kLoss), SeriesIndex(0));
        QCOMPARE(stream.series(kNorm), SeriesIndex(1));
        QCOMPARE(stream.series({"train/loss", "nats", SeriesRole::Probe}), SeriesIndex(0));
        QCOMPARE(stream.series(kTime), SeriesIndex(2));
        auto batch = stream.take(0ms);
        QCOMPARE(batch.newSeries.size(), std::size_t(3));
        QCOMPARE(batch.newSeries[0].name, std::string("train/loss"));
        QVERIFY(batch.newSeries[0].role == SeriesRole::Essential);
        QCOMPARE(batch.newSeries[2].unit, std::string("ms"));
        QVERIFY(stream.take(0ms).newSeries.empty());
    }

    void samplesArriveWithTheirStep()
    {
        MetricStream stream;
        const auto loss = stream.series(kLoss);
        stream.push(loss, 1, 2.5);
        QVERIFY(stream.take(0ms).samples.empty());
        stream.push(loss, 1, 2.25);
        stream.commitStep();
        const auto batch = stream.take(0ms);
        QCOMPARE(batch.samples.size(), std::size_t(2));
        QCOMPARE(batch.samples[1].step, std::int64_t(1));
        QCOMPARE(batch.samples[1].value, 2.25);
        QVERIFY(!batch.closed);
    }

    void closeHandsOverWhatIsLeftAndEndsTheStream()
    {
        MetricStream stream;
        const auto loss = stream.series(kLoss);
        stream.push(loss, 7, 1.0);
        stream.close();
        stream.push(loss, 8, 1.0);
        stream.commitStep();
        stream.event({8, 0, EventKind::Note, "late", {}});
        stream.close();
        const auto batch = stream.take(1h);
        QVERIFY(batch.closed);
        QCOMPARE(batch.samples.size(), std::size_t(1));
        QCOMPARE(batch.samples[0].step, std::int64_t(7));
        QVERIFY(batch.events.empty());
        QVERIFY(stream.take(1h).closed); // does not wait: nothing will come any more
    }

    void eventsAreStamped()
    {
        ManualClock clock(5000);
        MetricStream stream(MetricStream::kCapacity, clock);
        clock.advance(250ms);
        stream.event({3, 0, EventKind::EpochEnded, "Epoch 1", {}});
        stream.event({4, 42, EventKind::Note, "old", "conv1"});
        const auto batch = stream.take(1h);
        QCOMPARE(batch.events.size(), std::size_t(2));
        QCOMPARE(batch.events[0].wallMilliseconds, std::int64_t(5250));
        QCOMPARE(batch.events[1].wallMilliseconds, std::int64_t(42));
        QCOMPARE(batch.events[1].where, std::string("conv1"));
    }

    void aFullStreamDropsProbesOfTheStepOnly()
    {
        MetricStream stream(10);
        const auto loss = stream.series(kLoss);
        const auto norm = stream.series(kNorm);
        const auto time = stream.series(kTime);
        pushMany(stream, norm, 1, 10);
        stream.commitStep(); // fills it, and is itself kept whole
        QCOMPARE(stream.droppedProbes(), std::uint64_t(0));

        pushMany(stream, norm, 2, 3);
        pushMany(stream, loss, 2, 2);
        pushMany(stream, time, 2, 1);
        const auto begin = std::chrono::steady_clock::now();
        stream.commitStep();
        QVERIFY(std::chrono::steady_clock::now() - begin >= MetricStream::kMaxWait); // it gave the consumer time
        QCOMPARE(stream.droppedProbes(), std::uint64_t(3));

        auto batch = stream.take(0ms);
        QCOMPARE(batch.droppedProbes, std::uint64_t(3));
        QCOMPARE(batch.samples.size(), std::size_t(13));
        QVERIFY(batch.samples[10].series == loss && batch.samples[12].series == time);

        pushMany(stream, norm, 3, 4);
        stream.commitStep(); // there is room again
        batch = stream.take(0ms, std::move(batch));
        QCOMPARE(batch.samples.size(), std::size_t(4));
        QCOMPARE(batch.droppedProbes, std::uint64_t(0));
        QCOMPARE(stream.droppedProbes(), std::uint64_t(3));
    }

    void essentialSamplesAndEventsAreNeverDropped()
    {
        MetricStream stream(4);
        const auto loss = stream.series(kLoss);
        for (std::int64_t step = 1; step <= 20; ++step) {
            stream.push(loss, step, 0.5);
            stream.commitStep();
            stream.event({step, 0, EventKind::Note, {}, {}});
        }
        const auto batch = stream.take(0ms);
        QCOMPARE(batch.samples.size(), std::size_t(20));
        QCOMPARE(batch.events.size(), std::size_t(20));
        QCOMPARE(batch.droppedProbes, std::uint64_t(0));
    }

    void aWaitingProducerGoesOnWhenRoomIsMade()
    {
        MetricStream stream(1);
        const auto norm = stream.series(kNorm);
        stream.push(norm, 1, 1);
        stream.commitStep();
        // The consumer takes again and again, so no step waits until its probes are dropped.
        std::size_t taken = 0;
        std::jthread consumer([&](const std::stop_token& stop) {
            MetricStream::Batch batch;
            do {
                batch = stream.take(5ms, std::move(batch));
                taken += batch.samples.size();
            } while (!batch.closed && !stop.stop_requested());
        });
        for (std::int64_t step = 2; step <= 500; ++step) {
            stream.push(norm, step, 1);
            stream.commitStep();
        }
        stream.close();
        consumer.join();
        QCOMPARE(taken + stream.droppedProbes(), std::size_t(500));
        QVERIFY2(stream.droppedProbes() < 100, "room was made, but steps waited on");
    }

    void everythingArrivesOnceAndInOrder()
    {
        MetricStream stream;
        constexpr std::int64_t kSteps = 20'000;
        std::jthread producer([&] {
            std::vector<SeriesIndex> series;
            for (std::int64_t step = 1; step <= kSteps; ++step) {
                if (step % 1000 == 1)
                    series.push_back(stream.series({nameOf(series.size()), "", SeriesRole::Essential}));
                for (const SeriesIndex index : series)
                    stream.push(index, step, static_cast<double>(step) + index);
                stream.commitStep();
                if (step % 100 == 0)
                    stream.event({step, 0, EventKind::Note, {}, {}});
            }
            stream.close();
        });
        std::vector<std::int64_t> lastStep; // by series
        std::int64_t lastEvent = 0;
        std::size_t samples = 0;
        bool isInOrder = true;
        MetricStream::Batch batch;
        while (!batch.closed) {
            batch = stream.take(1h, std::move(batch));
            for (const SeriesInfo& info : batch.newSeries) {
                isInOrder &= info.name == nameOf(lastStep.size());
                lastStep.push_back(1000 * static_cast<std::int64_t>(lastStep.size()));
            }
            for (const Sample& sample : batch.samples) {
                isInOrder &= sample.series < lastStep.size() && sample.step == lastStep[sample.series] + 1 &&
                             sample.value == static_cast<double>(sample.step) + sample.series;
                lastStep[sample.series] = sample.step;
                ++samples;
            }
            for (const Event& event : batch.events) {
                isInOrder &= event.step == lastEvent + 100;
                lastEvent = event.step;
            }
        }
        QVERIFY(isInOrder);
        QCOMPARE(lastEvent, kSteps);
        QCOMPARE(samples, std::size_t(1000 * (20 * 21 / 2)));
        QCOMPARE(stream.droppedProbes(), std::uint64_t(0));
    }

    void steadyStateReusesItsBuffers()
    {
        MetricStream stream;
        const auto loss = stream.series(kLoss);
        std::set<const Sample*> buffers;
        MetricStream::Batch batch;
        for (std::int64_t step = 1; step <= 100; ++step) {
            pushMany(stream, loss, step, 100);
            stream.commitStep();
            batch = stream.take(0ms, std::move(batch));
            if (step > 3)
                buffers.insert(batch.samples.data());
        }
        QVERIFY(buffers.size() <= 3); // producer's, waiting, consumer's
    }
};

QTEST_APPLESS_MAIN(TestMetricStream)
#include "tst_metric_stream.moc"
