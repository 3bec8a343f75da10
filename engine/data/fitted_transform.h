// Session thread. Transforms whose numbers are measured on the training samples.
#pragma once

#include "engine/data/data_plan.h"
#include "engine/data/part_data.h"

namespace athanor {

/// Whether the transform must be fitted: Standardize, MinMax, Tokenize, Impute, and Normalize where mean or std is null.
[[nodiscard]] bool isFitted(const std::string& kind, const Json& params);

/// Measures what `training.chain` yields so far, over the samples of `training` alone, and makes one transform
/// for each of the chain's inputFields(). Numbers that are not finite are left out. Reads every training sample
/// once.
/// - Standardize: (x − mean) / std per channel (see makeAffine), std of the population (n in the denominator, as
///   sklearn's StandardScaler). A constant channel is divided by 1.
/// - Normalize: the same, with those of mean and std that are given taken as they are.
/// - MinMax: the channel's least and greatest number become feature_range, as sklearn's MinMaxScaler; numbers
///   beyond them are limited when clip is set. A constant channel becomes the range's lower end.
/// - Tokenize, Impute: see transforms/fitted_steps.h.
/// The error has the parameter's name for its place.
Result<std::vector<TransformPtr>> fitTransform(const PlanNode& node, const PartData& training);

} // namespace athanor
