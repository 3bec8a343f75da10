// Main thread. The progress of a run on stderr: a bar that is redrawn on a terminal, plain lines otherwise.
#pragma once

#include "engine/train/session.h"

#include <chrono>

namespace athanor::cli {

class ProgressLine {
public:
    ProgressLine();
    /// Redraws the bar (10 times a second is enough), or prints a line every 10 seconds off a terminal.
    void update(const SessionProgress& progress);
    /// Takes the bar away so that a line can be printed; the next update draws it again.
    void clear();
    [[nodiscard]] bool isTerminal() const { return m_terminal; }

private:
    bool m_terminal;
    bool m_drawn = false;
    std::chrono::steady_clock::time_point m_lastLine;
};

} // namespace athanor::cli
