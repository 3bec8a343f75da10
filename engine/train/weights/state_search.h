// Any thread, torch-free. Inside weights/: where in a pickle of torch.save the state of a network is.
#pragma once

#include "engine/train/weights/pickle.h"

#include <string>
#include <utility>
#include <vector>

namespace athanor {

struct FoundState {
    bool ours = false; ///< a checkpoint of Athanor
    std::string entry; ///< path of the dictionary: "state_dict", "model.state_dict"; empty: the root
    std::vector<std::pair<std::string, const PickleValue*>> tensors; ///< by name, in order
    std::vector<std::string> notes;
};

/// Throws a PlacedError: Unsupported, with what is there instead, when there is none; damaged for names that
/// are no UTF-8.
FoundState findState(const PickleValue& root);

} // namespace athanor
