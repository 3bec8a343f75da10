#include "engine/train/weights/weights_writer.h"

#include "engine/base/json.h"
#include "engine/script/torch_errors.h"
#include "engine/train/weights/tensor_types.h"
#include "engine/train/weights/weights_source.h"

#include <caffe2/serialize/inline_container.h>
#include <torch/torch.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace athanor {
namespace {

using State = std::map<std::string, torch::Tensor>;

const TensorType& typeOf(const std::string& name, const torch::Tensor& tensor)
{
    const TensorType* type = typeByName(typeName(tensor.scalar_type()));
    if (type == nullptr)
        throw PlacedError({ErrorCode::Unsupported,
                           "The tensor " + name + " has a type that such files do not have.",
                           name,
                           {},
                           {}});
    return *type;
}

template <typename T>
void appendNumber(std::string& bytes,
                  T number) // little endian, as this machine is (weights_source's readers)
{
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// The pickle of an OrderedDict of tensors, protocol 2, as torch.save writes it but for its memo.
class StatePickle {
public:
    StatePickle() { m_bytes = "\x80\x02" + std::string(kOrderedDict) + ")R("; }
    void add(const std::string& name, const torch::Tensor& tensor, const TensorType& type,
             const std::string& key)
    {
        text(name);
        m_bytes.append("ctorch._utils\n_rebuild_tensor_v2\n((");
        text("storage");
        m_bytes.append("ctorch\n").append(type.storage).append("\n");
        text(key);
        text("cpu");
        number(tensor.numel());
        m_bytes.append("tQ");
        number(0);
        tuple(tensor.sizes());
        tuple(tensor.strides());
        m_bytes.append("\x89").append(kOrderedDict).append(")RtR"); // no gradient, no hooks
    }
    std::string finish() { return m_bytes + "u."; }

private:
    static constexpr const char* kOrderedDict = "ccollections\nOrderedDict\n";

    void text(const std::string& content)
    {
        m_bytes.append("X");
        appendNumber(m_bytes, static_cast<std::uint32_t>(content.size()));
        m_bytes.append(content);
    }
    void number(std::int64_t value)
    {
        if (value <= std::numeric_limits<std::int32_t>::max()) {
            m_bytes.append("J");
            appendNumber(m_bytes, static_cast<std::int32_t>(value));
        } else {
            m_bytes.append("\x8a\x08"); // eight bytes
            appendNumber(m_bytes, value);
        }
    }
    void tuple(c10::IntArrayRef values)
    {
        m_bytes.append("(");
        for (const auto value : values)
            number(value);
        m_bytes.append("t");
    }

    std::string m_bytes;
};

/// What makes two tensors one.
using Identity =
    std::tuple<const void*, std::vector<std::int64_t>, std::vector<std::int64_t>, c10::ScalarType>;

Identity identityOf(const torch::Tensor& tensor)
{
    return {tensor.data_ptr(), tensor.sizes().vec(), tensor.strides().vec(), tensor.scalar_type()};
}

} // namespace

std::string stateDictBytes(const State& state)
{
    StatePickle pickle;
    std::map<Identity, std::string> keys;
    std::vector<torch::Tensor> stored;
    for (const auto& [name, tensor] : state) {
        const auto [key, isNew] = keys.try_emplace(identityOf(tensor), std::to_string(stored.size()));
        const auto plain = tensor.detach().cpu().contiguous();
        if (isNew)
            stored.push_back(plain);
        pickle.add(name, plain, typeOf(name, plain), key->second);
    }
    std::string bytes;
    caffe2::serialize::PyTorchStreamWriter archive([&bytes](const void* data, std::size_t size) {
        bytes.append(static_cast<const char*>(data), size);
        return size;
    });
    const std::string list = pickle.finish();
    archive.writeRecord("data.pkl", list.data(), list.size());
    archive.writeRecord("byteorder", "little", 6);
    for (std::size_t i = 0; i < stored.size(); ++i)
        archive.writeRecord("data/" + std::to_string(i), stored[i].data_ptr(), stored[i].nbytes());
    archive.writeEndOfFile();
    return bytes;
}

std::string safetensorsBytes(const State& state)
{
    std::vector<std::pair<std::string, torch::Tensor>> tensors;
    for (const auto& [name, tensor] : state)
        tensors.emplace_back(name, tensor.detach().cpu().contiguous());
    // The largest elements first, so that each tensor begins where its elements may.
    std::ranges::stable_sort(tensors, std::greater{},
                             [](const auto& entry) { return entry.second.element_size(); });
    Json header = {{"__metadata__", {{"format", "pt"}}}};
    std::size_t end = 0;
    for (const auto& [name, tensor] : tensors) {
        const std::size_t begin = std::exchange(end, end + tensor.nbytes());
        header[name] = {{"dtype", typeOf(name, tensor).safetensors},
                        {"shape", tensor.sizes().vec()},
                        {"data_offsets", {begin, end}}};
    }
    std::string text = header.dump();
    constexpr std::size_t kAlignment = 8;
    text.append((kAlignment - text.size() % kAlignment) % kAlignment, ' ');
    std::string bytes;
    bytes.reserve(sizeof(std::uint64_t) + text.size() + end);
    appendNumber(bytes, static_cast<std::uint64_t>(text.size()));
    bytes.append(text);
    for (const auto& [name, tensor] : tensors)
        bytes.append(static_cast<const char*>(tensor.data_ptr()), tensor.nbytes());
    return bytes;
}

} // namespace athanor
