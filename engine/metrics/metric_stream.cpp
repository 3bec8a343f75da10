#include "engine/metrics/metric_stream.h"

#include <algorithm>
#include <utility>

namespace athanor {

MetricStream::MetricStream(std::size_t capacity, const Clock& clock) : m_capacity(capacity), m_clock(clock) {}

SeriesIndex MetricStream::series(const SeriesInfo& info)
{
    const auto next = static_cast<SeriesIndex>(m_roles.size());
    const auto [known, isNew] = m_indices.try_emplace(info.name, next);
    if (!isNew)
        return known->second;
    m_roles.push_back(info.role);
    const std::lock_guard lock(m_mutex);
    if (!m_closed)
        m_newSeries.push_back(info);
    return next;
}

void MetricStream::commitStep()
{
    if (m_pending.empty())
        return;
    {
        std::unique_lock lock(m_mutex);
        const auto hasRoom = [this] { return m_closed || m_samples.size() < m_capacity; };
        if (!hasRoom() && !m_roomReady.wait_for(lock, kMaxWait, hasRoom))
            dropProbes(m_pending);
        handOver();
    }
    m_dataReady.notify_one();
}

// Under the lock. Counts what it removes.
void MetricStream::dropProbes(std::vector<Sample>& samples)
{
    const std::size_t dropped = std::erase_if(
        samples, [this](const Sample& sample) { return m_roles[sample.series] == SeriesRole::Probe; });
    m_droppedNow += dropped;
    m_droppedAll += dropped;
}

// Under the lock. Moves the pending samples to the consumer's side; swaps whole buffers when it can.
void MetricStream::handOver()
{
    if (m_closed) {
        m_pending.clear();
    } else if (m_samples.empty()) {
        m_samples.swap(m_pending);
    } else {
        m_samples.insert(m_samples.end(), m_pending.begin(), m_pending.end());
        m_pending.clear();
    }
}

void MetricStream::event(Event event)
{
    if (event.wallMilliseconds == 0)
        event.wallMilliseconds = m_clock.wallMilliseconds();
    {
        const std::lock_guard lock(m_mutex);
        if (m_closed)
            return;
        m_events.push_back(std::move(event));
    }
    m_dataReady.notify_one();
}

void MetricStream::close()
{
    {
        const std::lock_guard lock(m_mutex);
        handOver();
        m_closed = true;
    }
    m_dataReady.notify_one();
}

MetricStream::Batch MetricStream::take(std::chrono::milliseconds timeout, Batch recycled)
{
    recycled.newSeries.clear();
    recycled.samples.clear();
    recycled.events.clear();
    {
        std::unique_lock lock(m_mutex);
        m_dataReady.wait_for(lock, timeout, [this] {
            return m_closed || !m_samples.empty() || !m_events.empty() || !m_newSeries.empty();
        });
        recycled.newSeries.swap(m_newSeries);
        recycled.samples.swap(m_samples);
        recycled.events.swap(m_events);
        recycled.droppedProbes = std::exchange(m_droppedNow, 0);
        recycled.closed = m_closed;
    }
    m_roomReady.notify_one();
    return recycled;
}

std::uint64_t MetricStream::droppedProbes() const
{
    const std::lock_guard lock(m_mutex);
    return m_droppedAll;
}

} // namespace athanor
