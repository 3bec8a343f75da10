// Any thread (values; the counters are written by one thread each and read by any). What reading data costs.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// What one node of the data graph costs a sample, measured at one sample of each sixteen.
struct NodeCost {
    std::string node;         ///< id in the data graph; the source (reading, decoding) comes first
    std::int64_t measured = 0; ///< samples that were timed
    double milliseconds = 0;  ///< mean per sample, in one worker
    /// What one worker would do if it did nothing else.
    [[nodiscard]] double samplesPerSecond() const { return milliseconds > 0 ? 1000 / milliseconds : 0; }
};

/// Of the training part, since the data was opened. Plain sums of counters: reading them disturbs nobody.
struct Throughput {
    std::int64_t samples = 0; ///< handed over
    std::int64_t batches = 0; ///< handed over
    std::int64_t skipped = 0; ///< unreadable samples that on_error `skip` left out
    std::int64_t cached = 0;  ///< samples that came out of the cache
    double waitSeconds = 0;   ///< the training's, for batches
    double elapsedSeconds = 0; ///< between the first and the last hand-over: waiting and computing
    double workSeconds = 0;   ///< spent in making batches, summed over the workers
    double queueFill = 0;     ///< mean share of the queue that was ready at a hand-over, 0–1; 0 without workers
    int workers = 0;
    bool hasCache = false;
    std::vector<NodeCost> nodes; ///< in the order of the chain

    /// Handed over per second of running.
    [[nodiscard]] double samplesPerSecond() const
    {
        return elapsedSeconds > 0 ? static_cast<double>(samples) / elapsedSeconds : 0;
    }
    /// Share of the time in which the training waits for data, 0–1.
    [[nodiscard]] double waitShare() const { return elapsedSeconds > 0 ? waitSeconds / elapsedSeconds : 0; }
};

enum class Bound {
    Unknown, ///< too few batches so far
    Data,    ///< the training waits for data
    Compute, ///< the data waits for the training
};

struct Verdict {
    Bound bound = Bound::Unknown;
    std::string text;                ///< "The training waits for data during 62 % of its time."
    std::string slowest;             ///< id of the costliest node, or empty
    std::vector<std::string> advice; ///< what to try, the best first; empty when nothing is to be gained
};
/// Data-bound when more than a tenth of the time is spent waiting. `cores`: of this machine, for advice.
Verdict judgeThroughput(const Throughput& throughput, int cores);

/// The counters of one part's pipeline. Every worker has its own row, which it alone writes, so that counting is
/// a plain add without lock or shared cache line.
class ThroughputMeter {
public:
    static constexpr std::size_t kSteps = 32; ///< further ones are counted to the last
    /// One sample in so many is timed step by step.
    static constexpr std::uint64_t kEvery = 16;

    /// A worker's row.
    class alignas(64) Row {
    public:
        void addStep(std::size_t step, std::chrono::nanoseconds time)
        {
            step = step < kSteps ? step : kSteps - 1;
            add(m_time[step], time.count());
            add(m_count[step], 1);
        }
        void addWork(std::chrono::nanoseconds time) { add(m_work, time.count()); }
        void addCached() { add(m_cached, 1); }
        /// Whether the next sample is one of those that are timed.
        bool isTimed() { return m_seen++ % kEvery == 0; }

    private:
        friend class ThroughputMeter;
        using Counter = std::atomic<std::int64_t>;
        static void add(Counter& counter, std::int64_t value)
        {
            counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
        }
        std::array<Counter, kSteps> m_time{};
        std::array<Counter, kSteps> m_count{};
        Counter m_work{0};
        Counter m_cached{0};
        std::uint64_t m_seen = 0; // the worker's own
    };

    /// Names of the steps, the source first; `rows` is the most threads that ever read at a time.
    ThroughputMeter(std::vector<std::string> steps, std::size_t rows);
    [[nodiscard]] Row& row(std::size_t worker) { return m_rows[worker % m_rows.size()]; }

    /// The reader's, at each hand-over.
    struct HandOver {
        std::int64_t samples = 0;
        std::int64_t skipped = 0;
        std::chrono::nanoseconds waited{0};
        std::size_t ready = 0; ///< batches that lay in the queue
        std::size_t room = 0;  ///< places in the queue
    };
    void handOver(const HandOver& batch);
    /// A pass begins: the time since the last hand-over was validation or a pause, not computing.
    void beginPass();

    [[nodiscard]] Throughput read(int workers) const;

private:
    using Clock = std::chrono::steady_clock;
    std::vector<std::string> m_steps;
    std::vector<Row> m_rows;
    std::atomic<std::int64_t> m_samples{0};
    std::atomic<std::int64_t> m_batches{0};
    std::atomic<std::int64_t> m_skipped{0};
    std::atomic<std::int64_t> m_waited{0};
    std::atomic<std::int64_t> m_elapsed{0};
    std::atomic<std::int64_t> m_ready{0};
    std::atomic<std::int64_t> m_room{0};
    Clock::time_point m_last; // the reader's own
    bool m_running = false;   // the reader's own
};

} // namespace athanor
