// Data workers, one each. Puts the samples of a batch together.
#pragma once

#include "engine/data/epoch_reader.h"

#include <memory>
#include <stop_token>

namespace athanor {

/// A batch, and what was left out of it.
struct BuiltBatch {
    std::shared_ptr<DataBatch> batch;
    std::int64_t skipped = 0;
    std::string skippedFirst; ///< the error of the first sample that was left out
};

/// The error of a reader that is told to stop.
Error readingCancelled();

/// Only plain loops and copies, and programs that keep to one thread: LibTorch's own operations would start its thread pool
/// in a worker, against the training thread.
class BatchBuilder {
public:
    /// `worker`: whose counters are counted up.
    BatchBuilder(const ReadPlan& plan, std::size_t worker);
    /// Batch `number` of the pass. Throws nothing: what LibTorch throws becomes an Error.
    Result<BuiltBatch> build(std::int64_t number, const std::stop_token& stop);

private:
    /// The rows of one field while they come in.
    struct Rows;
    Result<BuiltBatch> gather(std::int64_t number, const std::stop_token& stop);
    Status addSample(std::vector<Rows>& rows, std::size_t kept) const;
    Status finish(DataBatch& batch, std::vector<Rows>& rows) const;
    Status collate(DataBatch& batch, std::vector<Rows>& rows) const;

    const ReadPlan& m_plan;
    ThroughputMeter::Row* m_row;
    std::vector<std::string> m_masks; // per field
    Sample m_sample;
    Value m_scratch;
};

} // namespace athanor
