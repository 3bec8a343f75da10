// Session thread. When a run's checkpoints are due, which is the best, and when the run should stop early.
#pragma once

#include "engine/train/checkpoint.h"
#include "engine/train/interval.h"
#include "engine/train/monitor.h"
#include "engine/train/sample_sink.h"
#include "engine/train/session.h"

#include <cstdint>
#include <filesystem>
#include <future>
#include <optional>
#include <string>

namespace athanor {

class Checkpointer {
public:
    Checkpointer(const TrainSpec& spec, const SessionOptions& options);

    [[nodiscard]] bool enabled() const { return !m_options.checkpointFolder.empty(); }
    [[nodiscard]] const Interval& interval() const { return m_interval; }

    /// Looks at the monitored series: those of validation after a validation, the others at the end of an
    /// epoch. A new best one makes a checkpoint due.
    void look(const SampleSink& sink, std::int64_t step, bool afterValidation);
    [[nodiscard]] bool bestIsNew() const { return m_bestIsNew; }
    [[nodiscard]] std::int64_t bestStep() const { return m_bestStep; } ///< -1 before there is one
    [[nodiscard]] std::filesystem::path bestFile() const { return m_folder.fileFor(m_bestStep); }
    /// Early stopping's reason once its patience is over.
    [[nodiscard]] std::optional<std::string> stopReason() const;

    /// Begins to write the checkpoint of its step, off this thread and from a copy; waits for the one before.
    void write(Checkpoint checkpoint);
    /// What became of the checkpoint that was being written, once it is done (`wait`: as soon as it is): old ones are
    /// deleted by then, and the owner is told. nullopt when there is nothing to tell.
    std::optional<Result<CheckpointWritten>> settle(bool wait);
    /// At the end of a run, when nothing is being written: deletes all that is no longer kept.
    void tidy() const;
    [[nodiscard]] std::int64_t lastWritten() const { return m_lastWritten; } ///< or being written

    /// Monitors, for the checkpoint's `progress`.
    [[nodiscard]] Json state() const;
    void restore(const Json& state);

private:
    const SessionOptions& m_options;
    Interval m_interval;
    CheckpointFolder m_folder;
    Monitor m_best;
    std::optional<Monitor> m_early;
    int m_patience = 0;
    bool m_bestIsNew = false;
    std::int64_t m_bestStep = -1;
    std::int64_t m_lastWritten = -1;
    CheckpointWritten m_writing;
    std::future<Status> m_written; ///< of m_writing; not valid when nothing is being written
};

} // namespace athanor
