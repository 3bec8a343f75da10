// Session thread. The readers behind DataPipeline::read: in the caller's own thread, or with workers.
#pragma once

#include "engine/data/batch_transforms.h"
#include "engine/data/data_pipeline.h"
#include "engine/data/part_data.h"

namespace athanor {

class Collate;

/// A step on whole batches, and the node it comes from.
struct BatchStep {
    BatchTransformPtr transform;
    StepOrigin origin;
};

/// A user's own way to put samples together, and the node it comes from.
struct CollateStep {
    std::shared_ptr<const Collate> collate; ///< null: there is none
    StepOrigin origin;
};

/// The batches of one pass.
struct ReadPlan {
    std::shared_ptr<const PartData> part;
    std::vector<std::int64_t> order; ///< indices of the data set, as they come
    /// How often each of `order` stood before in it, so that a sample that is drawn twice is not transformed alike
    /// twice; empty: no sample stands there twice.
    std::vector<std::uint32_t> repeats;
    std::int64_t batchSize = 1;
    std::int64_t batches = 0;
    std::uint64_t epoch = 0;
    CollateStep collate;
    std::vector<BatchStep> steps; ///< behind it
    std::int64_t softClasses = 0; ///< above 0: `label` becomes probabilities of so many classes
    bool skipErrors = false;      ///< leave out samples that cannot be read …
    std::int64_t maxErrors = 0;   ///< … so many in a pass at most
    bool pinMemory = false;       ///< where CUDA is: batches in memory that it can read by itself
    std::shared_ptr<ThroughputMeter> meter; ///< may be empty
};

/// `workers` 0 reads in next() itself. Otherwise each of the workers keeps at most `prefetch` batches ahead.
std::unique_ptr<EpochReader> makeEpochReader(ReadPlan plan, std::int64_t firstBatch, int workers,
                                             int prefetch);

/// The name of the field that tells the valid places of a field of varying length: `mask` for the first of them,
/// `<field>_mask` for others. Empty for a field whose length does not vary, for images, and for what `collate` takes.
std::vector<std::string> maskNames(const std::vector<FieldLayout>& layouts, const Collate* collate = nullptr);

} // namespace athanor
