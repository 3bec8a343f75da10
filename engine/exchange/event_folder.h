// Any thread, for as long as it takes. A folder of event files as runs of a store, and runs as such a folder.
#pragma once

#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace athanor {

struct ExchangeProgress {
    std::function<void(std::size_t done, std::size_t all)> tell = {};
    std::function<bool()> cancelled = {};
};

struct ImportReport {
    std::vector<RunId> runs;
    std::int64_t points = 0;
    std::map<std::string, std::int64_t> leftOut; ///< values that are kept nowhere, by kind
    std::vector<std::string> problems;           ///< damage in the files
};

/// Whether a file is called as event files are ("…tfevents…").
bool isEventFileName(const std::filesystem::path& file);
/// Folders at or below `folder` that hold event files: each is a run, as in TensorBoard. Sorted.
std::vector<std::filesystem::path> eventFolders(const std::filesystem::path& folder);

/// Every run of a folder (or the one of a single event file) into the store, finished, with the times of its events.
/// Values come in exactly; where steps go back (a training that was restarted), points of both are kept, by step.
/// NotFound when there is no event file. After Cancelled the runs that were done are there.
Result<ImportReport> importEventFolder(const std::filesystem::path& store,
                                       const std::filesystem::path& folder,
                                       const ExchangeProgress& progress = {});

/// Writes `folder`/<name of the run>/events.out.tfevents.… for each run; series of the machine too. Answers the files.
Result<std::vector<std::filesystem::path>>
exportEventFolder(const RunStore& store, std::span<const RunId> runs, const std::filesystem::path& folder);

} // namespace athanor
