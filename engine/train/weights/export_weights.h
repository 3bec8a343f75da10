// Not the GUI thread, torch-free. The weights of a run's checkpoint as a file for others.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <filesystem>

namespace athanor {

enum class WeightsTarget {
    StateDict,   ///< torch.load gives an OrderedDict of tensors, with weights_only too
    Safetensors, ///< safetensors.torch.load_file
};

/// Which weights of a run that averages them.
enum class WeightsChoice { Trained, Averaged };

/// Writes parameters and buffers of a checkpoint under their state names, in their own types, as a whole or
/// not at all; reads the file back and compares every bit. Returns the number of tensors. Errors: as
/// loadCheckpoint; NotFound when there are no averaged weights; where the file cannot be written; Internal when what was read back differs.
Result<std::size_t> exportWeights(const std::filesystem::path& checkpoint, WeightsTarget target,
                                  const std::filesystem::path& file, WeightsChoice choice = WeightsChoice::Trained);

} // namespace athanor
