// Not the GUI thread (it trains a copy). Why a training fails: what project, data and a short run say together. Torch-free.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/project/project.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

struct DoctorOptions {
    std::optional<std::int64_t> steps; ///< of the monitored training; else the project's own length
    double seconds = 12;               ///< of it, at most; 0: no training, only what can be said before
    int threads = 0;                   ///< as SessionOptions
    int workers = -1;
    /// Told what is going on and how much of it is done (0–1), about ten times a second.
    std::function<void(const std::string&, double)> progress = {};
};

struct Diagnosis {
    /// Likeliest root cause first; what merely follows from one is named in its evidence ("then: …").
    std::vector<Finding> findings;
    std::int64_t steps = 0; ///< of the monitored training
    double seconds = 0;     ///< everything together

    [[nodiscard]] bool sick() const; ///< some finding is a warning or an error
};

/// Looks in the order of an expert: structure and settings (static), the data (pre-flight), then a short training of a
/// copy that is recorded in memory and judged. Nothing is stored, and no file is written. Errors: the project has errors
/// that no rule explains, data that cannot be opened, Busy while a run trains in this process, Cancelled by `stop`.
Result<Diagnosis> diagnoseProject(const Project& project, const DoctorOptions& options = {}, std::stop_token stop = {});

} // namespace athanor
