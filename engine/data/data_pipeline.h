// Session thread (its workers are inside). From a data graph to a seeded, restartable sequence of batches.
#pragma once

#include "engine/base/result.h"
#include "engine/data/throughput.h"
#include "engine/graph/graph_check.h"
#include "engine/project/project.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace athanor {

struct DataBatch;

enum class DataPart { Train, Val, Test };

/// What is known of the data once its sources are open, without reading every sample.
struct DataDescription {
    FieldTypes fields;                                          ///< as they come out of the Loader
    std::int64_t samples[3] = {0, 0, 0};                        ///< per DataPart
    std::int64_t leftOut = 0; ///< windows that belong to no part, since they would cross two
    std::map<std::string, std::vector<std::string>> classNames; ///< per Index field, when the data names them
    std::map<std::string, std::vector<std::string>> columnNames; ///< per table field
};

/// Batches of one pass over one part, in an order that depends on (seed, epoch) only: not on workers, not
/// on timing. Destroying it stops and joins its workers.
class EpochReader {
public:
    virtual ~EpochReader() = default;
    /// The next batch; an empty pointer at the end of the pass. Errors name the file and the sample.
    /// Waits for workers, but returns Cancelled soon after `stop` is requested.
    virtual Result<std::shared_ptr<DataBatch>> next(std::stop_token stop) = 0;
};

class DataPipeline {
public:
    virtual ~DataPipeline() = default;
    [[nodiscard]] virtual const DataDescription& description() const = 0;
    /// Batches of a pass over a part (drop_last considered for Train only).
    [[nodiscard]] virtual std::int64_t batchCount(DataPart part) const = 0;
    [[nodiscard]] virtual std::int64_t batchSize() const = 0;
    /// Samples of a pass over a part: all of it, or what a sampler draws. With drop_last fewer arrive.
    [[nodiscard]] virtual std::int64_t samplesPerPass(DataPart part) const = 0;
    /// What reading the training part cost so far. Any thread.
    [[nodiscard]] virtual Throughput throughput() const = 0;
    /// Starts pass `epoch` (0, 1, …) at batch `firstBatch`. Train is shuffled as the Loader says, by
    /// (seed, epoch); Val and Test keep their order. Random transforms draw from (seed, epoch, sample index). The
    /// pipeline outlives what it returns.
    virtual std::unique_ptr<EpochReader> read(DataPart part, std::int64_t epoch, std::int64_t firstBatch = 0) = 0;
    /// Reads every sample of every part once (check --data): problems with file and row, at most `limit`.
    /// `progress` gets (done, all) and returns false to cancel.
    virtual std::vector<Problem> checkSamples(std::size_t limit,
                                              const std::function<bool(std::int64_t, std::int64_t)>& progress) = 0;
};

/// Opens the sources of a project's data graph, splits, fits on the training part what must be fitted.
/// `workers` overrides the Loader's num_workers when ≥ 0.
Result<std::unique_ptr<DataPipeline>> openData(const Project& project, int workers = -1);

} // namespace athanor
