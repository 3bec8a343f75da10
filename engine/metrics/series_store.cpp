#include "engine/metrics/series_store.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace athanor {
namespace {

// Copies for readers are made under the mutex, so a writer gives it up often enough for them to pass.
constexpr std::size_t kSamplesPerLock = 4096;

/// The newest samples; overwrites the oldest once `limit` is reached.
class SampleRing {
public:
    explicit SampleRing(std::size_t limit) : m_limit(limit) {}

    void push(const Sample& sample)
    {
        if (m_samples.size() < m_limit) {
            m_samples.push_back(sample);
            return;
        }
        m_samples[m_oldest] = sample;
        m_oldest = (m_oldest + 1) % m_limit;
    }

    /// Appends all samples to `out`, oldest first.
    void copyTo(std::vector<Sample>& out) const
    {
        const auto split = m_samples.begin() + static_cast<std::ptrdiff_t>(m_oldest);
        out.insert(out.end(), split, m_samples.end());
        out.insert(out.end(), m_samples.begin(), split);
    }

private:
    std::size_t m_limit;
    std::size_t m_oldest = 0;
    std::vector<Sample> m_samples;
};

SeriesBucket emptyBucket(std::int64_t step)
{
    SeriesBucket bucket;
    bucket.firstStep = bucket.lastStep = bucket.minStep = bucket.maxStep = step;
    bucket.first = bucket.last = std::numeric_limits<double>::quiet_NaN();
    return bucket;
}

void addTo(SeriesBucket& bucket, std::int64_t step, double value)
{
    bucket.lastStep = step;
    ++bucket.count;
    if (!std::isfinite(value)) {
        ++bucket.nonFinite;
        return;
    }
    if (std::isnan(bucket.first))
        bucket.first = value;
    bucket.last = value;
    bucket.sum += value;
    if (value < bucket.min) {
        bucket.min = value;
        bucket.minStep = step;
    }
    if (value > bucket.max) {
        bucket.max = value;
        bucket.maxStep = step;
    }
}

SeriesBucket merged(const SeriesBucket& a, const SeriesBucket& b)
{
    SeriesBucket sum = a;
    sum.lastStep = b.lastStep;
    sum.count += b.count;
    sum.nonFinite += b.nonFinite;
    sum.sum += b.sum;
    if (std::isnan(sum.first))
        sum.first = b.first;
    if (!std::isnan(b.last))
        sum.last = b.last;
    if (b.min < sum.min) {
        sum.min = b.min;
        sum.minStep = b.minStep;
    }
    if (b.max > sum.max) {
        sum.max = b.max;
        sum.maxStep = b.maxStep;
    }
    return sum;
}

} // namespace

struct SeriesStore::Series {
    explicit Series(SeriesInfo seriesInfo) : info(std::move(seriesInfo)) {}

    void append(const Sample& sample)
    {
        ++count;
        last = sample;
        recent.push(sample);
        if (!std::isfinite(sample.value)) {
            ++nonFinite;
            if (firstMarks.size() < kMarks)
                firstMarks.push_back(sample);
            else
                newestMarks.push(sample);
        } else if (sample.value <= 0) {
            ++nonPositive;
        }
        if (open.count == 0)
            open = emptyBucket(sample.step);
        addTo(open, sample.step, sample.value);
        if (open.count == stride)
            closeBucket();
    }

    void closeBucket()
    {
        buckets.push_back(std::exchange(open, SeriesBucket{}));
        if (buckets.size() < kBuckets)
            return;
        for (std::size_t i = 0; i < kBuckets / 2; ++i)
            buckets[i] = merged(buckets[2 * i], buckets[2 * i + 1]);
        buckets.resize(kBuckets / 2);
        stride *= 2;
    }

    SeriesInfo info;
    std::int64_t count = 0;
    std::int64_t nonFinite = 0;
    std::int64_t nonPositive = 0;
    Sample last{0, 0, std::numeric_limits<double>::quiet_NaN()};
    std::uint32_t stride = 1; ///< samples per closed bucket
    std::vector<SeriesBucket> buckets;
    SeriesBucket open; ///< count 0: none
    SampleRing recent{kRecent};
    std::vector<Sample> firstMarks;
    SampleRing newestMarks{kMarks};
};

SeriesStore::SeriesStore() = default;
SeriesStore::~SeriesStore() = default;

void SeriesStore::addSeries(const SeriesInfo& info)
{
    auto series = std::make_unique<Series>(info);
    const std::lock_guard lock(m_mutex);
    m_series.push_back(std::move(series));
    ++m_structureVersion;
}

void SeriesStore::append(std::span<const Sample> samples)
{
    while (!samples.empty()) {
        const auto part = samples.first(std::min(samples.size(), kSamplesPerLock));
        samples = samples.subspan(part.size());
        const std::lock_guard lock(m_mutex);
        for (const Sample& sample : part) {
            if (sample.series < m_series.size())
                m_series[sample.series]->append(sample);
        }
    }
}

std::size_t SeriesStore::seriesCount() const
{
    const std::lock_guard lock(m_mutex);
    return m_series.size();
}

std::uint64_t SeriesStore::structureVersion() const
{
    const std::lock_guard lock(m_mutex);
    return m_structureVersion;
}

std::vector<SeriesInfo> SeriesStore::infos() const
{
    const std::lock_guard lock(m_mutex);
    std::vector<SeriesInfo> out;
    out.reserve(m_series.size());
    for (const auto& series : m_series)
        out.push_back(series->info);
    return out;
}

std::uint64_t SeriesStore::version(SeriesIndex series) const
{
    const std::lock_guard lock(m_mutex);
    return series < m_series.size() ? static_cast<std::uint64_t>(m_series[series]->count) : 0;
}

SeriesView SeriesStore::view(SeriesIndex series) const
{
    SeriesView out;
    // Room is made before the lock is taken: the recorder must not wait for page faults.
    out.buckets.reserve(kBuckets + 1);
    out.recent.reserve(kRecent);
    const std::lock_guard lock(m_mutex);
    if (series >= m_series.size())
        return out;
    const Series& from = *m_series[series];
    out.info = from.info;
    out.version = static_cast<std::uint64_t>(from.count);
    out.count = from.count;
    out.nonFinite = from.nonFinite;
    out.nonPositive = from.nonPositive;
    out.lastStep = from.last.step;
    out.lastValue = from.last.value;
    out.buckets = from.buckets;
    if (from.open.count > 0)
        out.buckets.push_back(from.open);
    from.recent.copyTo(out.recent);
    out.nonFiniteMarks = from.firstMarks;
    from.newestMarks.copyTo(out.nonFiniteMarks);
    return out;
}

SeriesStore::Latest SeriesStore::latest(SeriesIndex series) const
{
    const std::lock_guard lock(m_mutex);
    if (series >= m_series.size())
        return {};
    const Series& from = *m_series[series];
    return {from.last.step, from.last.value, from.count, from.nonFinite};
}

} // namespace athanor
