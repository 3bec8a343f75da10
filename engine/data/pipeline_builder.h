// Session thread. Everything that happens once, when data is opened.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/data/data_plan.h"
#include "engine/data/epoch_reader.h"
#include "engine/data/part_data.h"

#include <array>
#include <map>
#include <optional>

namespace athanor {

/// What the pipeline reads from; a part that the data does not have is empty.
struct OpenedData {
    std::array<std::shared_ptr<const PartData>, 3> parts;
    DataDescription description;
    std::int64_t batchSize = 1;
    bool shuffle = true;
    bool dropLast = false;
    int workers = 0;
    int prefetch = 2;
    bool skipErrors = false;
    std::int64_t maxErrors = 0;
    bool pinMemory = false;
    bool persistentWorkers = false;
    std::optional<CachePlace> cache; ///< of the decoded samples of each part
    std::int64_t cacheBytes = 0;
    std::vector<double> weights; ///< per training sample, of a sampler; empty: there is none
    bool replacement = true;
    std::int64_t drawn = 0;            ///< samples of a training pass
    std::int64_t bucketPool = 0;       ///< batches that are sorted by length together; 0: none are
    std::vector<std::int64_t> lengths; ///< per training sample, for buckets
    CollateStep collate;
    std::vector<BatchStep> batchSteps; ///< of the training part
    std::int64_t softClasses = 0;      ///< above 0: labels become probabilities of so many classes, in all parts
};

/// Opens the sources, numbers the classes of all parts alike, splits, fits and checks the transforms.
Result<OpenedData> openParts(const Project& project, const DataPlan& plan, int workers);

} // namespace athanor
