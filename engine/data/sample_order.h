// Session thread. Which samples a pass over the training part reads, and in which order: a function of (seed,
// epoch) alone.
#pragma once

#include <cstdint>
#include <vector>

namespace athanor {

/// The order of a shuffled pass: positions 0 … count − 1 permuted by (seed, epoch) as torch.randperm does
/// it, with a generator of its own.
std::vector<std::int64_t> shuffledPositions(std::int64_t count, std::uint64_t seed, std::uint64_t epoch);

/// `count` positions drawn by their weights (≥ 0, not all 0), as PyTorch's WeightedRandomSampler, with a
/// generator of (seed, epoch). Without replacement `count` is at most the number of weights above 0.
std::vector<std::int64_t> weightedPositions(const std::vector<double>& weights, std::int64_t count,
                                            bool replacement, std::uint64_t seed, std::uint64_t epoch);

/// Sorts the samples of each pool of `pool` batches by their length and then permutes the pool's batches by
/// (seed, epoch), so that batches hold samples of like length but come in no order of length. A last batch that
/// is not full stays the last. `lengths` has one number for each of `order`.
void bucketByLength(std::vector<std::int64_t>& order, const std::vector<std::int64_t>& lengths,
                    std::int64_t batchSize, std::int64_t pool, std::uint64_t seed, std::uint64_t epoch);

/// How often each entry stood before in the list: 0 for the first time, 1 for the second, …
std::vector<std::uint32_t> repetitions(const std::vector<std::int64_t>& order);

} // namespace athanor
