// Session thread. Fitting Standardize on the training samples.
#pragma once

#include "engine/data/part_data.h"

namespace athanor {

/// (x − mean) / std per channel (see makeAffine), with mean and population standard deviation of the fields
/// that `training.chain` yields so far, over the samples of `training` alone. A constant channel is divided
/// by 1. Numbers that are not finite are left out of both. Reads every training sample once.
Result<TransformPtr> fitStandardize(const PartData& training);

} // namespace athanor
