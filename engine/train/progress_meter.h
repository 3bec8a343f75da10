// Session thread, torch-free. Speed, time left and the share of measuring, from the steps as they end.
#pragma once

#include "engine/train/session.h"

#include <chrono>
#include <cstdint>
#include <deque>

namespace athanor {

/// What one step cost.
struct StepCost {
    std::chrono::nanoseconds total{0};     ///< data, computing and measuring
    std::chrono::nanoseconds measuring{0}; ///< probes, and handing samples over
    std::int64_t samples = 0;
};

/// Counts running time only: pauses are left out by whoever adds the steps.
class ProgressMeter {
public:
    static constexpr std::chrono::milliseconds kWindow{1000};

    void addStep(const StepCost& cost);
    /// Running time that is no step: validation, checkpoints.
    void addOther(std::chrono::nanoseconds duration);
    /// Takes up a run that already ran so long.
    void startFrom(double seconds);

    /// Fills in speed, step time, overhead share, seconds and seconds left; the rest is left as it is.
    void fill(SessionProgress& progress) const;
    [[nodiscard]] double seconds() const;

private:
    std::deque<StepCost> m_recent; // as many of the newest as make up the window
    StepCost m_sum;                // over m_recent
    std::chrono::nanoseconds m_running{0};
    std::chrono::nanoseconds m_measured{0}; // running since this process took the run up
    std::int64_t m_steps = 0;               // since then
};

} // namespace athanor
