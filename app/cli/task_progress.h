// Main thread. The progress of one piece of work on stderr: a bar on a terminal, plain lines otherwise.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace athanor::cli {

class TaskProgress {
public:
    /// `doing` is said before the bar: "Reading samples".
    explicit TaskProgress(std::string doing);
    ~TaskProgress(); ///< takes the bar away
    TaskProgress(const TaskProgress&) = delete;
    TaskProgress& operator=(const TaskProgress&) = delete;

    /// Redraws the bar, or prints a line every 5 seconds off a terminal. `secondsLeft` −1: not known.
    void update(std::int64_t done, std::int64_t all, double secondsLeft);

private:
    std::string m_doing;
    bool m_terminal;
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_start;
    std::chrono::steady_clock::time_point m_lastLine;
};

} // namespace athanor::cli
