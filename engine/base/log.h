// Any thread. The log: the only singleton. Two levels are shown to people: key events (info and above)
// and detail (debug).
#pragma once

#include <spdlog/spdlog.h>

#include <cstdint>
#include <functional>
#include <string>

namespace athanor {

struct LogLine {
    std::int64_t wallMilliseconds = 0; ///< since 1970-01-01 UTC
    spdlog::level::level_enum level = spdlog::level::info;
    std::string text;
};

/// Receives every line, also the detail; called on the thread that logs, must not block or log itself.
using LogSink = std::function<void(const LogLine&)>;

/// Sets up the log once: lines at `terminalLevel` and above go to stderr, all lines to `file` (none when
/// empty; the file rolls over at 5 MB, two are kept).
void startLog(spdlog::level::level_enum terminalLevel, const std::string& file = {});

/// Adds a listener (the window's log view, a test) and returns its number for removeLogSink.
int addLogSink(LogSink sink);
void removeLogSink(int id);

} // namespace athanor
