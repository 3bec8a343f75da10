// One producer (the session thread) and one consumer (the recorder thread). The bounded channel between them.
#pragma once

#include "engine/base/clock.h"
#include "engine/metrics/metric.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace athanor {

/// Samples are swapped out as whole vectors under one mutex. When `capacity` samples wait, the producer
/// waits at most kMaxWait once per step; then that step's Probe samples are dropped and counted. Essential
/// and Machine samples and events are never dropped.
class MetricStream {
public:
    static constexpr std::size_t kCapacity = std::size_t{1} << 18;
    static constexpr std::chrono::milliseconds kMaxWait{20};

    explicit MetricStream(std::size_t capacity = kCapacity);

    // --- producer ---
    /// Registers a series; the same name gives the same index (name, not unit or role, decides).
    SeriesIndex series(const SeriesInfo& info);
    /// One sample. Cheap (≤ 0.2 µs): goes to a buffer of the producer until commitStep().
    void push(SeriesIndex series, std::int64_t step, double value)
    {
        m_pending.push_back({series, step, value});
    }
    /// Hands all pushed samples over at once, at the end of a step; this is where the producer may wait.
    void commitStep();
    void event(Event event);
    void close(); ///< no more data will come; the consumer drains what is left

    // --- consumer ---
    struct Batch {
        std::vector<SeriesInfo> newSeries; ///< registered since the last batch, in index order
        std::vector<Sample> samples;
        std::vector<Event> events;
        std::uint64_t droppedProbes = 0; ///< since the last batch
        bool closed = false;
        bool empty() const { return newSeries.empty() && samples.empty() && events.empty(); }
    };
    /// Waits until something is there, the stream is closed or `timeout` passed. `recycled` gives its
    /// buffers back so that steady state allocates nothing.
    Batch take(std::chrono::milliseconds timeout) { return take(timeout, Batch{}); }
    Batch take(std::chrono::milliseconds timeout, Batch recycled);

    // --- any thread ---
    [[nodiscard]] std::uint64_t droppedProbes() const; ///< in all

private:
    const std::size_t m_capacity;
    std::vector<Sample> m_pending; // producer only
    std::vector<SeriesInfo> m_infos; // producer only: every series

    mutable std::mutex m_mutex; // guards all below
    std::condition_variable m_dataReady;
    std::condition_variable m_roomReady;
    std::vector<Sample> m_samples;
    std::vector<SeriesInfo> m_newSeries;
    std::vector<Event> m_events;
    std::uint64_t m_droppedNow = 0;
    std::uint64_t m_droppedAll = 0;
    bool m_closed = false;
};

} // namespace athanor
