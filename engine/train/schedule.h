// Session thread, torch-free. The learning rate as a function of steps and epochs done: PyTorch's schedulers
// in closed form, so that a checkpoint needs a few counters only.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/train_spec.h"
#include "engine/train/scheduler_rates.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// Schedulers run in sequence, each from the base rates and for its `duration`, or its own length: CosineAnnealingLR
/// `T_max` of its own intervals, LinearLR, ConstantLR and PolynomialLR `total_iters`, OneCycleLR `total_steps`. The last
/// one runs on. (torch.optim.lr_scheduler.SequentialLR with these lengths as milestones.)
class Schedule {
public:
    /// An unknown kind, or one without an end that is not last, is InvalidArgument. `length` is that of the run, which a
    /// OneCycleLR without total_steps and expressions need.
    static Result<Schedule> make(const std::vector<SchedulerSpec>& specs, const RunLength& length = {});

    void stepDone();
    void epochDone();
    /// Shows a value of a series to a ReduceLROnPlateau that watches it. NaN is no improvement.
    void observe(const std::string& series, double value);
    /// The series that the present stage watches; empty when none.
    [[nodiscard]] std::string watched() const;

    /// Learning rate of the next step for a group with this base rate, the user's scale included.
    [[nodiscard]] double rate(double base) const;
    /// Momentum (or the first of the betas) of the next step, when the schedule cycles it.
    [[nodiscard]] std::optional<double> momentum() const;

    /// Makes the next step's rate of a group with this base `value`, and scales all later rates alike. When
    /// the schedule has reached 0, `value` holds until the schedule changes.
    void setRate(double base, double value);

    /// Position and scale, for checkpoints.
    [[nodiscard]] Json state() const;
    void restore(const Json& state);

private:
    struct Stage {
        Scheduler scheduler;
        ScheduleInterval interval = ScheduleInterval::Epoch;
        std::optional<std::int64_t> length;
    };
    /// What a ReduceLROnPlateau remembers.
    struct Plateau {
        std::optional<double> best;
        std::int64_t bad = 0;
        std::int64_t cooldown = 0;
        std::int64_t reductions = 0;
    };
    void advance(ScheduleInterval interval);
    [[nodiscard]] ScheduleMoment moment() const;
    [[nodiscard]] double scheduled(double base) const; ///< without the user's scale
    [[nodiscard]] bool isBetter(double value) const;
    void forgetOverride(double before);

    std::vector<Stage> m_stages;
    RunLength m_length;
    std::size_t m_stage = 0;
    std::int64_t m_done = 0; ///< intervals of the current stage
    std::int64_t m_steps = 0;
    std::int64_t m_epochs = 0;
    Plateau m_plateau;
    double m_scale = 1;
    std::optional<double> m_override; ///< all groups, until the schedule changes
};

/// Learning rates of steps 1, 2, … of a run before it starts: those of a group with this base rate. A
/// ReduceLROnPlateau is shown as if all improved. `points` at most, evenly over the steps (the first and the last are
/// among them). Any thread.
struct ScheduleCurve {
    std::vector<std::int64_t> steps;
    std::vector<double> rates;
    std::vector<double> momenta; ///< empty when the schedule sets none
};
Result<ScheduleCurve> previewSchedule(const TrainSpec& spec, std::int64_t stepsPerEpoch, std::int64_t steps,
                                      std::size_t points = 2000);

} // namespace athanor
