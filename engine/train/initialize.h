// Session thread. The weights a run starts with: initialisers by name, and frozen parameters.
#pragma once

#include "engine/base/result.h"
#include "engine/project/train_spec.h"
#include "engine/train/compiled_network.h"

#include <string>
#include <vector>

namespace athanor {

/// One of torch.nn.init's functions ("kaiming_uniform", "normal"), from the default generator. Throws what LibTorch
/// throws when it cannot fill this shape, and a PlacedError for an unknown kind.
void fillTensor(torch::Tensor& tensor, const std::string& kind, const Json& params);

/// Fills each parameter by the last entry whose pattern matches its state name (torch.nn.init), in the order
/// of the state, from the default generator. Parameters that no entry matches keep what their layer gave
/// them, and so do those of a saved module (ScriptModule). An initialiser that cannot fill a shape (xavier on a
/// bias) is InvalidArgument at training/init/N.
Status initializeParameters(torch::nn::Module& module, const std::vector<InitSpec>& entries);

/// Switches off the gradients of parameters that a pattern matches; returns their names.
std::vector<std::string> freezeParameters(torch::nn::Module& module, const std::vector<std::string>& patterns);

} // namespace athanor
