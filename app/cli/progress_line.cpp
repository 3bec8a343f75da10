#include "app/cli/progress_line.h"

#include "app/cli/output.h"

#include <spdlog/fmt/fmt.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>

namespace athanor::cli {
namespace {

constexpr std::chrono::seconds kPlainLineEvery{10};

int terminalColumns()
{
    winsize size{};
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

std::string facts(const SessionProgress& p)
{
    std::string text = fmt::format("step {}", p.step);
    if (p.totalSteps > 0)
        text += fmt::format("/{}", p.totalSteps);
    if (p.epochs > 0)
        text += fmt::format("  epoch {}/{}", std::min(p.epochs, static_cast<std::int64_t>(p.epoch) + 1), p.epochs);
    text += fmt::format("  loss {}", numberText(p.loss));
    if (p.samplesPerSecond > 0)
        text += fmt::format("  {:.0f} samples/s", p.samplesPerSecond);
    if (p.secondsLeft >= 0)
        text += fmt::format("  left {}", durationText(p.secondsLeft));
    return text;
}

} // namespace

ProgressLine::ProgressLine() : m_terminal(isatty(STDERR_FILENO)), m_lastLine(std::chrono::steady_clock::now()) {}

void ProgressLine::update(const SessionProgress& progress)
{
    if (!m_terminal) {
        const auto now = std::chrono::steady_clock::now();
        if (now - m_lastLine >= kPlainLineEvery && progress.step > 0) {
            m_lastLine = now;
            std::fprintf(stderr, "%s\n", facts(progress).c_str());
        }
        return;
    }
    const double share = progress.totalSteps > 0 ? static_cast<double>(progress.step) / static_cast<double>(progress.totalSteps) : 0;
    const int width = terminalColumns();
    std::string line = facts(progress);
    const int barWidth = std::min(30, width - static_cast<int>(line.size()) - 9);
    if (barWidth >= 5) {
        const int filled = std::clamp(static_cast<int>(std::lround(share * barWidth)), 0, barWidth);
        line = fmt::format("[{:#<{}}{:.<{}}] {:3.0f}%  {}", "", filled, "", barWidth - filled, share * 100, line);
    }
    line.resize(std::min<std::size_t>(line.size(), static_cast<std::size_t>(std::max(1, width - 1))));
    std::fprintf(stderr, "\r\033[K%s", line.c_str());
    std::fflush(stderr);
    m_drawn = true;
}

void ProgressLine::clear()
{
    if (m_drawn)
        std::fprintf(stderr, "\r\033[K");
    m_drawn = false;
}

} // namespace athanor::cli
