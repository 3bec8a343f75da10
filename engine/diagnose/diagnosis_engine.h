// Recorder thread feeds it, any thread reads the findings. Judges the numbers that probes made.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/metrics/metric.h"

#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace athanor {

/// Sees every sample and event of a run, in order, and keeps the list of findings. Never touches tensors,
/// so a stored run can be judged again.
class DiagnosisEngine {
public:
    void addSeries(const SeriesInfo& info);
    void addSamples(std::span<const Sample> samples);
    void addEvent(const Event& event);
    void addDroppedProbes(std::uint64_t count, std::int64_t step);
    /// Likeliest root cause first.
    [[nodiscard]] std::vector<Finding> findings() const;

private:
    mutable std::mutex m_mutex; // guards all below
    std::vector<SeriesInfo> m_series;
    std::vector<Finding> m_findings;
    std::uint64_t m_dropped = 0;
};

} // namespace athanor
