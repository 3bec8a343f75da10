#include "engine/data/memory_dataset.h"
#include "engine/data/sources/npy_reader.h"
#include "engine/data/sources/source.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace athanor {

namespace {

/// Calls `use(i, value)` for each number, whatever its type.
template <typename Use>
void eachNumber(const NpyArray& array, Use use)
{
    const auto walk = [&]<typename T>(T) {
        const std::size_t count = array.numbers.size() / sizeof(T);
        for (std::size_t i = 0; i < count; ++i) {
            T value;
            std::memcpy(&value, array.numbers.data() + i * sizeof(T), sizeof(T));
            use(i, value);
        }
    };
    if (array.type == "f4")
        walk(float{});
    else if (array.type == "f8")
        walk(double{});
    else if (array.type == "i4")
        walk(std::int32_t{});
    else if (array.type == "i8")
        walk(std::int64_t{});
    else
        walk(std::uint8_t{});
}

bool allWhole(const NpyArray& array)
{
    bool whole = true;
    eachNumber(array, [&](std::size_t, auto value) {
        const auto number = static_cast<double>(value);
        whole = whole && std::abs(number) < 1e15 && number == std::floor(number);
    });
    return whole;
}

/// uint8 arrays of pictures may hold their channels last (H×W×C, as images are kept) or first (C×H×W, as
/// PyTorch does): few channels tell.
MemoryField byteImageField(const std::string& name, NpyArray array, std::vector<std::int64_t> shape)
{
    constexpr std::int64_t kChannels = 4;
    const bool channelsFirst = shape.size() == 3 && shape[2] > kChannels && shape[0] <= kChannels;
    if (shape.size() == 2)
        shape.push_back(1);
    if (!channelsFirst)
        return {{name, Element::UInt8, shape}, std::move(array.numbers)};
    const std::int64_t channels = shape[0];
    const std::int64_t pixels = shape[1] * shape[2];
    MemoryField field =
        makeMemoryField({name, Element::UInt8, {shape[1], shape[2], channels}}, array.shape[0]);
    for (std::int64_t sample = 0; sample < array.shape[0]; ++sample)
        for (std::int64_t channel = 0; channel < channels; ++channel)
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
                field.numbers[static_cast<std::size_t>((sample * pixels + pixel) * channels + channel)] =
                    array.numbers[static_cast<std::size_t>((sample * channels + channel) * pixels + pixel)];
    return field;
}

MemoryField floatField(const std::string& name, NpyArray array, std::vector<std::int64_t> shape)
{
    if (shape.empty())
        shape = {1}; // one value per sample is a target of N×1
    FieldLayout layout{name, Element::Float32, std::move(shape)};
    if (array.type == "f4")
        return {std::move(layout), std::move(array.numbers)};
    MemoryField field = makeMemoryField(std::move(layout), array.shape[0]);
    float* out = field.float32();
    eachNumber(array, [&](std::size_t i, auto value) { out[i] = static_cast<float>(value); });
    return field;
}

MemoryField indexField(const std::string& name, NpyArray array, std::vector<std::int64_t> shape)
{
    if (name == "label" && shape == std::vector<std::int64_t>{1})
        shape.clear(); // N×1 labels mean one class per sample
    MemoryField field = makeMemoryField({name, Element::Int64, std::move(shape)}, array.shape[0]);
    std::int64_t* out = field.int64();
    std::int64_t classes = 0;
    eachNumber(array, [&](std::size_t i, auto value) {
        out[i] = static_cast<std::int64_t>(value);
        classes = std::max(classes, out[i] + 1);
    });
    field.layout.classes = classes;
    return field;
}

Result<MemoryField> toField(const SourceNode& node, const std::string& name, NpyArray array)
{
    const std::vector<std::int64_t> shape(array.shape.begin() + 1, array.shape.end());
    const bool real = array.type == "f4" || array.type == "f8";
    if (name == "label" && elementCount(shape) == 1) {
        if (!allWhole(array))
            return node.error(ErrorCode::InvalidArgument, "fields",
                              "The labels are no whole numbers, so they are no classes",
                              "Name the field 'target' for a regression, or save the class numbers as int64");
        return indexField(name, std::move(array), shape);
    }
    if (name == "target" || real)
        return floatField(name, std::move(array), shape);
    if (array.type == "i4" || array.type == "i8" || shape.empty())
        return indexField(name, std::move(array), shape);
    if (array.type == "u1" && shape.size() >= 2 && shape.size() <= 3)
        return byteImageField(name, std::move(array), shape);
    return floatField(name, std::move(array), shape);
}

/// "data.npz:x" is the array x in data.npz, "data.npz" alone the one of the field's name.
std::pair<std::filesystem::path, std::string> arrayFile(const SourceNode& node, const std::string& text,
                                                        const std::string& field)
{
    constexpr std::string_view kZip = ".npz";
    if (text.ends_with(kZip))
        return {node.path(text), field};
    const std::size_t colon = text.rfind(".npz:");
    if (colon == std::string::npos)
        return {node.path(text), {}};
    return {node.path(text.substr(0, colon + kZip.size())), text.substr(colon + kZip.size() + 1)};
}

} // namespace

OpenedDataset openNumpyFile(const SourceNode& node)
{
    const Json& files = node.params.at("fields");
    if (!files.is_object() || files.empty())
        return node.error(ErrorCode::InvalidArgument, "fields", "Fields and their files are missing",
                          R"(Write for example {"image": "x.npy", "label": "y.npy"}.)");
    std::vector<MemoryField> fields;
    std::int64_t size = -1;
    std::string firstFile;
    for (const auto& [name, file] : files.items()) {
        if (!file.is_string())
            return node.error(ErrorCode::InvalidArgument, "fields",
                              "The file of field '" + name + "' is no text");
        const auto [path, member] = arrayFile(node, file.get<std::string>(), name);
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored))
            return node.missing("fields", path);
        Result<NpyArray> array = member.empty() ? readNpy(path) : readNpz(path, member);
        if (!array)
            return node.error(array.error().code, "fields", fileName(path) + ": " + array.error().message,
                              array.error().hint);
        if (array->shape.empty() || elementCount(array->shape) == 0)
            return node.error(ErrorCode::Unreadable, "fields", fileName(path) + " holds no samples",
                              "The first axis of an array counts the samples");
        if (size >= 0 && array->shape[0] != size)
            return node.error(ErrorCode::InvalidArgument, "fields",
                              fileName(path) + " has " + std::to_string(array->shape[0]) + " samples, but " +
                                  firstFile + " has " + std::to_string(size),
                              "The first axis of all fields must be equally long");
        if (size < 0)
            firstFile = fileName(path);
        size = array->shape[0];
        Result<MemoryField> field = toField(node, name, std::move(*array));
        if (!field)
            return field.error();
        fields.push_back(std::move(*field));
    }
    return makeMemoryDataset(std::move(fields), size, [name = firstFile](std::int64_t index) {
        return name + ", sample " + std::to_string(index);
    });
}

} // namespace athanor
