// GUI thread. The one timer that refreshes all plots, within a budget.
#pragma once

#include "engine/base/clock.h"

#include <QObject>
#include <QTimer>

#include <chrono>
#include <vector>

namespace athanor {

/// Something that is drawn from data which changes by itself.
class RefreshTarget {
public:
    virtual ~RefreshTarget() = default;
    /// On screen and not up to date; must be cheap, it is asked on every tick.
    [[nodiscard]] virtual bool wantsRefresh() const = 0;
    virtual void refresh() = 0;
    /// What painting after the last refresh cost; counted against the budget of the next one.
    [[nodiscard]] virtual std::chrono::nanoseconds paintCost() const = 0;
};

/// Ticks every 33 ms. Each tick refreshes targets in turn, as many as fit into 12 ms by what they cost last
/// time (always one), and goes on with the next one on the following tick. Two ticks in a row that took longer
/// all the same halve the rate; a second of ticks within the budget doubles it again.
class PlotClock : public QObject {
    Q_OBJECT
public:
    static constexpr std::chrono::milliseconds kInterval{33};
    static constexpr std::chrono::milliseconds kSlowestInterval{33 * 8};
    static constexpr std::chrono::milliseconds kBudget{12};
    static constexpr int kQuietTicks = 30;

    /// `clock` measures; it outlives this object.
    explicit PlotClock(const Clock& clock, QObject* parent = nullptr);

    void add(RefreshTarget* target); ///< borrowed until remove()
    void remove(RefreshTarget* target);
    void start();
    void stop();
    void tick(); ///< what the timer does; tests call it by hand
    [[nodiscard]] std::chrono::milliseconds interval() const { return m_interval; }

private:
    struct Entry {
        RefreshTarget* target;
        std::chrono::nanoseconds lastCost;
    };
    void adaptRate(std::chrono::nanoseconds used);

    const Clock& m_clock;
    QTimer m_timer;
    std::chrono::milliseconds m_interval = kInterval;
    std::vector<Entry> m_entries;
    std::size_t m_next = 0;
    int m_overruns = 0;
    int m_quietTicks = 0;
};

} // namespace athanor
