#include "engine/train/flat_parameters.h"

#include "engine/train/kernels/span_statistics.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

constexpr std::int64_t kAlignment = 16; // floats: 64 bytes, a cache line and the widest vector

std::int64_t alignedSize(std::int64_t size)
{
    return (size + kAlignment - 1) / kAlignment * kAlignment;
}

std::int64_t versionOf(const torch::Tensor& tensor)
{
    return static_cast<std::int64_t>(tensor._version());
}

} // namespace

FlatParameters::FlatParameters(std::vector<NamedParameter> parameters)
{
    std::ranges::stable_sort(parameters, {}, &NamedParameter::group);
    std::int64_t total = 0;
    for (const auto& named : parameters)
        total += alignedSize(named.parameter.numel());
    const auto device = parameters.empty() ? torch::Device(torch::kCPU) : parameters.front().parameter.device();
    const auto options = torch::TensorOptions().dtype(torch::kFloat).device(device);
    m_values = torch::zeros({total}, options);
    m_gradients = torch::zeros({total}, options);

    torch::NoGradGuard noGrad;
    std::int64_t offset = 0;
    for (auto& named : parameters) {
        ParameterSlot slot{named.name, named.parameter, {}, named.group, offset, named.parameter.numel()};
        const auto shape = named.parameter.sizes().vec();
        auto value = m_values.narrow(0, offset, slot.size).view(shape);
        value.copy_(named.parameter);
        slot.parameter.set_data(value);
        // variable_data() shares the memory but counts its own version, which only its own slot's
        // accumulation raises.
        slot.gradient = m_gradients.narrow(0, offset, slot.size).view(shape).variable_data();
        slot.parameter.mutable_grad() = slot.gradient;
        slot.isMatrix = named.isMatrix;
        for (std::int64_t done = 0; done < slot.size; done += kChunk)
            m_chunks.push_back({m_slots.size(), offset + done, std::min(kChunk, slot.size - done)});
        offset += alignedSize(slot.size);
        m_slots.push_back(std::move(slot));
    }
    m_versions.assign(m_slots.size(), 0);
    zeroGradients();
}

void FlatParameters::zeroGradients()
{
    m_gradients.zero_();
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        m_versions[i] = versionOf(m_slots[i].gradient);
}

void FlatParameters::noteGradients()
{
    for (std::size_t i = 0; i < m_slots.size(); ++i)
        m_slots[i].hasGradient = versionOf(m_slots[i].gradient) != m_versions[i];
}

GradientNorms GradientNorms::of(std::vector<double> squares)
{
    GradientNorms norms;
    double sum = 0;
    for (const double square : squares)
        sum += square;
    norms.total = std::sqrt(sum);
    norms.finite = std::isfinite(sum);
    norms.squares = std::move(squares);
    return norms;
}

GradientNorms gradientNorms(const FlatParameters& parameters)
{
    const auto& chunks = parameters.chunks();
    std::vector<double> partial(chunks.size());
    const float* gradients = parameters.gradients().data_ptr<float>();
    at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 4, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i)
            partial[i] = sumOfSquares(gradients + chunks[i].offset, chunks[i].size);
    });
    std::vector<double> squares(parameters.slots().size());
    for (std::size_t i = 0; i < chunks.size(); ++i)
        squares[chunks[i].slot] += partial[i];
    return GradientNorms::of(std::move(squares));
}

torch::Tensor gradientSquares(const FlatParameters& parameters)
{
    std::vector<torch::Tensor> squares;
    for (const auto& slot : parameters.slots())
        squares.push_back(slot.gradient.to(torch::kDouble).square().sum());
    return squares.empty() ? torch::empty({0}, torch::kDouble) : torch::stack(squares);
}

UpdateNorms updateNorms(const FlatParameters& parameters, const torch::Tensor& before)
{
    const auto& chunks = parameters.chunks();
    std::vector<ChangeSquares> partial(chunks.size());
    const float* old = before.data_ptr<float>();
    const float* now = parameters.values().data_ptr<float>();
    at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 4, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i)
            partial[i] = changeSquares(old + chunks[i].offset, now + chunks[i].offset, chunks[i].size);
    });
    UpdateNorms norms;
    norms.change.resize(parameters.slots().size());
    norms.before.resize(parameters.slots().size());
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        norms.change[chunks[i].slot] += partial[i].change;
        norms.before[chunks[i].slot] += partial[i].before;
    }
    return norms;
}

torch::Tensor updateSquares(const FlatParameters& parameters, const torch::Tensor& before)
{
    std::vector<torch::Tensor> squares;
    for (const auto& slot : parameters.slots()) {
        const auto now = parameters.values().narrow(0, slot.offset, slot.size);
        const auto old = before.narrow(0, slot.offset, slot.size);
        squares.push_back(torch::stack(
            {(now - old).to(torch::kDouble).square().sum(), old.to(torch::kDouble).square().sum()}));
    }
    return squares.empty() ? torch::empty({0, 2}, torch::kDouble) : torch::stack(squares);
}

} // namespace athanor
