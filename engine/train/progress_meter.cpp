#include "engine/train/progress_meter.h"

#include <algorithm>

namespace athanor {
namespace {

double secondsOf(std::chrono::nanoseconds duration)
{
    return std::chrono::duration<double>(duration).count();
}

} // namespace

void ProgressMeter::addStep(const StepCost& cost)
{
    m_recent.push_back(cost);
    m_sum.total += cost.total;
    m_sum.measuring += cost.measuring;
    m_sum.samples += cost.samples;
    while (m_recent.size() > 1 && m_sum.total - m_recent.front().total >= kWindow) {
        m_sum.total -= m_recent.front().total;
        m_sum.measuring -= m_recent.front().measuring;
        m_sum.samples -= m_recent.front().samples;
        m_recent.pop_front();
    }
    ++m_steps;
    addOther(cost.total);
}

void ProgressMeter::addOther(std::chrono::nanoseconds duration)
{
    m_running += duration;
    m_measured += duration;
}

void ProgressMeter::startFrom(double seconds)
{
    m_running = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double>(seconds));
}

double ProgressMeter::seconds() const
{
    return secondsOf(m_running);
}

void ProgressMeter::fill(SessionProgress& progress) const
{
    progress.seconds = seconds();
    const double window = secondsOf(m_sum.total);
    if (m_recent.empty() || window <= 0)
        return;
    progress.samplesPerSecond = static_cast<double>(m_sum.samples) / window;
    progress.stepMilliseconds = 1000 * window / static_cast<double>(m_recent.size());
    progress.overheadShare = secondsOf(m_sum.measuring) / window;
    if (progress.totalSteps <= 0)
        return;
    // Validation and checkpoints take part in the time left in the share they had so far.
    const double perStep = secondsOf(m_measured) / static_cast<double>(m_steps);
    progress.secondsLeft = perStep * static_cast<double>(std::max<std::int64_t>(0, progress.totalSteps - progress.step));
}

} // namespace athanor
