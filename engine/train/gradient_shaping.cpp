#include "engine/train/gradient_shaping.h"

#include <ATen/CPUGeneratorImpl.h>
#include <torch/torch.h>

#include <cmath>

namespace athanor {
namespace {

/// What clip_grad_norm_ multiplies the gradients with.
double normFactor(double most, double norm)
{
    return most / (norm + 1e-6);
}

std::int64_t entriesOf(const FlatParameters& parameters)
{
    std::int64_t entries = 0;
    for (const auto& slot : parameters.slots())
        entries += slot.size;
    return entries;
}

/// SplitMix64: neighbouring seeds and steps give unrelated numbers.
std::uint64_t mixed(std::uint64_t seed, std::int64_t step)
{
    std::uint64_t z = seed + 0x9E3779B97F4A7C15ULL * (static_cast<std::uint64_t>(step) + 1);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31);
}

} // namespace

GradientShaping::GradientShaping(const TrainSpec& spec, SampleSink& sink)
    : m_sink(sink)
    , m_seed(spec.seed)
    , m_norm(spec.clipGradNorm)
    , m_value(spec.clipGradValue)
    , m_noise(spec.gradNoise)
{
    registerSeries();
}

void GradientShaping::registerSeries()
{
    if (m_norm && !m_normSeries)
        m_normSeries = m_sink.series("clip/norm", SeriesRole::Probe);
    if (m_value && !m_valueSeries)
        m_valueSeries = m_sink.series("clip/value", SeriesRole::Probe);
}

void GradientShaping::setClipping(std::optional<double> norm, std::optional<double> value)
{
    m_norm = norm;
    m_value = value;
    registerSeries();
}

void GradientShaping::clip(FlatParameters& parameters, double norm)
{
    torch::NoGradGuard noGrad;
    const auto& gradients = parameters.gradients();
    if (m_norm && normFactor(*m_norm, norm) < 1)
        gradients.mul_(normFactor(*m_norm, norm));
    if (m_value)
        gradients.clamp_(-*m_value, *m_value);
}

void GradientShaping::apply(FlatParameters& parameters, double norm, std::int64_t step)
{
    torch::NoGradGuard noGrad;
    const auto& gradients = parameters.gradients();
    if (m_norm) {
        const double factor = normFactor(*m_norm, norm);
        if (factor < 1)
            gradients.mul_(factor);
        m_sink.put(*m_normSeries, factor < 1 ? 1 - factor : 0);
    }
    if (m_value) {
        const auto cut = gradients.abs().gt(*m_value).sum().to(torch::kDouble) / static_cast<double>(entriesOf(parameters));
        m_sink.put(std::span<const SeriesIndex>(&*m_valueSeries, 1), cut.view({1}));
        gradients.clamp_(-*m_value, *m_value);
    }
    if (m_noise)
        addNoise(parameters, step);
}

/// With a generator of its own, so that dropout draws the same numbers with and without it.
void GradientShaping::addNoise(FlatParameters& parameters, std::int64_t step) const
{
    const double deviation = std::sqrt(m_noise->eta / std::pow(1.0 + static_cast<double>(step), m_noise->gamma));
    auto generator = at::detail::createCPUGenerator(mixed(m_seed, step));
    for (const auto& slot : parameters.slots())
        if (slot.hasGradient) {
            const auto noise = torch::empty(slot.gradient.sizes(), torch::kFloat).normal_(0, deviation, generator);
            slot.gradient.detach().add_(noise.to(slot.gradient.device()));
        }
}

} // namespace athanor
