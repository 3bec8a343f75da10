#include "engine/train/weight_average.h"

#include "engine/train/run_parts.h"

#include <torch/torch.h>

namespace athanor {
namespace {

std::string everyOf(const AveragingSpec& spec)
{
    if (!spec.every.empty())
        return spec.every;
    return spec.kind == AveragingKind::Ema ? "1" : "epoch";
}

} // namespace

WeightAverage::WeightAverage(const AveragingSpec& spec, FlatParameters& parameters, CompiledNetwork& network)
    : m_spec(spec)
    , m_every(everyOf(spec))
    , m_parameters(parameters)
    , m_network(network)
    , m_values(torch::zeros_like(parameters.values()))
{
    if (!spec.useBuffers)
        return;
    for (const auto& named : network.module().named_buffers())
        if (named.value().defined() && named.value().is_floating_point()) {
            m_averagedBuffers.push_back(named.value());
            m_bufferAverages.push_back(torch::zeros_like(named.value()));
        }
}

std::string WeightAverage::name() const
{
    return m_spec.kind == AveragingKind::Ema ? "ema" : "swa";
}

void WeightAverage::stepDone(std::int64_t step)
{
    if (step > m_spec.start && m_every.dueAtStep(step))
        update();
}

void WeightAverage::epochDone(std::int64_t step)
{
    if (step > m_spec.start && m_every.dueAtEpoch())
        update();
}

void WeightAverage::update()
{
    torch::NoGradGuard noGrad;
    blend(m_values, m_parameters.values());
    for (std::size_t i = 0; i < m_averagedBuffers.size(); ++i)
        blend(m_bufferAverages[i], m_averagedBuffers[i]);
    ++m_count;
}

void WeightAverage::blend(torch::Tensor& average, const torch::Tensor& newest) const
{
    if (m_count == 0)
        average.copy_(newest);
    else if (m_spec.kind == AveragingKind::Ema)
        average.lerp_(newest, 1 - m_spec.decay);
    else
        average.add_((newest - average) / static_cast<double>(m_count + 1));
}

void WeightAverage::exchange()
{
    torch::NoGradGuard noGrad;
    const auto swap = [](torch::Tensor& a, const torch::Tensor& b) {
        const auto kept = b.clone();
        b.copy_(a);
        a.copy_(kept);
    };
    swap(m_values, m_parameters.values());
    for (std::size_t i = 0; i < m_averagedBuffers.size(); ++i)
        swap(m_bufferAverages[i], m_averagedBuffers[i]);
}

WeightAverage::InUse::InUse(WeightAverage& average)
    : m_average(average)
{
    m_average.exchange();
}

WeightAverage::InUse::~InUse()
{
    m_average.exchange();
}

std::map<std::string, torch::Tensor> WeightAverage::state()
{
    std::map<std::string, torch::Tensor> copies;
    if (!started())
        return copies;
    const InUse average(*this);
    for (const auto& [name, tensor] : stateOf(m_network.module()))
        copies[name] = tensor.clone();
    return copies;
}

Status WeightAverage::restore(const std::map<std::string, torch::Tensor>& state, std::int64_t count)
{
    m_count = count;
    if (count == 0)
        return Done{};
    // Through the network, so that one function knows how a state is laid out; its own weights come back afterwards.
    std::map<std::string, torch::Tensor> own;
    for (const auto& [name, tensor] : stateOf(m_network.module()))
        own[name] = tensor.clone();
    const auto transfer = copyState(state, m_network.module());
    torch::NoGradGuard noGrad;
    m_values.copy_(m_parameters.values());
    for (std::size_t i = 0; i < m_averagedBuffers.size(); ++i)
        m_bufferAverages[i].copy_(m_averagedBuffers[i]);
    copyState(own, m_network.module());
    if (transfer.missing.empty() && transfer.unfit.empty())
        return Done{};
    return Error{ErrorCode::NotFound, "The checkpoint has no averaged weights that fit.",
                 transfer.missing.empty() ? transfer.unfit.front() : transfer.missing.front(),
                 "Leave averaging out, or start a new run."};
}

} // namespace athanor
