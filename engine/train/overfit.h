// Any thread but the GUI's (it trains). Whether a network can learn one batch by heart. Torch-free.
#pragma once

#include "engine/project/project.h"

#include <cstdint>
#include <functional>

namespace athanor {

struct OverfitOptions {
    std::int64_t samples = 0; ///< of the first batch; 0: all of it
    std::int64_t steps = 500; ///< at most
    int threads = 0;          ///< as SessionOptions
    int workers = -1;
    /// Told (steps done, most) after each; returns false to cancel.
    std::function<bool(std::int64_t, std::int64_t)> progress;
};

struct OverfitResult {
    bool passed = false; ///< the loss fell by nine tenths of its first value
    double lossFirst = 0;
    double lossLast = 0;
    std::int64_t steps = 0;
    std::int64_t samples = 0;
};

/// Trains a copy on one batch again and again, with the project's optimizer at its base rate, without dropout, until it is
/// learnt or the steps are over. A sound network and optimizer always pass. Leaves no trace: see Trial.
Result<OverfitResult> overfitBatch(const Project& project, const OverfitOptions& options);

} // namespace athanor
