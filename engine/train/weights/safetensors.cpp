#include "engine/train/weights/tensor_types.h"
#include "engine/train/weights/weights_errors.h"
#include "engine/train/weights/weights_source.h"

#include <torch/torch.h>

#include <algorithm>
#include <bit>
#include <limits>

// The format: 8 bytes with the length of a JSON header, the header {name: {dtype, shape, data_offsets}}, and
// the numbers of one tensor after the other, all little endian. https://github.com/huggingface/safetensors
namespace athanor {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are taken as they lie in the file");

constexpr std::uint64_t kLengthSize = 8;
constexpr std::uint64_t kLongestHeader = 100'000'000; ///< the format's own limit

struct Span {
    std::uint64_t begin = 0; ///< from the start of the data
    std::uint64_t end = 0;
};

/// A whole number of the header that is not negative.
std::uint64_t wholeNumber(const Json& value, const std::string& name)
{
    if (!value.is_number_unsigned())
        throwDamaged("its header has a wrong number at " + spelled(name));
    return value.get<std::uint64_t>();
}

std::vector<std::int64_t> shapeOf(const Json& list, const std::string& name)
{
    constexpr std::size_t kMostDimensions = 64; // as in PyTorch
    if (list.size() > kMostDimensions)
        throwDamaged("its header has a wrong shape at " + spelled(name));
    std::vector<std::int64_t> shape;
    for (const Json& extent : list) {
        const auto number = wholeNumber(extent, name);
        if (number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
            throwDamaged("its header has a wrong shape at " + spelled(name));
        shape.push_back(static_cast<std::int64_t>(number));
    }
    return shape;
}

/// The bytes that a shape takes; nullopt when they, or the strides beside an extent of 0, exceed 63 bits.
std::optional<std::uint64_t> bytesOf(const std::vector<std::int64_t>& shape, std::size_t elementBytes)
{
    auto bytes = static_cast<std::int64_t>(elementBytes);
    for (const auto extent : shape)
        if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(extent, 1), &bytes))
            return std::nullopt;
    return std::ranges::find(shape, 0) != shape.end() ? 0 : static_cast<std::uint64_t>(bytes);
}

class SafetensorsFile : public WeightsSource {
public:
    explicit SafetensorsFile(InputFile file) : m_file(std::move(file))
    {
        m_contents.format = WeightsFormat::Safetensors;
        readHeader();
    }
    torch::Tensor tensor(std::size_t index) override;

private:
    void readHeader();
    void addTensor(const std::string& name, const Json& entry);
    void orderByPlace();

    InputFile m_file;
    std::uint64_t m_data = 0;  // where the numbers begin
    std::vector<Span> m_spans; // by tensor
};

void SafetensorsFile::readHeader()
{
    std::uint64_t length = 0;
    m_file.read(0, std::span(reinterpret_cast<char*>(&length), kLengthSize));
    if (length > kLongestHeader || !m_file.holds(kLengthSize, length))
        throwDamaged("its header is longer than the file");
    m_data = kLengthSize + length;
    const Json header = Json::parse(m_file.read(kLengthSize, length), nullptr, false);
    if (!header.is_object())
        throwDamaged("its header is no JSON");
    for (const auto& [name, entry] : header.items())
        if (name != "__metadata__")
            addTensor(name, entry);
    orderByPlace();
}

void SafetensorsFile::addTensor(const std::string& name, const Json& entry)
{
    const auto has = [&](const char* key, Json::value_t type) {
        return entry.is_object() && entry.contains(key) && entry[key].type() == type;
    };
    if (!has("dtype", Json::value_t::string) || !has("shape", Json::value_t::array) ||
        !has("data_offsets", Json::value_t::array) || entry["data_offsets"].size() != 2)
        throwDamaged("its header describes no tensor at " + spelled(name));
    const auto code = entry["dtype"].get<std::string>();
    const TensorType* type = typeBySafetensors(code);
    const Span span{wholeNumber(entry["data_offsets"][0], name), wholeNumber(entry["data_offsets"][1], name)};
    auto shape = shapeOf(entry["shape"], name);
    if (span.begin > span.end || span.end > m_file.size() - m_data)
        throwDamaged("its tensor " + spelled(name) + " does not lie in the file");
    if (type != nullptr && bytesOf(shape, type->bytes) != span.end - span.begin)
        throwDamaged("the shape of its tensor " + spelled(name) + " does not fit its size");
    m_contents.tensors.push_back(
        {name, std::move(shape), type != nullptr ? std::string(type->name) : code, "cpu"});
    m_spans.push_back(span);
}

/// JSON objects have no order, the data has; and it has no holes and nothing twice.
void SafetensorsFile::orderByPlace()
{
    std::vector<std::size_t> order(m_spans.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    const auto place = [&](std::size_t i) { return std::pair(m_spans[i].begin, m_spans[i].end); };
    std::ranges::stable_sort(order, {}, place);
    std::vector<WeightsTensor> tensors;
    std::vector<Span> spans;
    std::uint64_t end = 0;
    for (const auto i : order) {
        if (m_spans[i].begin != end)
            throwDamaged("its tensors do not follow each other at " + spelled(m_contents.tensors[i].name));
        end = m_spans[i].end;
        tensors.push_back(std::move(m_contents.tensors[i]));
        spans.push_back(m_spans[i]);
    }
    if (end != m_file.size() - m_data)
        throwDamaged("there is data behind its last tensor");
    m_contents.tensors = std::move(tensors);
    m_spans = std::move(spans);
}

torch::Tensor SafetensorsFile::tensor(std::size_t index)
{
    const auto& entry = m_contents.tensors[index];
    const auto type = scalarType(entry.type);
    if (!type)
        throwUnsupported("The tensor " + spelled(entry.name) + " has elements of the type " +
                             spelled(entry.type) + ", which no network here takes.",
                         "Convert it to float32 before saving.");
    const bool isBool = *type == c10::kBool;
    const auto stored = isBool ? c10::kByte : *type;
    auto tensor = torch::empty(entry.shape, torch::TensorOptions().dtype(stored));
    const Span span = m_spans[index];
    if (span.end > span.begin)
        m_file.read(m_data + span.begin,
                    std::span(static_cast<char*>(tensor.data_ptr()), span.end - span.begin));
    return isBool ? tensor.ne(0) : tensor; // a bool of 2 is undefined behaviour
}

} // namespace

std::unique_ptr<WeightsSource> openSafetensors(InputFile file)
{
    return std::make_unique<SafetensorsFile>(std::move(file));
}

} // namespace athanor
