// Recorder thread, under the engine's lock. One thing that can be wrong with a training.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/metrics/metric.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// A rule keeps a constant amount of state: it sees every sample of a run, however long.
class Rule {
public:
    virtual ~Rule() = default;
    /// True when the rule reads this series; it will then get its samples under `index`.
    virtual bool reads(SeriesIndex index, const SeriesInfo& info) = 0;
    virtual void sample(const Sample& sample) = 0;
    virtual void event(const Event&) {}
    virtual void droppedProbes(std::uint64_t, std::int64_t) {}
    [[nodiscard]] virtual std::optional<Finding> finding() const = 0;
};

std::unique_ptr<Rule> makeLossRule();         ///< run/diverged or loss/non-finite, whichever came first
std::unique_ptr<Rule> makeProbesDroppedRule(); ///< run/probes-dropped
std::unique_ptr<Rule> makeDataBoundRule();     ///< run/data-bound

} // namespace athanor
