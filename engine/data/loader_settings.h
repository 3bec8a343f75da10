// Session thread. What the Loader's parameters mean for the samples there are.
#pragma once

#include "engine/data/pipeline_builder.h"

namespace athanor {

/// Reads the Loader's complete parameters into `data`: weights of a sampler from the labels of `training`, lengths
/// for buckets by reading every training sample once. Places of errors are `data/<loader>/<parameter>`.
Status readLoaderSettings(const PlanNode& loader, const PartData& training, OpenedData& data);

} // namespace athanor
