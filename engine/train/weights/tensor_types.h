// Any thread, torch-free. The element types of files of weights under their names in each format.
#pragma once

#include <cstddef>
#include <string_view>

namespace athanor {

struct TensorType {
    std::string_view name;        ///< PyTorch's: "float32"
    std::string_view storage;     ///< class of its storage in pickles: "FloatStorage"; empty: has none
    std::string_view safetensors; ///< "F32"; empty: not in that format
    std::size_t bytes = 0;        ///< of one element
};

/// nullptr when it is unknown.
const TensorType* typeByName(std::string_view name);
const TensorType* typeByStorage(std::string_view storage);
const TensorType* typeBySafetensors(std::string_view code);

} // namespace athanor
