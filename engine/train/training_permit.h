// Any thread. Who may train: one at a time in a process.
#pragma once

#include <atomic>

namespace athanor {

/// The default generator is shared by the process, so a second run beside the first would not be reproducible.
class TrainingPermit {
public:
    TrainingPermit()
        : m_granted(!s_taken.exchange(true))
    {
    }
    ~TrainingPermit()
    {
        if (m_granted)
            s_taken = false;
    }
    TrainingPermit(const TrainingPermit&) = delete;
    TrainingPermit& operator=(const TrainingPermit&) = delete;
    [[nodiscard]] bool granted() const { return m_granted; }

private:
    static inline std::atomic<bool> s_taken{false};
    bool m_granted;
};

} // namespace athanor
