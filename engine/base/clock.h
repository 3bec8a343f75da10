// Any thread. Time as a passed-in dependency, so that tests advance it by hand.
#pragma once

#include <chrono>
#include <cstdint>

namespace athanor {

/// Source of time. The system clock is used in the product, a manual one in tests.
class Clock {
public:
    virtual ~Clock() = default;
    /// Monotonic time for intervals.
    [[nodiscard]] virtual std::chrono::nanoseconds now() const = 0;
    /// Wall time, milliseconds since 1970-01-01 UTC.
    [[nodiscard]] virtual std::int64_t wallMilliseconds() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] std::chrono::nanoseconds now() const override
    {
        return std::chrono::steady_clock::now().time_since_epoch();
    }
    [[nodiscard]] std::int64_t wallMilliseconds() const override
    {
        using namespace std::chrono;
        return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    }
};

/// The one system clock, for defaults of constructors; stateless.
inline const Clock& systemClock()
{
    static const SystemClock clock;
    return clock;
}

} // namespace athanor
