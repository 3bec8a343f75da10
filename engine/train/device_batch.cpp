#include "engine/train/device_batch.h"

namespace athanor {

DataBatch onDevice(const DataBatch& batch, torch::Device device)
{
    DataBatch moved = batch;
    for (auto& [name, tensor] : moved.fields)
        tensor = tensor.to(device, tensor.scalar_type(), /*non_blocking=*/true);
    return moved;
}

} // namespace athanor
