// Any thread, torch-free. The functions that a script can call, for completion and call tips.
#pragma once

#include <string>
#include <vector>

namespace athanor {

struct ScriptFunction {
    std::string name;
    bool isMethod = false;               ///< x.name(…) of a Tensor x works as well as torch.name(x, …)
    std::vector<std::string> signatures; ///< "relu(Tensor self) -> Tensor", one for each variant
};

/// LibTorch's own list, by name, without what is internal, writes into other tensors or belongs to a backend. Made
/// once; lives for ever.
const std::vector<ScriptFunction>& scriptFunctions();

} // namespace athanor
