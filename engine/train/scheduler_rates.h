// Any thread, torch-free. Inside engine/train: the rates of one scheduler, in closed form.
#pragma once

#include "engine/base/expression.h"
#include "engine/project/train_spec.h"

#include <cstdint>
#include <optional>

namespace athanor {

/// Length of a run, as far as it is known beforehand.
struct RunLength {
    std::int64_t steps = 0;  ///< 0: unknown
    std::int64_t epochs = 0; ///< 0: unknown
};

/// Where a run is when a rate is asked for.
struct ScheduleMoment {
    std::int64_t done = 0;  ///< intervals of this scheduler
    std::int64_t step = 0;  ///< done in all
    std::int64_t epoch = 0; ///< done in all
    std::int64_t reductions = 0; ///< of a ReduceLROnPlateau
    RunLength length;
};

/// A scheduler with its parameters complete.
struct Scheduler {
    KindSpec spec;
    std::optional<Expression> lambda; ///< of a LambdaLR

    /// NotFound for an unknown kind, InvalidArgument for an expression that cannot be read.
    static Result<Scheduler> make(const KindSpec& written);

    /// The learning rate of a group with this base rate.
    [[nodiscard]] double rate(double base, const ScheduleMoment& moment) const;
    /// The momentum that it sets, if it does.
    [[nodiscard]] std::optional<double> momentum(const ScheduleMoment& moment) const;
    /// Its own length in intervals; null when it has none.
    [[nodiscard]] std::optional<std::int64_t> length() const;
};

} // namespace athanor
