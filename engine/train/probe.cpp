#include "engine/train/probe.h"

#include <utility>

namespace athanor {

ProbeSet::ProbeSet(std::vector<std::unique_ptr<Probe>> probes, SampleSink& sink)
    : m_probes(std::move(probes))
    , m_sink(sink)
{
}

void ProbeSet::prepare(const ProbeSetup& setup)
{
    for (const auto& probe : m_probes)
        probe->prepare(setup);
}

template <typename Call>
void ProbeSet::each(Call call)
{
    const auto start = std::chrono::steady_clock::now();
    for (const auto& probe : m_probes)
        call(*probe);
    m_duration += std::chrono::steady_clock::now() - start;
}

void ProbeSet::afterNode(std::size_t node, const torch::Tensor& output)
{
    each([&](Probe& probe) { probe.afterNode(node, output, m_sink); });
}

void ProbeSet::afterBackward(const GradientNorms& norms)
{
    each([&](Probe& probe) { probe.afterBackward(norms, m_sink); });
}

void ProbeSet::beforeUpdate()
{
    each([](Probe& probe) { probe.beforeUpdate(); });
}

void ProbeSet::afterUpdate()
{
    each([&](Probe& probe) { probe.afterUpdate(m_sink); });
}

std::chrono::nanoseconds ProbeSet::takeDuration()
{
    return std::exchange(m_duration, std::chrono::nanoseconds{0});
}

} // namespace athanor
