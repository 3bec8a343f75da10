#include "engine/script/torch_errors.h"
#include "engine/train/weights/pickle.h"
#include "engine/train/weights/state_search.h"
#include "engine/train/weights/tensor_types.h"
#include "engine/train/weights/weights_errors.h"
#include "engine/train/weights/weights_source.h"
#include "engine/train/weights/zip_archive.h"

#include <torch/torch.h>

#include <map>
#include <utility>

namespace athanor {
namespace {

using Kind = PickleValue::Kind;

std::vector<std::int64_t> integersOf(const PickleValue& list)
{
    std::vector<std::int64_t> numbers;
    for (const PickleValue* item : list.items)
        numbers.push_back(item->integer);
    return numbers;
}

/// "torch.FloatStorage" or "torch.float16" → "float32", "float16"; the rest of the name when it is unknown.
std::string typeOf(const PickleValue& global)
{
    const std::string name = global.text.substr(global.text.rfind('.') + 1);
    const TensorType* storage = typeByStorage(name);
    return storage != nullptr ? std::string(storage->name) : name;
}

/// A tensor of its own type has an untyped storage, whose elements are bytes.
std::string typeOfTensor(const PickleValue& tensor)
{
    return typeOf(tensor.items.size() > 3 ? *tensor.items[3] : *tensor.items[0]->items[0]);
}

/// The largest index that a view reaches must lie in its storage, and the number of its elements in 64 bits.
bool viewFits(std::int64_t elements, std::int64_t offset, const std::vector<std::int64_t>& sizes,
              const std::vector<std::int64_t>& strides)
{
    std::int64_t last = offset, count = 1;
    bool empty = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        empty = empty || sizes[i] == 0;
        std::int64_t reach = 0;
        if (sizes[i] > 0 && (__builtin_mul_overflow(count, sizes[i], &count) ||
                             __builtin_mul_overflow(sizes[i] - 1, strides[i], &reach) ||
                             __builtin_add_overflow(last, reach, &last)))
            return false;
    }
    return empty || last < elements;
}

class TorchFile : public WeightsSource {
public:
    explicit TorchFile(InputFile file) : m_archive(std::move(file)), m_document(readPickle())
    {
        FoundState found = findState(m_document.root());
        m_contents.format = found.ours ? WeightsFormat::Checkpoint : WeightsFormat::PyTorch;
        m_contents.entry = std::move(found.entry);
        m_contents.notes = std::move(found.notes);
        for (auto& [name, value] : found.tensors) {
            const auto shape = integersOf(*value->items[1]);
            m_contents.tensors.push_back({std::move(name), shape, typeOfTensor(*value), deviceOf(*value)});
            m_values.push_back(value);
        }
    }
    torch::Tensor tensor(std::size_t index) override;

private:
    static std::string deviceOf(const PickleValue& tensor) { return tensor.items[0]->items[1]->text; }
    [[nodiscard]] PickleDocument readPickle() const;
    torch::Tensor storage(const PickleValue& value, c10::ScalarType type, std::int64_t elements);

    ZipArchive m_archive;
    PickleDocument m_document;
    std::vector<const PickleValue*> m_values; // by tensor
    std::map<std::pair<std::string, c10::ScalarType>, torch::Tensor>
        m_storages; // by record; tensors may share one
};

PickleDocument TorchFile::readPickle() const
{
    if (m_archive.find("constants.pkl") != nullptr || m_archive.hasFolder("code/"))
        throwUnsupported(
            "This file is a TorchScript program (torch.jit.save), not a file of weights.",
            "In Python: torch.save(torch.jit.load(\"program.pt\").state_dict(), \"weights.pt\").");
    const ZipRecord* pickle = m_archive.find("data.pkl");
    if (pickle == nullptr)
        throw PlacedError({ErrorCode::Unreadable,
                           "This zip archive was not written by torch.save: it has no data.pkl.",
                           {},
                           "Use a checkpoint of a run, a file of torch.save, or a safetensors file.",
                           {}});
    if (const ZipRecord* order = m_archive.find("byteorder");
        order != nullptr && m_archive.read(*order) != "little")
        throwUnsupported("This file was saved on a machine with the other byte order (big-endian).",
                         "Save it again on a machine with a usual processor.");
    return PickleDocument(m_archive.read(*pickle));
}

/// The first elements of a record, at least `elements` of them.
torch::Tensor TorchFile::storage(const PickleValue& value, c10::ScalarType type, std::int64_t elements)
{
    auto& storage = m_storages[{value.text, type}];
    const bool isBool = type == c10::kBool; // a bool of 2 is undefined behaviour
    if (!storage.defined()) {
        const ZipRecord* record = m_archive.find("data/" + value.text);
        const auto options = torch::TensorOptions().dtype(isBool ? c10::kByte : type);
        const std::uint64_t size = record != nullptr ? record->size : 0;
        if (size % c10::elementSize(type) != 0)
            throwDamaged("the data of a tensor has a wrong length");
        const auto read = torch::empty({static_cast<std::int64_t>(size / c10::elementSize(type))}, options);
        if (record != nullptr)
            m_archive.read(*record, std::span(static_cast<char*>(read.data_ptr()), size));
        storage = isBool ? read.ne(0) : read;
    }
    if (storage.numel() < elements)
        throwDamaged("the data of a tensor is missing or too short");
    return storage;
}

torch::Tensor TorchFile::tensor(std::size_t index)
{
    const PickleValue& value = *m_values[index];
    const PickleValue& stored = *value.items[0];
    const auto& entry = m_contents.tensors[index];
    const auto type = scalarType(entry.type);
    if (!type)
        throwUnsupported("The tensor " + spelled(entry.name) + " has elements of the type " +
                             spelled(entry.type) + ", which no network here takes.",
                         "Convert it with .float() before saving.");
    const bool untyped = typeOf(*stored.items[0]) == "untyped"; // counted in bytes
    const auto elementBytes = static_cast<std::int64_t>(c10::elementSize(*type));
    const auto elements = untyped ? stored.integer / elementBytes : stored.integer;
    const auto strides = integersOf(*value.items[2]);
    if (!viewFits(elements, value.integer, entry.shape, strides))
        throwDamaged("the tensor " + spelled(entry.name) + " reaches beyond its data");
    return storage(stored, *type, elements).as_strided(entry.shape, strides, value.integer);
}

} // namespace

std::unique_ptr<WeightsSource> openTorchFile(InputFile file)
{
    return std::make_unique<TorchFile>(std::move(file));
}

} // namespace athanor
