#include "engine/train/weights/weights_file.h"

#include "engine/script/torch_errors.h"
#include "engine/train/weights/weights_errors.h"
#include "engine/train/weights/weights_source.h"

#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <utility>

namespace athanor {
namespace {

using NamedType = std::pair<std::string_view, c10::ScalarType>;
constexpr std::array<NamedType, 10> kScalarTypes{{
    {"float64", c10::kDouble},
    {"float32", c10::kFloat},
    {"float16", c10::kHalf},
    {"bfloat16", c10::kBFloat16},
    {"int64", c10::kLong},
    {"int32", c10::kInt},
    {"int16", c10::kShort},
    {"int8", c10::kChar},
    {"uint8", c10::kByte},
    {"bool", c10::kBool},
}};

/// What other files of weights begin with. They are known, so that the answer can say what to do.
struct KnownStart {
    std::string_view bytes;
    const char* message;
    const char* hint;
};

constexpr const char* kSaveAgain = "In PyTorch 1.6 or newer: torch.save(torch.load(\"old.pt\"), \"new.pt\").";

const std::array kKnownStarts{
    KnownStart{{"\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20j\xa8P\x19.", 15},
               "This file has PyTorch's old format, from before 1.6, which is not read.",
               kSaveAgain},
    KnownStart{"\x89HDF\r\n", "This is an HDF5 file, as Keras writes it, not one of PyTorch.",
               "Load it in Python and save a dictionary of tensors with torch.save."},
    KnownStart{"\x93NUMPY", "This is a single NumPy array, not a file of weights.",
               "Save a dictionary of tensors with torch.save."},
    KnownStart{"GGUF", "This is a GGUF file, which is not read.", "Use the safetensors file of the model."},
    KnownStart{"\x1f\x8b", "This file is compressed with gzip.", "Unpack it first."},
    KnownStart{"\x80", "This is a pickle that torch.save did not write.", kSaveStateDict},
};

void refuseKnownStarts(std::string_view start)
{
    for (const auto& known : kKnownStarts)
        if (start.starts_with(known.bytes))
            throwUnsupported(known.message, known.hint);
    constexpr std::size_t kTarMark = 257;
    if (start.size() > kTarMark && start.substr(kTarMark).starts_with("ustar"))
        throwUnsupported("This file has PyTorch's oldest format, from before 0.1.10, which is not read.",
                         kSaveAgain);
}

std::unique_ptr<WeightsSource> openByContent(const std::filesystem::path& path)
{
    InputFile file(path);
    constexpr std::uint64_t kStart = 512;
    const std::string start = file.read(0, std::min(file.size(), kStart));
    if (start.empty())
        throwDamaged("it is empty");
    if (start.starts_with("PK\x03\x04"))
        return openTorchFile(std::move(file));
    if (start.size() > 8 && start[8] == '{') // safetensors: the length of its header, then the header
        return openSafetensors(std::move(file));
    refuseKnownStarts(start);
    throw PlacedError({ErrorCode::Unreadable,
                       "This is no file of weights, or a damaged one.",
                       {},
                       "Use a checkpoint of a run, a file of torch.save, or a safetensors file.",
                       {}});
}

/// What happened at the file, with its name.
template <typename Body>
auto behindFile(const std::filesystem::path& file, Body&& body) -> decltype(body())
{
    try {
        return body();
    } catch (...) {
        Error error = errorFromCurrentException(file.string());
        error.where = file.string();
        return error;
    }
}

} // namespace

std::optional<c10::ScalarType> scalarType(std::string_view name)
{
    const auto found = std::ranges::find(kScalarTypes, name, &NamedType::first);
    return found == kScalarTypes.end() ? std::nullopt : std::optional(found->second);
}

std::string typeName(c10::ScalarType type)
{
    const auto found = std::ranges::find(kScalarTypes, type, &NamedType::second);
    return found == kScalarTypes.end() ? "unknown" : std::string(found->first);
}

std::string weightsFormatName(WeightsFormat format)
{
    switch (format) {
    case WeightsFormat::Checkpoint:
        return "Athanor checkpoint";
    case WeightsFormat::PyTorch:
        return "PyTorch file";
    case WeightsFormat::Safetensors:
        break;
    }
    return "safetensors file";
}

std::string extentsText(const std::vector<std::int64_t>& shape)
{
    std::string text = "[";
    for (const auto extent : shape)
        text.append(text.size() > 1 ? ", " : "").append(std::to_string(extent));
    return text + "]";
}

Result<std::unique_ptr<WeightsSource>> openWeights(const std::filesystem::path& file)
{
    return behindFile(file, [&]() -> Result<std::unique_ptr<WeightsSource>> { return openByContent(file); });
}

Result<WeightsContents> listWeights(const std::filesystem::path& file)
{
    const auto source = openWeights(file);
    if (!source.ok())
        return source.error();
    return (*source)->contents();
}

Result<std::map<std::string, torch::Tensor>> loadWeightsFile(const std::filesystem::path& file)
{
    using Tensors = std::map<std::string, torch::Tensor>;
    return behindFile(file, [&]() -> Result<Tensors> {
        const auto source = openByContent(file);
        Tensors tensors;
        for (std::size_t i = 0; i < source->contents().tensors.size(); ++i)
            tensors[source->contents().tensors[i].name] = source->tensor(i);
        return tensors;
    });
}

Json weightsJson(const WeightsContents& contents)
{
    Json tensors = Json::array();
    for (const auto& tensor : contents.tensors)
        tensors.push_back({{"name", tensor.name},
                           {"shape", tensor.shape},
                           {"type", tensor.type},
                           {"device", tensor.device}});
    return {{"format", weightsFormatName(contents.format)},
            {"entry", contents.entry.empty() ? Json() : Json(contents.entry)},
            {"tensors", std::move(tensors)},
            {"notes", contents.notes}};
}

} // namespace athanor
