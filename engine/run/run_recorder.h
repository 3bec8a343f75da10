// The recorder thread: the one consumer of a run's MetricStream. Stores, feeds the series view, judges.
#pragma once

#include "engine/base/clock.h"
#include "engine/diagnose/diagnosis_engine.h"
#include "engine/metrics/metric_stream.h"
#include "engine/metrics/series_store.h"
#include "engine/store/run_store.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace athanor {

/// Takes batches from the stream as they come (SeriesStore sees them at once), and writes them to the
/// store in one transaction about every kFlushEvery; an event or the end flushes at once. A store that is
/// busy or full is retried, with a log line, and loses nothing while memory lasts.
class RunRecorder {
public:
    static constexpr std::chrono::milliseconds kFlushEvery{500};
    /// So many samples are written without waiting for the time: memory depends on no run's speed.
    static constexpr std::size_t kFlushSamples = std::size_t{1} << 18;
    /// Events that come in quick succession share a transaction.
    static constexpr std::chrono::milliseconds kEventGap{50};
    /// A run that has nothing to say writes its heartbeat this often.
    static constexpr std::chrono::milliseconds kHeartbeatEvery{2000};
    /// How long the end waits for a store that cannot be written; the destructor waits for a second only.
    static constexpr std::chrono::milliseconds kPatienceAtEnd{60'000};
    /// Samples that wait for a store that cannot be written (about 400 MB); beyond it Probe samples are
    /// dropped and counted.
    static constexpr std::size_t kMaxBacklog = std::size_t{1} << 24;
    /// Events that are kept for a listener that comes late.
    static constexpr std::size_t kReplayed = 10'000;

    struct Snapshot {
        RunStatus status = RunStatus::Running;
        double seconds = 0;
        std::int64_t steps = 0;
        double epochs = 0;
    };
    struct Ending {
        RunStatus status = RunStatus::Finished;
        std::string failure;
    };
    struct Source {
        std::function<Snapshot()> snapshot; ///< asked at every flush, on the recorder thread
        std::function<Ending()> ending;     ///< asked once after the stream was closed, on the recorder thread
    };

    /// A run that was claimed to go on after `step`. It is rewound when the first new point comes; when none does,
    /// because it could not start or was stopped before, it is given back as it was.
    struct Resumption {
        std::int64_t step = 0;
        RunClaim before;
    };

    /// Starts the thread. A run that has points already is read back first (up to the step it goes on from), so that
    /// `series` and `diagnosis` know its whole history; the stream must then hold the run's series in their
    /// stored order before any other. All references outlive the recorder.
    RunRecorder(MetricStream& stream, RunStore store, RunId run, SeriesStore& series, DiagnosisEngine& diagnosis,
                Source source, const Clock& clock, std::optional<Resumption> resumption = {});
    ~RunRecorder(); ///< waits until the stream is closed and everything is stored

    // --- any thread ---
    /// Every event, in order, after it was stored, on the recorder thread; earlier ones are replayed. A call
    /// that is under way may still end after this returns.
    void setListener(std::function<void(const Event&)> listener);
    /// Is stored with the next flush.
    void addCheckpoint(CheckpointInfo checkpoint);
    /// True once the stream was closed and the last point is on disk (or was given up, see storageError).
    [[nodiscard]] bool done() const;
    bool wait(std::chrono::milliseconds timeout); ///< until done(); false on timeout
    /// Ends the wait for a store that cannot be written once the stream is closed: what is not stored is lost.
    void giveUp();
    /// Why points cannot be stored at present, or were given up at the end; empty message when all is well.
    [[nodiscard]] Error storageError() const;

    RunStore& store(); ///< only after done(): the recorder thread owns it before

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
