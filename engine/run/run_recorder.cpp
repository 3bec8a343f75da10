#include "engine/run/run_recorder.h"

#include "engine/base/log.h"
#include "engine/run/event_delivery.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace athanor {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

/// Longest sleep in one go: a clock that is advanced by hand is looked at this often.
constexpr milliseconds kTick{50};
/// Between two looks at a stream that is busy: waking up for every step would cost the training thread.
constexpr milliseconds kPace{10};
/// The recorder must come back to its stream soon, so it waits less for other writers than others do.
constexpr milliseconds kBusyTimeout{250};
constexpr milliseconds kPatienceOfDestructor{1000};
constexpr milliseconds kDropReportEvery{10'000};

/// What was taken from the stream and is not in the store yet.
struct Backlog {
    std::vector<SeriesInfo> newSeries;
    std::vector<Sample> samples;
    std::vector<Event> events;
    std::vector<CheckpointInfo> checkpoints;

    [[nodiscard]] bool empty() const
    {
        return newSeries.empty() && samples.empty() && events.empty() && checkpoints.empty();
    }
    // Keeps the memory for the next round, unless an outage made it large.
    void clear()
    {
        newSeries.clear();
        samples.clear();
        if (samples.capacity() > 4 * MetricStream::kCapacity)
            samples.shrink_to_fit();
        events.clear();
        checkpoints.clear();
    }
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& from)
{
    to.insert(to.end(), from.begin(), from.end());
}

} // namespace

struct RunRecorder::Impl {
    Impl(MetricStream& metricStream, RunStore runStore, RunId runId, SeriesStore& seriesStore,
         DiagnosisEngine& diagnosisEngine, Source runSource, const Clock& recorderClock,
         std::optional<Resumption> resumed)
        : stream(metricStream), store(std::move(runStore)), run(runId), series(seriesStore),
          diagnosis(diagnosisEngine), source(std::move(runSource)), clock(recorderClock),
          resumption(std::move(resumed))
    {
        store.setBusyTimeout(kBusyTimeout);
        lastFlush = clock.now();
        flushAt = lastFlush + kFlushEvery;
        thread = std::jthread([this] { record(); });
    }

    void record();
    void loadHistory();
    void receive(MetricStream::Batch& batch);
    void keepForStore(const MetricStream::Batch& batch);
    void noteDropped(std::uint64_t count);
    void flushIfDue(bool urgent);
    bool flush(const Snapshot& now);
    void finish();
    bool storeEnd(const Ending& ending);
    [[nodiscard]] milliseconds patience() const;
    [[nodiscard]] bool isUnchanged(const Ending& ending) const;
    [[nodiscard]] Error lastError() const;
    void storageFailed(const Error& error);
    void storageWorks();

    MetricStream& stream;
    RunStore store;
    const RunId run;
    SeriesStore& series;
    DiagnosisEngine& diagnosis;
    const Source source;
    const Clock& clock;
    std::optional<Resumption> resumption; ///< until the run is rewound
    EventDelivery delivery{kReplayed};

    // recorder thread only
    Backlog backlog;
    std::vector<Event> unheard; ///< not given to the listener yet
    std::vector<SeriesRole> roles;
    std::size_t loadedSeries = 0;
    bool isFailing = false; ///< the last flush did not get through
    std::int64_t step = 0; ///< the newest that was seen
    RunStatus storedStatus = RunStatus::Running;
    nanoseconds lastFlush{};
    nanoseconds flushAt{};
    std::uint64_t unreportedDrops = 0;
    std::optional<nanoseconds> dropsReported;

    mutable std::mutex mutex; // guards the five below
    mutable std::condition_variable changed;
    std::vector<CheckpointInfo> newCheckpoints;
    Error storageError;
    bool isDone = false;
    bool isAbandoned = false; ///< the owner goes away
    bool isGivenUp = false;

    std::jthread thread; // last: it uses all above
};

RunRecorder::RunRecorder(MetricStream& stream, RunStore store, RunId run, SeriesStore& series,
                         DiagnosisEngine& diagnosis, Source source, const Clock& clock,
                         std::optional<Resumption> resumption)
    : m_impl(std::make_unique<Impl>(stream, std::move(store), run, series, diagnosis, std::move(source), clock,
                                    std::move(resumption)))
{
}

RunRecorder::~RunRecorder()
{
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->isAbandoned = true;
    }
    m_impl->changed.notify_all();
    m_impl->delivery.quit();
    m_impl->thread.join();
}

void RunRecorder::setListener(std::function<void(const Event&)> listener)
{
    m_impl->delivery.setListener(std::move(listener));
}

void RunRecorder::addCheckpoint(CheckpointInfo checkpoint)
{
    const std::lock_guard lock(m_impl->mutex);
    m_impl->newCheckpoints.push_back(std::move(checkpoint));
}

bool RunRecorder::done() const
{
    const std::lock_guard lock(m_impl->mutex);
    return m_impl->isDone;
}

bool RunRecorder::wait(milliseconds timeout)
{
    std::unique_lock lock(m_impl->mutex);
    return m_impl->changed.wait_for(lock, timeout, [this] { return m_impl->isDone; });
}

Error RunRecorder::storageError() const
{
    return m_impl->lastError();
}

void RunRecorder::giveUp()
{
    {
        const std::lock_guard lock(m_impl->mutex);
        m_impl->isGivenUp = true;
    }
    m_impl->changed.notify_all();
}

RunStore& RunRecorder::store()
{
    return m_impl->store;
}

void RunRecorder::Impl::record()
{
    loadHistory();
    MetricStream::Batch batch;
    while (!batch.closed) {
        const auto untilFlush = std::chrono::ceil<milliseconds>(flushAt - clock.now());
        batch = stream.take(std::clamp(untilFlush, milliseconds::zero(), kTick), std::move(batch));
        receive(batch);
        flushIfDue(!batch.events.empty());
        delivery.deliver();
        if (!batch.closed && batch.events.empty())
            std::this_thread::sleep_for(kPace);
    }
    finish();
    delivery.serveUntilQuit();
}

// A run that is taken up again shows and judges its whole history, not only what comes now.
void RunRecorder::Impl::loadHistory()
{
    const std::optional<std::int64_t> lastKept = resumption ? std::optional(resumption->step) : std::nullopt;
    const auto summaries = store.summaries(run);
    if (!summaries.ok()) {
        storageFailed(summaries.error());
        return;
    }
    for (const SeriesSummary& summary : *summaries) {
        const auto index = static_cast<SeriesIndex>(loadedSeries++);
        series.addSeries({summary.name, summary.unit, summary.role});
        diagnosis.addSeries({summary.name, summary.unit, summary.role});
        const auto points = store.points(run, summary.name, {}, lastKept);
        if (!points.ok()) {
            spdlog::warn("The earlier points of {} cannot be shown. {}", summary.name, points.error().text());
            continue;
        }
        std::vector<Sample> samples;
        samples.reserve(points->steps.size());
        for (std::size_t i = 0; i < points->steps.size(); ++i)
            samples.push_back({index, points->steps[i], points->values[i]});
        series.append(samples);
        diagnosis.addSamples(samples);
    }
    if (loadedSeries == 0)
        return;
    if (const auto events = store.events(run); events.ok()) {
        for (const Event& event : *events)
            if (!lastKept || event.step <= *lastKept)
                diagnosis.addEvent(event);
    }
}

void RunRecorder::Impl::receive(MetricStream::Batch& batch)
{
    for (const SeriesInfo& info : batch.newSeries) {
        if (roles.size() >= loadedSeries) {
            series.addSeries(info);
            diagnosis.addSeries(info);
        }
        roles.push_back(info.role);
    }
    if (!batch.samples.empty())
        step = std::max(step, batch.samples.back().step);
    series.append(batch.samples);
    diagnosis.addSamples(batch.samples);
    for (const Event& event : batch.events)
        diagnosis.addEvent(event);
    noteDropped(batch.droppedProbes);
    keepForStore(batch);
}

void RunRecorder::Impl::keepForStore(const MetricStream::Batch& batch)
{
    append(backlog.newSeries, batch.newSeries);
    append(backlog.events, batch.events);
    append(unheard, batch.events);
    if (backlog.samples.size() < kMaxBacklog) {
        append(backlog.samples, batch.samples);
        return;
    }
    std::uint64_t dropped = 0;
    for (const Sample& sample : batch.samples) {
        if (roles[sample.series] == SeriesRole::Probe)
            ++dropped;
        else
            backlog.samples.push_back(sample);
    }
    noteDropped(dropped);
}

// One event for many drops: they come in every step once they come at all.
void RunRecorder::Impl::noteDropped(std::uint64_t count)
{
    diagnosis.addDroppedProbes(count, step);
    unreportedDrops += count;
    const nanoseconds now = clock.now();
    if (unreportedDrops == 0 || (dropsReported && now - *dropsReported < kDropReportEvery))
        return;
    dropsReported = now;
    const Event event{step, clock.wallMilliseconds(), EventKind::ProbesDropped,
                      std::to_string(std::exchange(unreportedDrops, 0)) +
                          " probe samples were left out: the recorder could not follow",
                      {}};
    backlog.events.push_back(event);
    unheard.push_back(event);
}

void RunRecorder::Impl::flushIfDue(bool urgent)
{
    const nanoseconds now = clock.now();
    if (urgent)
        flushAt = std::min(flushAt, std::max(now, lastFlush + nanoseconds(kEventGap)));
    if (backlog.samples.size() >= kFlushSamples && !isFailing)
        flushAt = now;
    if (now < flushAt)
        return;
    flushAt = now + kFlushEvery;
    const Snapshot snapshot = source.snapshot();
    {
        const std::lock_guard lock(mutex);
        append(backlog.checkpoints, newCheckpoints);
        newCheckpoints.clear();
    }
    if (resumption && backlog.samples.empty()) {
        delivery.add(std::exchange(unheard, {})); // stored with the first point
        return;
    }
    if (backlog.empty() && snapshot.status == storedStatus && now - lastFlush < kHeartbeatEvery)
        return;
    lastFlush = now;
    flush(snapshot);
    delivery.add(std::exchange(unheard, {}));
}

bool RunRecorder::Impl::flush(const Snapshot& now)
{
    if (resumption) {
        if (const Status rewound = store.rewindRun(run, resumption->step); !rewound.ok()) {
            storageFailed(rewound.error());
            return false;
        }
        resumption.reset();
    }
    const Status stored = store.flush(run, {backlog.newSeries, backlog.samples, backlog.events, backlog.checkpoints,
                                            now.status, now.seconds, now.steps, now.epochs});
    if (!stored.ok()) {
        storageFailed(stored.error());
        return false;
    }
    storedStatus = now.status;
    backlog.clear();
    storageWorks();
    return true;
}

void RunRecorder::Impl::finish()
{
    const Ending ending = source.ending();
    const nanoseconds begin = clock.now();
    bool isTold = false;
    while (!storeEnd(ending)) {
        const milliseconds longest = patience();
        if (clock.now() - begin >= longest) {
            spdlog::error("The end of run {} could not be stored, {} points are lost. {}", run, backlog.samples.size(),
                          lastError().text());
            break;
        }
        if (!std::exchange(isTold, true))
            spdlog::warn("The end of run {} cannot be stored yet; it is tried for up to {} seconds. {}", run,
                         std::chrono::ceil<std::chrono::seconds>(longest).count(), lastError().text());
        std::unique_lock lock(mutex);
        changed.wait_for(lock, kTick, [this] { return isAbandoned || isGivenUp; });
    }
    delivery.add(std::exchange(unheard, {}));
    delivery.deliver();
    {
        const std::lock_guard lock(mutex);
        isDone = true;
    }
    changed.notify_all();
}

/// How long the end waits for the store, as things are.
milliseconds RunRecorder::Impl::patience() const
{
    const std::lock_guard lock(mutex);
    if (isGivenUp || storageError.code == ErrorCode::NotFound) // the store or the run was deleted
        return milliseconds::zero();
    return isAbandoned ? kPatienceOfDestructor : kPatienceAtEnd;
}

/// Whether the session of a resumed run has made nothing that would have to be stored.
bool RunRecorder::Impl::isUnchanged(const Ending& ending) const
{
    return resumption && backlog.samples.empty() &&
           (ending.status == RunStatus::Failed || ending.status == RunStatus::Stopped);
}

bool RunRecorder::Impl::storeEnd(const Ending& ending)
{
    if (isUnchanged(ending)) {
        const Status released = store.releaseRun(run, resumption->before);
        if (!released.ok())
            storageFailed(released.error());
        return released.ok();
    }
    {
        const std::lock_guard lock(mutex);
        append(backlog.checkpoints, newCheckpoints);
        newCheckpoints.clear();
    }
    Snapshot last = source.snapshot();
    last.status = ending.status;
    if (!flush(last))
        return false;
    const Status finished = store.finishRun(run, ending.status, ending.failure);
    if (!finished.ok())
        storageFailed(finished.error());
    return finished.ok();
}

Error RunRecorder::Impl::lastError() const
{
    const std::lock_guard lock(mutex);
    return storageError;
}

// One line an episode: a disk that is full stays so for a while.
void RunRecorder::Impl::storageFailed(const Error& error)
{
    if (!std::exchange(isFailing, true)) {
        spdlog::warn("The run store cannot be written; points are kept in memory and tried again. {}", error.text());
        spdlog::debug("{}", error.details);
    }
    const std::lock_guard lock(mutex);
    storageError = error;
}

void RunRecorder::Impl::storageWorks()
{
    if (!std::exchange(isFailing, false))
        return;
    spdlog::info("The run store can be written again; nothing was lost.");
    const std::lock_guard lock(mutex);
    storageError = {};
}

} // namespace athanor
