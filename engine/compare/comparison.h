// Any thread, for as long as it takes to read the runs. Everything that tells some stored runs apart.
#pragma once

#include "engine/compare/graph_difference.h"
#include "engine/compare/replayed_findings.h"
#include "engine/compare/settings_difference.h"
#include "engine/project/project.h"
#include "engine/store/run_store.h"

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace athanor {

struct ComparedRun {
    RunInfo info;
    std::string color;              ///< "#rrggbb" that a person marked it with, or empty
    std::optional<Project> project; ///< nothing when the run has none that can be read (imported runs)
    std::vector<SeriesSummary> summaries;
    std::vector<Event> events;
    std::vector<Finding> findings;
};

struct Comparison {
    std::vector<ComparedRun> runs; ///< the first one is what the others are compared with
    std::vector<SettingDifference> settings;
    std::vector<GraphDifference> network; ///< one for each further run, from the first one's
    std::vector<GraphDifference> data;
    std::vector<FindingDifference> findings; ///< all; those in all runs too
    /// Series that are no machine's, of any run: those of training and validation first.
    [[nodiscard]] std::vector<std::string> series() const;
};

struct CompareOptions {
    std::vector<std::string> ignoredSettings; ///< globs, see settingsDifference()
    bool findings = true; ///< they need all points of all runs; else they come with addFindings()
    std::function<void(std::size_t done, std::size_t all)> progress = {};
    std::function<bool()> cancelled = {};
};

/// Reads what is needed of each run. Cancelled once `cancelled()` is true.
Result<Comparison> compareRuns(const RunStore& store, std::span<const RunId> runs,
                               const CompareOptions& options = {});

/// What the rules say of each run, for a comparison that was made without. Cancelled once `cancelled()` is true.
Status addFindings(const RunStore& store, Comparison& comparison, const CompareOptions& options = {});

/// {"runs": [{"id", "name", "status", "steps", "seconds"}], "config": [{"path", "values"}], "network": [difference],
/// "data": [difference], "metrics": [{"series", "last", "min", "max", "count"}], "findings": [{"rule", "place", "steps"}]}:
/// lists are in the order of the runs; config, metrics and findings hold what differs, null where a run has nothing.
Json comparisonJson(const Comparison& comparison);

} // namespace athanor
