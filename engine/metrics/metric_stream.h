// One producer (the session thread) and one consumer (the recorder thread). The bounded channel between them.
#pragma once

#include "engine/base/clock.h"
#include "engine/metrics/metric.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace athanor {

/// Samples are swapped out as whole vectors under one mutex. When `capacity` samples wait, the producer
/// waits at most kMaxWait once per step; then that step's Probe samples are dropped and counted. Essential
/// and Machine samples and events are never dropped.
class MetricStream {
public:
    static constexpr std::size_t kCapacity = std::size_t{1} << 18;
    static constexpr std::chrono::milliseconds kMaxWait{20};

    /// `clock` stamps events; it outlives the stream.
    explicit MetricStream(std::size_t capacity = kCapacity, const Clock& clock = systemClock());

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
    /// No more data will come; samples that are not committed yet are handed over, what follows is ignored.
    /// The consumer drains what is left.
    void close();

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
    void dropProbes(std::vector<Sample>& samples);
    void handOver();

    const std::size_t m_capacity;
    const Clock& m_clock;
    // producer only
    std::vector<Sample> m_pending;
    std::vector<SeriesRole> m_roles; ///< by index
    std::unordered_map<std::string, SeriesIndex> m_indices;

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
