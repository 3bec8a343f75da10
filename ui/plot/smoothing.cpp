#include "ui/plot/smoothing.h"

#include <cmath>
#include <limits>

namespace athanor {

double StepAverage::add(std::int64_t step, double mean)
{
    if (!std::isfinite(mean))
        return value();
    const double gap = m_weight > 0 ? static_cast<double>(step - m_lastStep) : m_firstGap;
    const double share = -std::expm1(-gap / m_span); // 1 − b^gap, exact for small gaps too
    m_weightedSum += share * (mean - m_weightedSum);
    m_weight += share * (1 - m_weight);
    m_lastStep = step;
    return value();
}

double StepAverage::value() const
{
    return m_weight > 0 ? m_weightedSum / m_weight : std::numeric_limits<double>::quiet_NaN();
}

} // namespace athanor
