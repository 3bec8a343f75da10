// Any thread, for as long as it takes to read the run. What the rules say of a stored run.
#pragma once

#include "engine/base/result.h"
#include "engine/diagnose/finding.h"
#include "engine/store/run_store.h"

#include <functional>
#include <string>
#include <vector>

namespace athanor {

/// Shows every stored point and event to the rules again, in the order of their steps, as when the run went on.
/// Cancelled once `cancelled()` is true.
Result<std::vector<Finding>> replayedFindings(const RunStore& store, RunId run,
                                              const std::function<bool()>& cancelled = {});

/// Findings by rule and place: what some of the runs have.
struct FindingDifference {
    std::string rule;
    std::string place;               ///< node, else series; may be empty
    std::vector<std::int64_t> steps; ///< first step per run; −1: it has no such finding
    std::string message;             ///< of the first run that has it
    Severity severity = Severity::Warning;
    [[nodiscard]] bool inAll() const;
};
std::vector<FindingDifference> findingsDifference(const std::vector<std::vector<Finding>>& findings);

} // namespace athanor
