// Recorder thread writes, GUI thread reads. The bounded, versioned view of all series of a run for drawing.
#pragma once

#include "engine/metrics/metric.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace athanor {

/// A bucket of consecutive samples that hides no extreme.
struct SeriesBucket {
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    std::int64_t minStep = 0; ///< step of the minimum
    std::int64_t maxStep = 0;
    double first = 0; ///< first and last *finite* value; NaN when there is none
    double last = 0;
    double min = std::numeric_limits<double>::infinity();
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0; ///< of the finite values
    std::uint32_t count = 0;     ///< samples, non-finite ones included
    std::uint32_t nonFinite = 0;
};

/// What one plot needs of one series.
struct SeriesView {
    SeriesInfo info;
    std::uint64_t version = 0; ///< grows with every change
    std::int64_t count = 0;    ///< samples in all
    std::int64_t nonFinite = 0;
    std::int64_t nonPositive = 0; ///< finite values ≤ 0, which a logarithmic axis cannot show
    std::int64_t lastStep = 0;
    double lastValue = std::numeric_limits<double>::quiet_NaN();
    std::vector<SeriesBucket> buckets; ///< the whole history, at most kBuckets + 1
    std::vector<Sample> recent;        ///< the newest raw samples, oldest first
    std::vector<Sample> nonFiniteMarks; ///< NaN and infinite samples: the first kMarks of them, then the newest ones
};

/// Per series: a ring of the newest kRecent raw samples and at most kBuckets buckets; when those are full,
/// neighbours merge pairwise and the stride doubles. At most about 190 KB a series whatever the run's length.
class SeriesStore {
public:
    static constexpr std::size_t kRecent = 2048;
    static constexpr std::size_t kBuckets = 2048;
    static constexpr std::size_t kMarks = 1024;

    SeriesStore();
    ~SeriesStore();

    // --- recorder thread ---
    void addSeries(const SeriesInfo& info); ///< in index order
    void append(std::span<const Sample> samples);

    // --- any thread ---
    [[nodiscard]] std::size_t seriesCount() const;
    /// Grows whenever a series is added; lets a tree notice new series cheaply.
    [[nodiscard]] std::uint64_t structureVersion() const;
    [[nodiscard]] std::vector<SeriesInfo> infos() const;
    [[nodiscard]] std::uint64_t version(SeriesIndex series) const;
    [[nodiscard]] SeriesView view(SeriesIndex series) const; ///< a copy; empty view when unknown
    struct Latest {
        std::int64_t step = 0;
        double value = std::numeric_limits<double>::quiet_NaN();
        std::int64_t count = 0;
        std::int64_t nonFinite = 0;
    };
    [[nodiscard]] Latest latest(SeriesIndex series) const;

private:
    struct Series;
    mutable std::mutex m_mutex; // guards m_series' size and contents; held for copies only
    std::vector<std::unique_ptr<Series>> m_series;
    std::uint64_t m_structureVersion = 0;
};

} // namespace athanor
