// Session thread. Dividing samples into parts.
#pragma once

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

} // namespace athanor
