#include "ui/plot/plot_clock.h"

#include <algorithm>

namespace athanor {

PlotClock::PlotClock(const Clock& clock, QObject* parent) : QObject(parent), m_clock(clock)
{
    m_timer.setTimerType(Qt::CoarseTimer);
    m_timer.setInterval(m_interval);
    connect(&m_timer, &QTimer::timeout, this, &PlotClock::tick);
}

void PlotClock::add(RefreshTarget* target)
{
    m_entries.push_back({target, {}});
}

void PlotClock::remove(RefreshTarget* target)
{
    std::erase_if(m_entries, [&](const Entry& entry) { return entry.target == target; });
}

void PlotClock::start()
{
    m_timer.start();
}

void PlotClock::stop()
{
    m_timer.stop();
}

void PlotClock::tick()
{
    std::chrono::nanoseconds used{0};
    for (std::size_t left = m_entries.size(); left > 0 && !m_entries.empty(); --left) {
        m_next %= m_entries.size();
        RefreshTarget* const target = m_entries[m_next].target;
        if (!target->wantsRefresh()) {
            ++m_next;
            continue;
        }
        if (used > used.zero() && used + m_entries[m_next].lastCost > kBudget)
            break; // its turn comes first on the next tick
        const auto begin = m_clock.now();
        target->refresh();
        const auto cost = m_clock.now() - begin + target->paintCost();
        used += cost;
        if (m_next < m_entries.size() && m_entries[m_next].target == target)
            m_entries[m_next++].lastCost = cost;
    }
    adaptRate(used);
}

void PlotClock::adaptRate(std::chrono::nanoseconds used)
{
    if (used > kBudget) {
        m_quietTicks = 0;
        if (++m_overruns >= 2 && m_interval < kSlowestInterval) {
            m_interval *= 2;
            m_overruns = 0;
        }
    } else {
        m_overruns = 0;
        if (m_interval > kInterval && ++m_quietTicks >= kQuietTicks) {
            m_interval /= 2;
            m_quietTicks = 0;
        }
    }
    if (m_timer.intervalAsDuration() != m_interval)
        m_timer.setInterval(m_interval);
}

} // namespace athanor
