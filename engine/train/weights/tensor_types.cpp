#include "engine/train/weights/tensor_types.h"

#include <algorithm>
#include <array>

namespace athanor {
namespace {

constexpr std::array<TensorType, 21> kTypes{{
    {"float64", "DoubleStorage", "F64", 8},
    {"float32", "FloatStorage", "F32", 4},
    {"float16", "HalfStorage", "F16", 2},
    {"bfloat16", "BFloat16Storage", "BF16", 2},
    {"int64", "LongStorage", "I64", 8},
    {"int32", "IntStorage", "I32", 4},
    {"int16", "ShortStorage", "I16", 2},
    {"int8", "CharStorage", "I8", 1},
    {"uint8", "ByteStorage", "U8", 1},
    {"bool", "BoolStorage", "BOOL", 1},
    // What follows is listed, but no network of ours takes it.
    {"uint16", "", "U16", 2},
    {"uint32", "", "U32", 4},
    {"uint64", "", "U64", 8},
    {"float8_e5m2", "", "F8_E5M2", 1},
    {"float8_e4m3fn", "", "F8_E4M3", 1},
    {"complex64", "ComplexFloatStorage", "C64", 8},
    {"complex128", "ComplexDoubleStorage", "", 16},
    {"quint8", "QUInt8Storage", "", 1},
    {"qint8", "QInt8Storage", "", 1},
    {"qint32", "QInt32Storage", "", 4},
    {"untyped", "UntypedStorage", "", 1},
}};

const TensorType* findBy(std::string_view TensorType::*column, std::string_view text)
{
    const auto found = std::ranges::find(kTypes, text, column);
    return text.empty() || found == kTypes.end() ? nullptr : &*found;
}

} // namespace

const TensorType* typeByName(std::string_view name)
{
    return findBy(&TensorType::name, name);
}

const TensorType* typeByStorage(std::string_view storage)
{
    return findBy(&TensorType::storage, storage);
}

const TensorType* typeBySafetensors(std::string_view code)
{
    return findBy(&TensorType::safetensors, code);
}

} // namespace athanor
