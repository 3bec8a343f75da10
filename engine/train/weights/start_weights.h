// Session thread, but for inspectWeights. The weights of a file as the start of a network.
#pragma once

#include "engine/project/project.h"
#include "engine/train/weights/weights_file.h"
#include "engine/train/weights/weights_mapping.h"

#include <filesystem>
#include <string>
#include <vector>

namespace torch::nn {
class Module;
}

namespace athanor {

/// Copies what fits of training.weights into the module, under training.weights_map, and says what was loaded
/// and what was not; an empty text when the project starts fresh. Nothing is copied when anything fails: as
/// listWeights, damaged data, and InvalidArgument when nothing fits; each names the file.
Result<std::string> loadStartWeights(const Project& project, torch::nn::Module& module);

/// What a file would do to a project's network.
struct WeightsReport {
    WeightsContents file;
    std::vector<WeightsTensor> network; ///< its state, in the order of PyTorch's state_dict
    WeightsMapping mapping;
};

/// Not the GUI thread: opens the project's data, which decides the shapes. Errors of the project, and as
/// listWeights.
Result<WeightsReport> inspectWeights(const Project& project, const std::filesystem::path& file);

} // namespace athanor
