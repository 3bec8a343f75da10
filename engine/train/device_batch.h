// Session thread. A batch on the device that computes.
#pragma once

#include "engine/data/batch.h"

namespace athanor {

/// The batch itself when it is already there.
DataBatch onDevice(const DataBatch& batch, torch::Device device);

} // namespace athanor
