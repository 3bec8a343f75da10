// Any thread (immutable once the pipeline is open). One part of the data: which samples, and what happens to
// them.
#pragma once

#include "engine/data/dataset.h"
#include "engine/data/sample_cache.h"
#include "engine/data/transform_chain.h"

#include <memory>
#include <string>
#include <vector>

namespace athanor {

struct PartData {
    std::shared_ptr<Dataset> dataset;
    std::vector<std::int64_t> samples; ///< indices in the data set, in its order
    TransformChain chain;
    std::string source; ///< id of the source node, for errors
    std::uint64_t seed = 0;
    std::shared_ptr<SampleCache> cache = nullptr; ///< of what the chain's Fixed steps yield; this part's own
    std::vector<std::string> stepNodes = {};      ///< ids of the source and the chain's nodes, for throughput

    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(samples.size()); }
    /// Reads one sample (an index of the data set) through the whole chain and holds its shapes against the
    /// chain's. Errors name the sample, `where` is the source node. Throws nothing. `row` counts what it costs.
    Status readSample(std::int64_t index, std::uint64_t epoch, Sample& sample, Value& scratch,
                      ThroughputMeter::Row* row = nullptr) const;
};

} // namespace athanor
