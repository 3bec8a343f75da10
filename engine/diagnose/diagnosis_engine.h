// Recorder thread feeds it, any thread reads the findings. Judges the numbers that probes made.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/metrics/metric.h"

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace athanor {

class Rule;

/// Sees every sample and event of a run, in order, and keeps the list of findings. Never touches tensors,
/// so a stored run can be judged again.
class DiagnosisEngine {
public:
    DiagnosisEngine();
    ~DiagnosisEngine();

    void addSeries(const SeriesInfo& info); ///< in index order
    void addSamples(std::span<const Sample> samples);
    void addEvent(const Event& event);
    void addDroppedProbes(std::uint64_t count, std::int64_t step);
    /// Likeliest root cause first.
    [[nodiscard]] std::vector<Finding> findings() const;

private:
    mutable std::mutex m_mutex; // guards all below
    std::vector<std::unique_ptr<Rule>> m_rules;
    std::vector<std::vector<Rule*>> m_listeners; ///< by series index: the rules that read it
};

} // namespace athanor
