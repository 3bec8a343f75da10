// Any thread (a value). A run's steps as seconds or as epochs.
#pragma once

#include "engine/compare/curve_math.h"
#include "engine/metrics/metric.h"
#include "engine/store/run_store.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace athanor {

/// What the x axis of a comparison counts.
enum class CurveAxis { Step, Time, Epoch };

/// Straight lines between what is known: the ends of epochs, and the times at which events were told.
class StepMap {
public:
    /// Time: seconds of training since the run's start, from the events' clock where it only rises; a run that was
    /// paused or interrupted stands still meanwhile only as far as its own count of seconds says so. A run without any
    /// event between is taken to have gone evenly.
    static StepMap make(CurveAxis axis, const RunInfo& run, std::span<const Event> events);

    [[nodiscard]] double at(std::int64_t step) const;
    /// A stored series over this axis.
    [[nodiscard]] Curve curve(const SeriesPoints& points) const;

private:
    std::vector<double> m_steps; ///< rising; empty: the axis counts steps
    std::vector<double> m_values;
};

} // namespace athanor
