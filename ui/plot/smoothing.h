// Any thread (plain data, no Qt). The smoothed line: an exponential moving average that is free of the
// start-up bias and depends only on the past.
#pragma once

#include <cstdint>

namespace athanor {

/// The average over about the last `span` steps, weighted by steps, not by samples: a series measured every
/// tenth step is smoothed as far as one measured every step. With one sample a step this is
/// m ← b·m + (1−b)·x, divided by 1 − bⁿ, where b = exp(−1/span).
class StepAverage {
public:
    /// `span` in steps, > 0. `firstGap` = steps that the first sample stands for (the distance to the second).
    explicit StepAverage(double span, double firstGap = 1) : m_span(span), m_firstGap(firstGap) {}

    /// Adds a sample, or the mean of consecutive samples that end at `step`; returns the average there.
    /// Non-finite values change nothing.
    double add(std::int64_t step, double mean);
    [[nodiscard]] double value() const; ///< NaN before the first finite sample

private:
    double m_span;
    double m_firstGap;
    double m_weightedSum = 0;
    double m_weight = 0;
    std::int64_t m_lastStep = 0;
};

} // namespace athanor
