#include "engine/train/optimizers/line_search.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace athanor {
namespace {

constexpr float kArmijo = 1e-4F;
constexpr float kCurvature = 0.9F;
constexpr float kLeastChange = 1e-9F;
constexpr int kMostEvaluations = 25;

/// Minimum of the cubic through two points with their slopes, within bounds.
float cubicMinimum(const LinePoint& a, const LinePoint& b, float low, float high)
{
    const auto steepness = static_cast<float>(3 * (a.loss - b.loss) / static_cast<double>(a.length - b.length));
    const float d1 = a.slope + b.slope - steepness;
    const float square = d1 * d1 - a.slope * b.slope;
    if (!(square >= 0))
        return (low + high) / 2;
    const float d2 = std::sqrt(square);
    const float place =
        a.length <= b.length
            ? b.length - (b.length - a.length) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
            : a.length - (a.length - b.length) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2));
    return std::min(std::max(place, low), high);
}

class LineSearch {
public:
    LineSearch(const LinePoint& start, float longest, const std::function<LinePoint(float)>& at)
        : m_start(start)
        , m_longest(longest)
        , m_at(at)
    {
    }

    LinePoint run(float firstLength)
    {
        bracket(firstLength);
        if (!m_done)
            zoom();
        return m_low;
    }

private:
    [[nodiscard]] bool isTooHigh(const LinePoint& point) const
    {
        return static_cast<float>(point.loss) >
               static_cast<float>(m_start.loss) + kArmijo * point.length * m_start.slope;
    }
    [[nodiscard]] bool isFlat(const LinePoint& point) const
    {
        return std::abs(point.slope) <= -kCurvature * m_start.slope;
    }

    void keep(const LinePoint& first, const LinePoint& second)
    {
        m_firstIsLow = first.loss <= second.loss;
        m_low = m_firstIsLow ? first : second;
        m_high = m_firstIsLow ? second : first;
    }

    /// Goes on until an interval must hold such a length, or one is found.
    void bracket(float firstLength)
    {
        LinePoint before = m_start;
        LinePoint now = m_at(firstLength);
        for (; m_evaluations < kMostEvaluations; ++m_evaluations) {
            if (isTooHigh(now) || (m_evaluations > 1 && now.loss >= before.loss))
                return keep(before, now);
            if (isFlat(now)) {
                m_low = now;
                m_done = true;
                return;
            }
            if (now.slope >= 0)
                return keep(before, now);
            const float least = now.length + 0.01F * (now.length - before.length);
            const float next = cubicMinimum(before, now, least, now.length * 10);
            before = std::exchange(now, m_at(next));
        }
        keep(m_start, now);
    }

    /// A trial at the end of the interval does not make it smaller; it is moved inwards then.
    float trial()
    {
        const float low = std::min(m_low.length, m_high.length);
        const float high = std::max(m_low.length, m_high.length);
        const LinePoint& first = m_firstIsLow ? m_low : m_high;
        const LinePoint& second = m_firstIsLow ? m_high : m_low;
        float length = cubicMinimum(first, second, low, high);
        const float margin = 0.1F * (high - low);
        if (std::min(high - length, length - low) >= margin) {
            m_stuck = false;
        } else if (m_stuck || length >= high || length <= low) {
            length = std::abs(length - high) < std::abs(length - low) ? high - margin : low + margin;
            m_stuck = false;
        } else {
            m_stuck = true;
        }
        return length;
    }

    void zoom()
    {
        while (!m_done && m_evaluations < kMostEvaluations &&
               std::abs(m_high.length - m_low.length) * m_longest >= kLeastChange) {
            const LinePoint now = m_at(trial());
            ++m_evaluations;
            if (isTooHigh(now) || now.loss >= m_low.loss) {
                m_high = now;
                if (m_firstIsLow ? !(m_low.loss <= m_high.loss) : m_high.loss <= m_low.loss) {
                    std::swap(m_low, m_high);
                    m_firstIsLow = !m_firstIsLow;
                }
                continue;
            }
            if (isFlat(now))
                m_done = true;
            else if (now.slope * (m_high.length - m_low.length) >= 0)
                m_high = m_low;
            m_low = now;
        }
    }

    const LinePoint& m_start;
    float m_longest;
    const std::function<LinePoint(float)>& m_at;
    LinePoint m_low;  // the better end of the interval
    LinePoint m_high;
    bool m_firstIsLow = true; // which end is which in PyTorch's bracket: ties go to the first
    int m_evaluations = 0;    // after the first
    bool m_done = false;
    bool m_stuck = false;
};

} // namespace

LinePoint searchLine(const LinePoint& start, float firstLength, float longest,
                     const std::function<LinePoint(float length)>& at)
{
    return LineSearch(start, longest, at).run(firstLength);
}

} // namespace athanor
