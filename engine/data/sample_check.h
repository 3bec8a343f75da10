// Session thread. Looking at every sample once.
#pragma once

#include "engine/data/pipeline_builder.h"

#include <functional>

namespace athanor {

/// What DataPipeline::checkSamples promises.
std::vector<Problem> checkAllSamples(const OpenedData& data, std::size_t limit,
                                     const std::function<bool(std::int64_t, std::int64_t)>& progress);

} // namespace athanor
