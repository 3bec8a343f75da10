// Any thread (pure functions). How much a metric goes with a parameter, over several runs.
#pragma once

#include "engine/store/run_filter.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace athanor {

/// Ranks from 1; equal values share the mean of their ranks.
std::vector<double> ranksOf(std::span<const double> values);

/// Spearman's rho of the pairs in which both are finite; nullopt with fewer than 3 of them or when one side is constant.
std::optional<double> rankCorrelation(std::span<const double> a, std::span<const double> b);

/// What a parameter tells of a metric.
struct ParameterWeight {
    std::string parameter;
    bool isNumber = true;
    double weight =
        0; ///< 0–1: |rho| of numbers; of texts the share of the ranks' variance between their values (η²)
    double rho = 0;       ///< of numbers
    std::size_t runs = 0; ///< that have both
};

/// Of all parameters that differ among the runs, the heaviest first. `values[i]` are those of run i, by the order of
/// `names`; nullopt: it has none. `metric[i]` is NaN for a run without it.
std::vector<ParameterWeight> parameterWeights(std::span<const std::string> names,
                                              std::span<const std::vector<std::optional<RunValue>>> values,
                                              std::span<const double> metric);

} // namespace athanor
