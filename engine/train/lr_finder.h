// Any thread but the GUI's (it trains). Which learning rate a project could use. Torch-free.
#pragma once

#include "engine/project/project.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

struct LrFindOptions {
    double start = 1e-7;     ///< first rate
    double end = 10;         ///< last one
    std::int64_t steps = 100; ///< between them, each times the same factor (Smith 2017)
    int threads = 0;          ///< as SessionOptions
    int workers = -1;
    /// Told (steps done, all) after each; returns false to cancel.
    std::function<bool(std::int64_t, std::int64_t)> progress;
};

struct LrCurve {
    std::vector<double> rates;
    std::vector<double> losses;   ///< of the batch at each rate; not finite where it broke
    std::vector<double> smoothed; ///< bias-corrected exponential mean over the finite ones
    std::optional<double> suggestion; ///< null: the curve does not say
    std::string reason;               ///< for a person: why this one, or why none
};

/// Trains a copy with rates that rise from step to step until the loss has grown to four times its least, and looks where the
/// smoothed loss falls fastest over the logarithm of the rate. Groups keep their proportion. Leaves no trace: see Trial.
Result<LrCurve> findLearningRate(const Project& project, const LrFindOptions& options);

/// The suggestion of a curve of rates and losses alone.
LrCurve judgedCurve(std::vector<double> rates, std::vector<double> losses);

} // namespace athanor
