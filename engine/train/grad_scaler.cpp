#include "engine/train/grad_scaler.h"

#include "engine/train/kind_params.h"

#include <cmath>

namespace athanor {

GradScaler::GradScaler(const GradScalerSpec& spec)
    : m_spec(spec)
    , m_scale(static_cast<float>(spec.initScale))
{
}

void GradScaler::update(bool overflow)
{
    if (overflow) {
        m_scale *= static_cast<float>(m_spec.backoffFactor);
        m_grown = 0;
        ++m_skipped;
        return;
    }
    if (++m_grown < m_spec.growthInterval)
        return;
    const float grown = m_scale * static_cast<float>(m_spec.growthFactor);
    if (std::isfinite(grown))
        m_scale = grown;
    m_grown = 0;
}

Json GradScaler::state() const
{
    return {{"scale", jsonNumber(scale())}, {"grown", m_grown}, {"skipped", m_skipped}};
}

void GradScaler::restore(const Json& state)
{
    m_scale = static_cast<float>(realParam(state, "scale", scale()));
    m_grown = intParam(state, "grown");
    m_skipped = intParam(state, "skipped");
}

} // namespace athanor
