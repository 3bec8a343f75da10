// Any thread. TorchScript source becomes a torch::jit::Module.
#pragma once

#include "engine/graph/script_spec.h"

#include <torch/types.h>

#include <map>
#include <string>

namespace torch::jit {
struct Module;
}

namespace athanor {

/// Compiles a script with its declared tensors (by name, one for each of spec.tensors; as they are, so that
/// they are shared) and constants. Functions whose first argument is self are methods, the others plain functions.
/// `torch`, `math` and the usual exceptions are known. Throws a ScriptError.
torch::jit::Module compileScript(const ScriptSpec& spec, const std::map<std::string, torch::Tensor>& tensors);

/// Tensors that a compiled forward returns; 0 when it returns something else.
int resultCount(const torch::jit::Module& module);

} // namespace athanor
