// The thread of its RunStore. What a RunStore holds; shared by the .cpp files that make it up.
#pragma once

#include "engine/store/process_identity.h"
#include "engine/store/run_store.h"
#include "engine/store/series_tail.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <string>
#include <vector>

namespace athanor {

/// Tells a file from another one of the same name.
struct FileIdentity {
    std::uintmax_t device = 0;
    std::uintmax_t number = 0; ///< 0: there is none
    static FileIdentity of(const std::filesystem::path& file);
    bool operator==(const FileIdentity&) const = default;
};

/// The series of a run that is being written, by the indices of its samples.
struct RunWriter {
    std::vector<SeriesTail> tails;
    bool outdated = false; ///< a transaction failed: what `tails` say is not what the store holds
};

struct RunStore::Impl {
    Impl(std::filesystem::path storeFile, const Clock& storeClock, SQLite::Database database)
        : file(std::move(storeFile)), clock(storeClock), db(std::move(database)), self(ProcessIdentity::current()),
          opened(FileIdentity::of(file))
    {
    }

    std::filesystem::path file;
    const Clock& clock;
    SQLite::Database db;
    ProcessIdentity self;
    FileIdentity opened; ///< of `file`
    std::map<RunId, RunWriter> writers;

    RunWriter& writer(RunId run);
    void insertCheckpoint(RunId run, const CheckpointInfo& checkpoint);
    Error noSuchRun(RunId run) const;
    /// NotFound when another file, or none, stands where the store was: SQLite goes on writing into a file that was
    /// deleted, and all of it is gone once it is closed.
    [[nodiscard]] Status isInPlace() const;
    void nameProcess(RunId run, const RunClaim& claim);
    Status inRun(RunId run, const char* sql, const std::vector<std::string>& texts);
    [[nodiscard]] bool isGone(const ProcessIdentity& process, std::int64_t heartbeatMs) const;
};

/// Columns of a run as kRunColumns selects them; `tags` are read apart.
inline constexpr const char* kRunColumns =
    "id, name, project, project_file, status, started_ms, seconds, steps, epochs, note, environment, failure, "
    "machine, pid, process_start, heartbeat_ms";

struct StoredRun {
    RunInfo info;            ///< with the status as it is stored
    ProcessIdentity process; ///< that wrote it last
    /// Running or paused, if its process still is.
    [[nodiscard]] bool claimsToRun() const
    {
        return info.status == RunStatus::Running || info.status == RunStatus::Paused;
    }
};
StoredRun readRun(SQLite::Statement& row);
std::optional<StoredRun> findStoredRun(SQLite::Database& db, RunId run);

struct RecomputedSummary {
    SeriesSummary summary;
    std::vector<std::string> problems; ///< one per block that cannot be read
};
/// The summary that follows from a series' blocks.
RecomputedSummary recomputeSummary(SQLite::Database& db, std::int64_t seriesId);

} // namespace athanor
