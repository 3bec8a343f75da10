// Any thread. Inside weights/: tensors as the bytes of a file.
#pragma once

#include "engine/data/batch.h"

#include <map>
#include <string>

namespace athanor {

/// What torch.save(OrderedDict(state), file) writes; tensors that are one and the same share their storage.
std::string stateDictBytes(const std::map<std::string, torch::Tensor>& state);

/// A safetensors file; tensors begin at multiples of their element's size.
std::string safetensorsBytes(const std::map<std::string, torch::Tensor>& state);

} // namespace athanor
