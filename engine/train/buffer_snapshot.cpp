#include "engine/train/buffer_snapshot.h"

#include <torch/torch.h>

#include <map>

namespace athanor {

BufferSnapshot::BufferSnapshot(torch::nn::Module& module)
{
    torch::NoGradGuard noGrad;
    std::map<c10::ScalarType, std::vector<torch::Tensor>> byType;
    for (auto& named : module.named_buffers())
        if (named.value().defined() && named.value().numel() > 0)
            byType[named.value().scalar_type()].push_back(named.value());
    for (auto& [type, buffers] : byType) {
        std::vector<torch::Tensor> parts;
        for (const auto& buffer : buffers)
            parts.push_back(buffer.flatten());
        Flat flat{torch::cat(parts), {}};
        flat.kept = flat.values.clone();
        std::int64_t offset = 0;
        for (auto& buffer : buffers) {
            buffer.set_data(flat.values.narrow(0, offset, buffer.numel()).view(buffer.sizes()));
            offset += buffer.numel();
        }
        m_flats.push_back(std::move(flat));
    }
}

void BufferSnapshot::take()
{
    torch::NoGradGuard noGrad;
    for (auto& flat : m_flats)
        flat.kept.copy_(flat.values);
}

void BufferSnapshot::restore()
{
    torch::NoGradGuard noGrad;
    for (auto& flat : m_flats)
        flat.values.copy_(flat.kept);
}

} // namespace athanor
