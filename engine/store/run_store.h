// Any thread, one object per thread (each holds its own SQLite connection). The SQLite home of runs.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/metrics/metric.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

using RunId = std::int64_t;

enum class RunStatus { Running, Paused, Finished, Stopped, Diverged, Failed, Interrupted };
std::string runStatusName(RunStatus status); ///< "running", …, "interrupted"
std::optional<RunStatus> runStatusFromName(std::string_view name);

/// What is known of a run when it starts.
struct NewRun {
    std::string name;    ///< empty: made from the project's name and the id
    std::string project; ///< name
    std::string projectFile;
    std::string projectText; ///< the whole project as it was trained
    std::string semanticHash;
    Json environment = Json::object(); ///< versions, device, threads, seed
};

struct RunInfo {
    RunId id = 0;
    std::string name;
    std::string project;
    std::string projectFile;
    RunStatus status = RunStatus::Running; ///< Interrupted is derived: running, and its process is gone
    std::int64_t startedMs = 0;            ///< since 1970-01-01 UTC
    std::int64_t heartbeatMs = 0;          ///< when it was last stored, same clock
    double seconds = 0;                    ///< so far
    std::int64_t steps = 0;
    double epochs = 0;
    std::vector<std::string> tags;
    std::string note;
    Json environment;
    std::string failure; ///< why it failed or diverged
};

/// Per series, kept beside the blocks so that lists need no points.
struct SeriesSummary {
    std::string name;
    std::string unit;
    SeriesRole role = SeriesRole::Essential;
    std::int64_t count = 0;
    std::int64_t nonFinite = 0;
    std::int64_t lastStep = 0;
    double last = 0; ///< bit for bit; NaN when there are no points
    double min = 0;  ///< of the finite values; NaN when there is none
    double max = 0;
    std::int64_t minStep = 0;
    std::int64_t maxStep = 0;
};

struct SeriesPoints {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
};

struct CheckpointInfo {
    std::int64_t step = 0;
    std::string file; ///< absolute; kept relative to the store's folder when it lies inside
    bool best = false;
    double monitored = 0;
};

/// What the row of a run said before claimRun().
struct RunClaim {
    std::string status; ///< as it is stored
    std::int64_t heartbeatMs = 0;
    std::string machine;
    std::int64_t pid = 0;
    std::int64_t processStart = 0;
};

/// What `runs verify` found and repaired.
struct VerifyReport {
    bool clean = true;
    std::int64_t runs = 0;
    std::int64_t series = 0;
    std::int64_t points = 0;
    std::vector<std::string> problems;
    std::vector<std::string> repairs;
};

class RunStore {
public:
    /// Opens or makes a store (WAL mode, migrations under an exclusive transaction). A store of a newer
    /// version, a file that is no store, a damaged one, a folder that cannot be written: an Error with the
    /// cure, and the file stays as it was. `clock` outlives the store.
    static Result<RunStore> open(const std::filesystem::path& file, const Clock& clock = systemClock());
    /// Opens a store that is there, for the calls that read: nothing is made, and it may be write-protected.
    /// NotFound when there is no such file, or nothing in it yet.
    static Result<RunStore> openToRead(const std::filesystem::path& file, const Clock& clock = systemClock());
    RunStore(RunStore&&) noexcept;
    RunStore& operator=(RunStore&&) noexcept;
    ~RunStore();

    /// $ATHANOR_STORE, else runs.sqlite in the user's data folder ($XDG_DATA_HOME/athanor).
    static std::filesystem::path defaultFile();

    [[nodiscard]] const std::filesystem::path& file() const;
    /// How long a call waits for another process that writes before it fails with Busy (5 s at first).
    void setBusyTimeout(std::chrono::milliseconds timeout);

    // --- writing: one run is written by one process, through one RunStore ---
    Result<RunId> startRun(const NewRun& run);
    /// Everything of one flush in one transaction: new series, points, events, checkpoints, heartbeat.
    /// `samples` may hold many series in any order; within a series steps come in order. Values are kept bit
    /// for bit. After an error nothing of the flush is stored, and the same flush can be tried again. NotFound
    /// when the run, or the file itself, was deleted meanwhile.
    struct Flush {
        /// Continue the indices used by `samples`, which start from 0 with startRun and with rewindRun; a
        /// name that the run has already continues that series.
        std::span<const SeriesInfo> newSeries;
        std::span<const Sample> samples;
        std::span<const Event> events;
        std::span<const CheckpointInfo> checkpoints; ///< written since the last flush
        RunStatus status = RunStatus::Running;
        double seconds = 0;
        std::int64_t steps = 0;
        double epochs = 0;
    };
    Status flush(RunId run, const Flush& flush);
    Status finishRun(RunId run, RunStatus status, const std::string& failure = {});
    Status addCheckpoint(RunId run, const CheckpointInfo& checkpoint);
    /// For `train --resume`: puts this process's name on a run that has ended, so that no other takes it up too.
    /// Its points stay as they are. Busy when the run is still going on.
    Result<RunClaim> claimRun(RunId run);
    /// Gives a claimed run back as it was: it could not be continued.
    Status releaseRun(RunId run, const RunClaim& before);
    /// A claimed run goes on after `step`: drops what it has of later points, events and checkpoints.
    Status rewindRun(RunId run, std::int64_t step);

    // --- reading ---
    Result<std::vector<RunInfo>> runs() const; ///< newest first; reads no points
    Result<RunInfo> run(RunId run) const;
    /// A run by id ("12"), or by name when just one has it.
    Result<RunId> findRun(const std::string& idOrName) const;
    Result<std::string> projectText(RunId run) const;
    Result<std::vector<SeriesSummary>> summaries(RunId run) const;
    Result<std::vector<Event>> events(RunId run) const;
    Result<std::vector<CheckpointInfo>> checkpoints(RunId run) const;
    Result<SeriesPoints> points(RunId run, const std::string& series, std::optional<std::int64_t> from = {},
                                std::optional<std::int64_t> to = {}) const;
    Status setTags(RunId run, const std::vector<std::string>& tags);
    Status setNote(RunId run, const std::string& note);
    Status rename(RunId run, const std::string& name);

    /// Marks runs whose process died as interrupted; called when a store is opened for writing.
    Result<int> markInterrupted();
    /// Looks at everything: the file's structure, every run, every block's checksum, every summary. Summaries that are
    /// wrong are made again from the points; what cannot be repaired is a problem and stays as it is.
    Result<VerifyReport> verify();

private:
    struct Impl;
    explicit RunStore(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
