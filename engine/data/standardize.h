// Session thread. Fitting Standardize on the training samples.
#pragma once

#include "engine/data/part_data.h"

namespace athanor {

/// For each of the chain's inputFields: (x − mean) / std per channel (see makeAffine), with the mean and the
/// population standard deviation of what `training.chain` yields so far, over the samples of `training` alone.
/// A constant channel is divided by 1. Numbers that are not finite are left out of both. Reads every training
/// sample once.
Result<std::vector<TransformPtr>> fitStandardize(const PartData& training);

} // namespace athanor
