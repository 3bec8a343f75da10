#include "app/cli/task_progress.h"

#include "app/cli/output.h"

#include <spdlog/fmt/fmt.h>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace athanor::cli {
namespace {

constexpr std::chrono::seconds kPlainLineEvery{5};
constexpr int kBarWidth = 30;

} // namespace

TaskProgress::TaskProgress(std::string doing)
    : m_doing(std::move(doing)), m_terminal(isatty(STDERR_FILENO) != 0),
      m_start(std::chrono::steady_clock::now()), m_lastLine(m_start)
{}

TaskProgress::~TaskProgress()
{
    if (m_drawn)
        std::fprintf(stderr, "\r\033[K");
}

void TaskProgress::update(std::int64_t done, std::int64_t all, double secondsLeft)
{
    if (all <= 0)
        return;
    const auto now = std::chrono::steady_clock::now();
    const double spent = std::chrono::duration<double>(now - m_start).count();
    std::string facts = fmt::format("{}/{}", done, all);
    if (spent > 0 && done > 0)
        facts += fmt::format("  {:.0f}/s", static_cast<double>(done) / spent);
    if (secondsLeft >= 0)
        facts += "  left " + durationText(secondsLeft);
    if (!m_terminal) {
        if (now - m_lastLine >= kPlainLineEvery) {
            m_lastLine = now;
            std::fprintf(stderr, "%s %s\n", m_doing.c_str(), facts.c_str());
        }
        return;
    }
    const double share = static_cast<double>(done) / static_cast<double>(all);
    const int filled = std::clamp(static_cast<int>(std::lround(share * kBarWidth)), 0, kBarWidth);
    std::fprintf(stderr, "\r\033[K%s",
                 fmt::format("{} [{:#<{}}{:.<{}}] {:3.0f}%  {}", m_doing, "", filled, "", kBarWidth - filled,
                             share * 100, facts)
                     .c_str());
    std::fflush(stderr);
    m_drawn = true;
}

} // namespace athanor::cli
