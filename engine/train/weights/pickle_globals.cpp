#include "engine/train/weights/pickle_globals.h"

#include "engine/train/weights/tensor_types.h"

#include <map>
#include <string_view>

namespace athanor {
namespace {

using enum PickleGlobal;

const std::map<std::string, PickleGlobal, std::less<>>& whiteList()
{
    static const std::map<std::string, PickleGlobal, std::less<>> list{
        {"collections.OrderedDict", Dict},
        {"collections.defaultdict", Dict},
        {"builtins.dict", Dict},
        {"torch._utils._rebuild_tensor", Tensor},
        {"torch._utils._rebuild_tensor_v2", Tensor},
        {"torch._utils._rebuild_tensor_v3", TypedTensor},
        {"torch._utils._rebuild_parameter", Parameter},
        {"torch._utils._rebuild_parameter_with_state", Parameter},
        {"torch._tensor._rebuild_from_type_v2", SubclassedTensor},
        {"torch.jit._pickle.restore_type_tag", Tagged},
        {"torch.jit._pickle.build_tensorlist", Tagged},
        {"torch.jit._pickle.build_intlist", Tagged},
        {"torch.jit._pickle.build_doublelist", Tagged},
        {"torch.jit._pickle.build_boollist", Tagged},
        {"torch._utils._rebuild_sparse_tensor", Harmless},
        {"torch._utils._rebuild_qtensor", Harmless},
        {"torch._utils._rebuild_meta_tensor_no_storage", Harmless},
        {"torch.serialization._get_layout", Harmless},
        {"torch.Size", Harmless},
        {"torch.device", Harmless},
        {"torch.Tensor", Harmless},
        {"torch._C._TensorBase", Harmless},
        {"torch.nn.parameter.Parameter", Harmless},
        {"torch.nn.parameter.Buffer", Harmless},
        {"torch.per_tensor_affine", Harmless},
        {"torch.per_channel_affine", Harmless},
        {"torch.storage.UntypedStorage", Harmless},
        {"numpy.dtype", Harmless},
        {"numpy.ndarray", Harmless},
        {"numpy.core.multiarray.scalar", Harmless},
        {"numpy.core.multiarray._reconstruct", Harmless},
        {"numpy._core.multiarray.scalar", Harmless},
        {"numpy._core.multiarray._reconstruct", Harmless},
        {"_codecs.encode", Harmless},
        {"argparse.Namespace", Harmless},
        {"types.SimpleNamespace", Harmless},
        {"collections.Counter", Harmless},
        {"datetime.datetime", Harmless},
        {"datetime.date", Harmless},
        {"datetime.timedelta", Harmless},
        {"pathlib.Path", Harmless},
        {"pathlib.PosixPath", Harmless},
        {"pathlib.WindowsPath", Harmless},
        {"pathlib.PurePosixPath", Harmless},
        {"builtins.set", Harmless},
        {"builtins.frozenset", Harmless},
        {"builtins.list", Harmless},
        {"builtins.tuple", Harmless},
        {"builtins.bytearray", Harmless},
        {"builtins.complex", Harmless},
        {"builtins.slice", Harmless},
        {"builtins.int", Harmless},
        {"builtins.float", Harmless},
        {"builtins.str", Harmless},
        {"builtins.bool", Harmless},
    };
    return list;
}

} // namespace

PickleGlobal pickleGlobal(const std::string& name)
{
    constexpr std::string_view kOldBuiltins = "__builtin__."; // Python 2's name, which protocol 2 writes
    if (name.starts_with(kOldBuiltins))
        return pickleGlobal("builtins." + name.substr(kOldBuiltins.size()));
    const auto found = whiteList().find(name);
    if (found != whiteList().end())
        return found->second;
    constexpr std::string_view kTorch = "torch.";
    if (!name.starts_with(kTorch))
        return Refused;
    const std::string_view own = std::string_view(name).substr(kTorch.size()); // "FloatStorage", "float32"
    return typeByStorage(own) != nullptr || typeByName(own) != nullptr ? Harmless : Refused;
}

} // namespace athanor
