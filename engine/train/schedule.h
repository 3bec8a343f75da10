// Session thread, torch-free. The learning rate as a function of steps and epochs done: PyTorch's schedulers
// in closed form, so that a checkpoint needs two counters only.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/train_spec.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace athanor {

/// Schedulers run in sequence, each from the base rates and for its own length: LinearLR and ConstantLR
/// `total_iters`, CosineAnnealingLR `T_max` of its own intervals. The others have no end, so they can only
/// be last; the last one runs on. (torch.optim.lr_scheduler.SequentialLR with these lengths as milestones.)
class Schedule {
public:
    /// An unknown kind, or one without an end that is not last, is InvalidArgument.
    static Result<Schedule> make(const std::vector<SchedulerSpec>& specs);

    void stepDone() { advance(ScheduleInterval::Step); }
    void epochDone() { advance(ScheduleInterval::Epoch); }

    /// Learning rate of the next step for a group with this base rate, the user's scale included.
    [[nodiscard]] double rate(double base) const;

    /// Makes the next step's rate of a group with this base `value`, and scales all later rates alike. When
    /// the schedule has reached 0, `value` holds until the schedule changes.
    void setRate(double base, double value);

    /// Position and scale, for checkpoints.
    [[nodiscard]] Json state() const;
    void restore(const Json& state);

private:
    struct Stage {
        KindSpec scheduler; ///< parameters complete
        ScheduleInterval interval = ScheduleInterval::Epoch;
        std::optional<std::int64_t> length;
    };
    void advance(ScheduleInterval interval);
    [[nodiscard]] double scheduled(double base) const; ///< without the user's scale

    std::vector<Stage> m_stages;
    std::size_t m_stage = 0;
    std::int64_t m_done = 0; ///< intervals of the current stage
    double m_scale = 1;
    std::optional<double> m_override; ///< all groups, until the schedule changes
};

} // namespace athanor
