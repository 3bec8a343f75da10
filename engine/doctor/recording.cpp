#include "engine/doctor/recording.h"

#include <algorithm>
#include <cmath>

namespace athanor {

void Recording::add(const MetricStream::Batch& batch)
{
    for (const SeriesInfo& info : batch.newSeries) {
        m_names.push_back(info.name);
        m_series[info.name];
    }
    for (const Sample& sample : batch.samples) {
        if (sample.series >= m_names.size())
            continue;
        RecordedSeries& series = m_series[m_names[sample.series]];
        series.steps.push_back(sample.step);
        series.values.push_back(sample.value);
        m_steps = std::max(m_steps, sample.step);
    }
    m_events.insert(m_events.end(), batch.events.begin(), batch.events.end());
}

const RecordedSeries& Recording::series(const std::string& name) const
{
    static const RecordedSeries kNone;
    const auto found = m_series.find(name);
    return found == m_series.end() ? kNone : found->second;
}

std::vector<std::string> Recording::names(const std::string& prefix) const
{
    std::vector<std::string> names;
    for (auto it = m_series.lower_bound(prefix); it != m_series.end() && it->first.starts_with(prefix); ++it)
        names.push_back(it->first);
    return names;
}

std::optional<double> medianOf(const RecordedSeries& series, std::size_t first, std::size_t last)
{
    std::vector<double> values;
    for (std::size_t i = first; i < std::min(last, series.values.size()); ++i)
        if (std::isfinite(series.values[i]))
            values.push_back(series.values[i]);
    if (values.empty())
        return std::nullopt;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

std::optional<double> medianUntil(const RecordedSeries& series, std::int64_t lastStep)
{
    const auto end = std::upper_bound(series.steps.begin(), series.steps.end(), lastStep) - series.steps.begin();
    return medianOf(series, 0, lastStep == 0 ? series.values.size() : static_cast<std::size_t>(end));
}

std::optional<double> medianAfter(const RecordedSeries& series, std::int64_t firstStep)
{
    const auto begin = std::upper_bound(series.steps.begin(), series.steps.end(), firstStep) - series.steps.begin();
    return medianOf(series, static_cast<std::size_t>(begin), series.values.size());
}

} // namespace athanor
