// Any thread. How often something happens in a run.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>

namespace athanor {

/// "epoch", or a number of steps, as project files write it.
struct Interval {
    std::int64_t steps = 0; ///< 0: at the end of each epoch
    explicit Interval(const std::string& text)
    {
        std::from_chars(text.data(), text.data() + text.size(), steps); // "epoch" leaves 0
    }
    [[nodiscard]] bool dueAtStep(std::int64_t step) const { return steps > 0 && step % steps == 0; }
    [[nodiscard]] bool dueAtEpoch() const { return steps == 0; }
};

} // namespace athanor
