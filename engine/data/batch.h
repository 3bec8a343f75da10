// Data and session threads only (tensors never leave them). One batch as it comes out of the pipeline.
#pragma once

#include <torch/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace athanor {

struct DataBatch {
    /// Field name → tensor, batch axis first: image N×C×H×W float32, label N int64, features N×F float32,
    /// target N×T float32.
    std::map<std::string, torch::Tensor> fields;
    std::vector<std::int64_t> samples; ///< index of each row in its source, for "which sample was it"
    [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(samples.size()); }
};

} // namespace athanor
