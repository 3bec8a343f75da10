// Any thread, one object per thread (it holds connections of its own). Runs that were deleted and can come back.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace athanor {

struct TrashedRun {
    RunInfo info;
    std::int64_t trashedMs = 0; ///< since 1970-01-01 UTC
};

/// Deleting puts runs in the trash: RunStore::runs() does not list them, findRun() finds them by id only, all they
/// hold stays as it is. Every call changes all the runs it is given or, after an error, none.
class RunTrash {
public:
    /// Opens a store for writing, as RunStore::open() does. `clock` outlives the trash.
    static Result<RunTrash> open(const std::filesystem::path& store, const Clock& clock = systemClock());
    RunTrash(RunTrash&&) noexcept;
    RunTrash& operator=(RunTrash&&) noexcept;
    ~RunTrash();

    [[nodiscard]] Result<std::vector<TrashedRun>> runs() const; ///< the last one deleted first
    /// A run in the trash by id, or by name when just one there has it.
    [[nodiscard]] Result<RunId> find(const std::string& idOrName) const;

    /// Busy when one of them still goes on; one that is in the trash already stays there.
    Status put(std::span<const RunId> runs);
    /// NotFound when one of them is not in the trash.
    Status restore(std::span<const RunId> runs);
    /// Deletes runs of the trash for good, with the checkpoints that lie in the store's folder.
    Status purge(std::span<const RunId> runs);

private:
    struct Impl;
    explicit RunTrash(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
