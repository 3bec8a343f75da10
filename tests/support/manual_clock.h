// Any thread. A clock that goes only when a test says so.
#pragma once

#include "engine/base/clock.h"

#include <atomic>

namespace athanor {

class ManualClock final : public Clock {
public:
    explicit ManualClock(std::int64_t wallMs = 1'700'000'000'000) : m_startMs(wallMs) {}

    void advance(std::chrono::nanoseconds by) { m_now += by.count(); }
    [[nodiscard]] std::chrono::nanoseconds now() const override { return std::chrono::nanoseconds(m_now.load()); }
    [[nodiscard]] std::int64_t wallMilliseconds() const override { return m_startMs + m_now.load() / 1'000'000; }

private:
    const std::int64_t m_startMs;
    std::atomic<std::int64_t> m_now{0};
};

} // namespace athanor
