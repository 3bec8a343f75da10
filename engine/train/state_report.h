// Any thread but the GUI's (it builds the network). Every tensor that a training keeps. Torch-free.
#pragma once

#include "engine/project/project.h"

#include <cstdint>
#include <string>
#include <vector>

namespace athanor {

struct StateTensor {
    std::string name; ///< conv1.weight, bn1.running_mean; of the optimizer exp_avg/conv1.weight
    std::string part; ///< "parameter", "frozen", "buffer", "gradient", "optimizer", "average"
    std::vector<std::int64_t> shape;
    std::string type;   ///< float32, int64, …
    std::string device; ///< cpu, cuda:0
    std::int64_t bytes = 0;
};

struct StateReport {
    std::vector<StateTensor> tensors;
    std::int64_t bytes = 0; ///< of all, without activations
};

/// Builds the project's network and optimizer on its device and lists what they hold. Errors: as a run's start.
Result<StateReport> listState(const Project& project);

} // namespace athanor
