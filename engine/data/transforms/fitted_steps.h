// Session thread. Steps behind fitTransform that are families of their own.
#pragma once

#include "engine/data/data_plan.h"
#include "engine/data/part_data.h"

namespace athanor {

/// `text` (UTF-8 bytes) → `tokens` (Int64 of varying length; 0 is padding, 1 what the vocabulary does not have), with a
/// vocabulary of the most frequent tokens of the training part; equally frequent ones in the order of their bytes.
/// Reads every training sample once. One transform for each of the chain's inputFields().
Result<std::vector<TransformPtr>> fitTokenize(const PlanNode& node, const PartData& training);

/// NaN → the mean, median or most frequent (the least of equally frequent ones) number of its column (channel) in the
/// training part, as scikit-learn's SimpleImputer, or a constant. Infinite numbers stay and do not count.
Result<std::vector<TransformPtr>> fitImpute(const PlanNode& node, const PartData& training);

} // namespace athanor
