// Session thread. The readers behind DataPipeline::read: in the caller's own thread, or with workers.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/data/part_data.h"

namespace athanor {

/// The batches of one pass.
struct ReadPlan {
    std::shared_ptr<const PartData> part;
    std::vector<std::int64_t> order; ///< indices of the data set, as they come
    std::int64_t batchSize = 1;
    std::int64_t batches = 0;
    std::uint64_t epoch = 0;
};

/// The order of a shuffled pass: positions 0 … count − 1 permuted by (seed, epoch) as torch.randperm does
/// it, with a generator of its own.
std::vector<std::int64_t> shuffledPositions(std::int64_t count, std::uint64_t seed, std::uint64_t epoch);

/// `workers` 0 reads in next() itself. Otherwise each of the workers keeps at most `prefetch` batches ahead.
std::unique_ptr<EpochReader> makeEpochReader(ReadPlan plan, std::int64_t firstBatch, int workers,
                                             int prefetch);

} // namespace athanor
