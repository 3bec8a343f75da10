// Session thread. Dividing samples into parts.
#pragma once

#include "engine/data/dataset.h"
#include "engine/base/json.h"

#include <array>
#include <cstdint>
#include <vector>

namespace athanor {

/// Shares of train, val and test, each 0–1, together at most 1. `classes` (one per sample) keeps the mix of
/// classes equal in all parts; empty: does not. Each part holds its samples in their order. A small
/// share of few samples may come out empty: the caller looks.
std::array<std::vector<std::int64_t>, 3> splitSamples(std::int64_t count, const std::array<double, 3>& shares,
                                                      const std::vector<std::int64_t>& classes,
                                                      std::uint64_t seed);

/// Groups stay whole: `groups` has one number per sample, 0 … groupCount − 1. The shares are of the samples, met
/// as closely as whole groups allow; the order in which groups are placed is drawn by the seed.
std::array<std::vector<std::int64_t>, 3> splitGroups(const std::vector<std::int64_t>& groups,
                                                     std::int64_t groupCount,
                                                     const std::array<double, 3>& shares, std::uint64_t seed);

/// Along `order` the first samples are for training, the next for validation, the last for the test, so that
/// nothing is learned from what comes later.
std::array<std::vector<std::int64_t>, 3> splitOrdered(const std::vector<std::int64_t>& order,
                                                      const std::array<double, 3>& shares);

/// The fold of each sample, 0 … folds − 1, as sklearn's KFold (shuffled) deals them: the first count % folds
/// folds have one sample more. `classes` not empty: the folds of each class are even, as StratifiedKFold's.
std::vector<std::int64_t> dealFolds(std::int64_t count, std::int64_t folds,
                                    const std::vector<std::int64_t>& classes, std::uint64_t seed);

/// The samples of each part, and how many windows would have shared rows with another part.
struct DividedSamples {
    std::array<std::vector<std::int64_t>, 3> parts;
    std::int64_t leftOut = 0; ///< windows that would cross parts
};

/// Divides a data set as a Split node's complete parameters say. The error has the parameter's name for its
/// place.
Result<DividedSamples> divideSamples(const Dataset& dataset, const Json& split);

} // namespace athanor
