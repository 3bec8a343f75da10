// Session thread. Weights to start from: a checkpoint of ours, a torch.save'd state_dict, safetensors.
#pragma once

#include "engine/base/result.h"
#include "engine/data/batch.h"

#include <filesystem>
#include <map>
#include <string>

namespace athanor {

/// Tensors by state name, in the processor's memory. Unreadable for files of another kind.
Result<std::map<std::string, torch::Tensor>> loadWeightsFile(const std::filesystem::path& file);

} // namespace athanor
