// Any thread. Tells whether the process that wrote a run is still there, also when its id was given away again.
#pragma once

#include <cstdint>
#include <string>

namespace athanor {

/// A process, told apart from all others that ever had its id on this machine.
struct ProcessIdentity {
    std::string machine;            ///< boot and process-id space: ids mean something only within one
    std::int64_t pid = 0;
    std::int64_t startTicks = 0;    ///< field 22 of /proc/<pid>/stat: clock ticks between boot and its start

    static ProcessIdentity current();
};

enum class Liveness { Alive, Gone, Unknown }; ///< Unknown: on another machine, or before a reboot of this one

Liveness liveness(const ProcessIdentity& process);

} // namespace athanor
