#include "engine/store/process_identity.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <system_error>

namespace athanor {
namespace {

// Containers share the boot id with their host but not its process ids, hence the namespace.
std::string machineName()
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code ignored;
    const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
    return boot + "/" + space.string();
}

// Nothing when there is no such process.
std::optional<std::int64_t> startTicksOf(std::int64_t pid)
{
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string line;
    if (!std::getline(file, line))
        return std::nullopt;
    // Field 2, the command's name, may hold anything, so counting begins behind its closing bracket.
    const auto bracket = line.rfind(')');
    if (bracket == std::string::npos)
        return std::nullopt;
    std::istringstream fields(line.substr(bracket + 1));
    std::string state;
    fields >> state;
    // A zombie has ended; only its parent has not asked for its status yet.
    if (state == "Z" || state == "X")
        return std::nullopt;
    std::string field;
    for (int number = 4; number <= 22; ++number)
        fields >> field;
    std::int64_t ticks = 0;
    return std::istringstream(field) >> ticks ? std::optional(ticks) : std::nullopt;
}

} // namespace

ProcessIdentity ProcessIdentity::current()
{
    const std::int64_t pid = getpid();
    return {machineName(), pid, startTicksOf(pid).value_or(0)};
}

Liveness liveness(const ProcessIdentity& process)
{
    static const std::string here = machineName();
    if (process.machine != here)
        return Liveness::Unknown;
    const auto ticks = startTicksOf(process.pid);
    return ticks && *ticks == process.startTicks ? Liveness::Alive : Liveness::Gone;
}

} // namespace athanor
