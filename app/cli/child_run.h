// Main thread. `athanor-cli train` as a child process.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace athanor::cli {

/// How a child ended.
struct ChildEnd {
    int status = 0; ///< exit status, or 128 + the signal that ended it
    Json result;    ///< its document; null when it left none
    std::string complaint; ///< last line that it wrote to stderr
};

/// Ends with its parent, however that ends; a Ctrl+C on the terminal reaches the parent only.
class ChildRun {
public:
    /// Runs this program with these arguments.
    static Result<ChildRun> start(const std::vector<std::string>& arguments);
    ChildRun(ChildRun&& other) noexcept;
    ChildRun& operator=(ChildRun&& other) noexcept;
    ~ChildRun(); ///< ends it if it still runs

    /// nullopt while it runs.
    std::optional<ChildEnd> poll();
    /// Asks it to stop after its step, so that its run is stored whole.
    void interrupt() const;

private:
    ChildRun(pid_t pid, std::filesystem::path folder) : m_pid(pid), m_folder(std::move(folder)) {}
    pid_t m_pid = -1;
    std::filesystem::path m_folder; // of its output; deleted with this
};

} // namespace athanor::cli
