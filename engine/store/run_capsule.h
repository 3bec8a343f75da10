// Any thread, for as long as it takes. A run as one file that can be taken to another machine.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <filesystem>
#include <string>
#include <vector>

namespace athanor {

/// What came out of a capsule, or went into it.
struct CapsuleReport {
    RunId run = 0;                        ///< in the store it was brought into
    std::vector<std::string> checkpoints; ///< names of files
    std::vector<std::string> missing;     ///< checkpoints that the run names, but that are gone
};

/// A capsule is a run store of its own with this one run, bit for bit, and the files of its checkpoints in the table
/// `capsule_file` (name, data): it can be looked at with --store, and with any SQLite tool. Replaces what is at `file`,
/// after all of it is written. Busy when the run still goes on.
Result<CapsuleReport> exportCapsule(const std::filesystem::path& store, RunId run,
                                    const std::filesystem::path& file);

/// Adds the run of a capsule to a store, which is made when there is none, under a new id and its own name; checkpoints go
/// where a run's checkpoints are. The same capsule can be imported several times. Unreadable for what is no capsule.
Result<CapsuleReport> importCapsule(const std::filesystem::path& store, const std::filesystem::path& file);

} // namespace athanor
