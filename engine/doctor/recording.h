// One thread at a time. What a monitored training said, in memory.
#pragma once

#include "engine/metrics/metric_stream.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

struct RecordedSeries {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
    [[nodiscard]] bool empty() const { return values.empty(); }
};

class Recording {
public:
    /// Adds what the stream handed over.
    void add(const MetricStream::Batch& batch);

    /// An empty series when there is none of that name.
    [[nodiscard]] const RecordedSeries& series(const std::string& name) const;
    /// Names that start so.
    [[nodiscard]] std::vector<std::string> names(const std::string& prefix) const;
    [[nodiscard]] const std::vector<Event>& events() const { return m_events; }
    [[nodiscard]] std::int64_t steps() const { return m_steps; }

private:
    std::vector<std::string> m_names; // by index
    std::map<std::string, RecordedSeries> m_series;
    std::vector<Event> m_events;
    std::int64_t m_steps = 0;
};

/// Of the finite values among the positions [first, last); nothing when there are none.
std::optional<double> medianOf(const RecordedSeries& series, std::size_t first, std::size_t last);
/// Of the values up to a step; all finite ones when `lastStep` is 0.
std::optional<double> medianUntil(const RecordedSeries& series, std::int64_t lastStep);
/// Of the values after a step.
std::optional<double> medianAfter(const RecordedSeries& series, std::int64_t firstStep);

} // namespace athanor
