#include "engine/train/monitor.h"

#include "engine/train/kind_params.h"

#include <cmath>

namespace athanor {

Monitor::Monitor(std::string series, MonitorMode mode, double minDelta)
    : m_series(std::move(series))
    , m_mode(mode)
    , m_minDelta(minDelta)
{
}

bool Monitor::add(double value)
{
    const double gain = m_mode == MonitorMode::Min ? m_best - value : value - m_best;
    const bool better = !std::isnan(value) && (std::isnan(m_best) || gain > m_minDelta);
    if (better)
        m_best = value;
    m_sinceBest = better ? 0 : m_sinceBest + 1;
    return better;
}

Json Monitor::state() const
{
    return {{"best", jsonNumber(m_best)}, {"since_best", m_sinceBest}};
}

void Monitor::restore(const Json& state)
{
    m_best = realParam(state, "best", std::numeric_limits<double>::quiet_NaN());
    m_sinceBest = static_cast<int>(intParam(state, "since_best"));
}

} // namespace athanor
