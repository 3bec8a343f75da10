// The recorder thread: the one consumer of a run's MetricStream. Stores, feeds the series view, judges.
#pragma once

#include "engine/base/clock.h"
#include "engine/diagnose/diagnosis_engine.h"
#include "engine/metrics/metric_stream.h"
#include "engine/metrics/series_store.h"
#include "engine/store/run_store.h"

#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace athanor {

/// Takes batches from the stream as they come (SeriesStore sees them at once), and writes them to the
/// store in one transaction about every kFlushEvery; an event or the end flushes at once. A store that is
/// busy or full is retried, with a log line, and loses nothing while memory lasts.
class RunRecorder {
public:
    static constexpr std::chrono::milliseconds kFlushEvery{500};

    struct Snapshot {
        RunStatus status = RunStatus::Running;
        double seconds = 0;
        std::int64_t steps = 0;
        double epochs = 0;
    };

    /// `snapshot` is asked at every flush, `listener` gets every event after it was stored; both on the
    /// recorder thread. All references outlive the recorder.
    RunRecorder(MetricStream& stream, RunStore store, RunId run, SeriesStore& series, DiagnosisEngine& diagnosis,
                std::function<Snapshot()> snapshot, std::function<void(const Event&)> listener, const Clock& clock);
    ~RunRecorder(); ///< waits until the stream is closed and everything is stored

    /// True once the stream was closed and the last point is on disk.
    [[nodiscard]] bool done() const;
    bool wait(std::chrono::milliseconds timeout);
    /// The last storage error, empty message when there was none.
    [[nodiscard]] Error storageError() const;

    RunStore& store(); ///< only after done(): the recorder thread owns it before

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
