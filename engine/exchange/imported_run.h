// Any thread. Inside engine/exchange: what every run needs that comes from elsewhere.
#pragma once

#include "engine/base/clock.h"
#include "engine/store/run_store.h"

namespace athanor {

/// Says the time of what is imported, not of now.
class ImportClock final : public Clock {
public:
    /// Since 1970-01-01 UTC; 0: unknown, so that it is now.
    explicit ImportClock(std::int64_t milliseconds) : m_milliseconds(milliseconds) {}
    [[nodiscard]] std::chrono::nanoseconds now() const override { return systemClock().now(); }
    [[nodiscard]] std::int64_t wallMilliseconds() const override
    {
        return m_milliseconds > 0 ? m_milliseconds : systemClock().wallMilliseconds();
    }

private:
    std::int64_t m_milliseconds;
};

/// In the order of their steps; points of equal steps stay in their order.
void sortByStep(SeriesPoints& points);

} // namespace athanor
