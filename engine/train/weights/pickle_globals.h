// Any thread, torch-free. Inside weights/: the white list of the pickle reader.
#pragma once

#include <string>

namespace athanor {

/// What a class or function of a pickle means to the reader. None of them is ever called.
enum class PickleGlobal {
    Refused,          ///< not on the list
    Dict,             ///< OrderedDict and the like
    Tensor,           ///< torch._utils._rebuild_tensor, _v2
    TypedTensor,      ///< torch._utils._rebuild_tensor_v3, which names its type
    Parameter,        ///< torch._utils._rebuild_parameter: its first argument is the tensor
    SubclassedTensor, ///< torch._tensor._rebuild_from_type_v2: (function, class, arguments, attributes)
    Tagged,           ///< LibTorch's own marks around a value: its first argument
    Harmless,         ///< what often lies beside tensors; read as an Object
};

/// By "module.name".
PickleGlobal pickleGlobal(const std::string& name);

} // namespace athanor
