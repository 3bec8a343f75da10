// Any thread (pure functions). The lines that an overlay of several runs draws for one series.
#pragma once

#include "engine/compare/comparison.h"
#include "engine/compare/step_map.h"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace athanor {

/// Runs that are drawn as one.
struct RunGroup {
    std::string label;
    std::vector<std::size_t> runs; ///< indices into Comparison::runs
};

inline constexpr const char* kGroupBySeeds = "seeds"; ///< by every setting that differs but the seeds
inline constexpr const char* kGroupByTag = "tag";     ///< by all tags of a run

/// Runs with the same value of `by`: one of the two above, or a setting's path. In the order of their first runs.
/// Empty: each run is a group of its own, named as the run.
std::vector<RunGroup> groupRuns(const Comparison& comparison, const std::string& by);

enum class OverlayValue { Plain, Difference, BestSoFar };
enum class BandKind { Deviation, Range }; ///< mean ± sample standard deviation, or lowest to highest

struct OverlaySettings {
    CurveAxis axis = CurveAxis::Step;
    OverlayValue value = OverlayValue::Plain;
    std::size_t baseline = 0; ///< of Difference: the group that is subtracted (its mean)
    BandKind band = BandKind::Deviation;
    Better better = Better::Lower;
};

struct OverlayLine {
    std::size_t group = 0;
    Curve curve;             ///< of a group of several runs: their mean
    std::vector<double> low; ///< empty for a group of one
    std::vector<double> high;
};

/// One line for each group that has the series; with Difference none for the baseline itself. `points[i]` are those of
/// run i, empty where it has none.
std::vector<OverlayLine> overlayLines(const Comparison& comparison, std::span<const SeriesPoints> points,
                                      std::span<const RunGroup> groups, const OverlaySettings& settings);

} // namespace athanor
