// Session thread. One run from compiling to its end: steps, commands at their boundaries, validation,
// checkpoints, events.
#pragma once

#include "engine/train/checkpointer.h"
#include "engine/train/live_changes.h"
#include "engine/train/progress_meter.h"
#include "engine/train/project_check.h"
#include "engine/train/run_parts.h"
#include "engine/train/session_control.h"
#include "engine/train/training_step.h"
#include "engine/train/validation.h"
#include "engine/train/weight_average.h"

#include <deque>
#include <future>
#include <memory>
#include <optional>
#include <string>

namespace athanor {

/// The terminal state that a run ends in.
struct RunEnd {
    SessionState state = SessionState::Finished;
    SessionEnd end = SessionEnd::None;
    std::string text; ///< for the event
    std::int64_t step = 0;
};

class TrainingRun {
public:
    /// All references outlive the run.
    TrainingRun(const Project& project, const SessionOptions& options, MetricStream& stream, SessionControl& control);
    ~TrainingRun();

    /// The whole run. The terminal state is left to the caller, who enters it when all of this is gone.
    RunEnd execute();

private:
    /// How far the run is. A step number counts every attempt, also those that were withheld or taken back.
    struct Position {
        std::int64_t step = 0;  ///< done
        std::int64_t epoch = 0; ///< where the next batch is
        std::int64_t batch = 0;
    };
    /// What a change is taken back to.
    struct Snapshot {
        std::int64_t step = 0;
        std::filesystem::path file;           ///< empty without a folder for checkpoints
        std::shared_ptr<Checkpoint> inMemory; ///< then, and of the newest one
    };

    // --- training_run.cpp: the course of a run ---
    void train();
    Status runEpoch();
    Status runBatches();
    Status runStep();
    Status addBatches(std::int64_t count);
    [[nodiscard]] std::int64_t expectedSamples(std::int64_t firstBatch, std::int64_t count) const;
    Status pauseWithoutMemory(const Status& status);
    void endStep(const StepOutcome& outcome, std::chrono::steady_clock::time_point start);
    void judge(const StepOutcome& outcome);
    void putWeightsHash();
    Status afterStep();
    Status endEpoch();
    Status validate();
    Status validateWith(Validation& validation);
    void look(bool afterValidation);
    Status validateAtEnd();
    void stopEarlyIfDue();
    void stopInTime();
    [[nodiscard]] bool limitReached() const;
    [[nodiscard]] bool over() const { return m_end != SessionEnd::None || limitReached(); }

    // --- training_run_prepare.cpp: before the first step, and after the last ---
    /// Compiling; false when the run cannot start.
    bool prepare();
    Status build();
    /// Makes everything of the project as it is now, in the state of a checkpoint if there is one.
    Status assemble(const Checkpoint* from);
    Status openData(std::int64_t batchSize);
    Status takeNewBatchSize();
    void setLengths();
    [[nodiscard]] std::int64_t totalSteps() const;
    void makeAverage();
    void makeMeasurements();
    void makeValidations();
    void sayHowToRepeat();
    void fail(const Error& error);
    RunEnd conclude();

    // --- training_run_checkpoints.cpp ---
    Status checkpointIfDue(bool due);
    Status writeCheckpoint();
    [[nodiscard]] Checkpoint makeCheckpoint();
    /// Tells what became of the checkpoint that is being written.
    Status settleCheckpoint(bool wait);
    Status checkpointFailed(const Error& error);
    Status restore(const Checkpoint& checkpoint);
    Status restoreWeights(const Checkpoint& checkpoint);
    Status restoreOptimizer(const Checkpoint& checkpoint);
    void rememberBest();
    void recallBest();
    Status finishWithBest();

    // --- training_run_commands.cpp: commands, states ---
    enum class Place { BetweenSteps, InValidation };
    /// Takes commands, and waits while paused; false when the run shall end now.
    bool boundary(Place place);
    bool betweenSteps();
    void handle(const SessionCommand& command);
    void pause();
    void setLearningRate(double value);
    void enter(SessionState state);
    void say(EventKind kind, const std::string& text, const std::string& where = {});
    void updateProgress();
    [[nodiscard]] std::vector<double> rates() const;

    // --- training_run_changes.cpp: settings that change while the run is on ---
    /// Makes the changes that are asked for, and those of an earlier course of this run that are due.
    void makeChanges();
    Status change(const LiveChange& wish);
    Status apply(LiveSetting setting, const LiveChange& wish);
    void applyDropout();
    Status applyFreeze();
    Status revert();
    void takeSnapshot();
    [[nodiscard]] std::filesystem::path snapshotFile(std::int64_t step, std::size_t change) const;
    /// The project with the changes that a checkpoint knows.
    Status takeChangesOver(const Checkpoint& checkpoint);
    [[nodiscard]] Json valueAt(const std::string& path) const;

    const Project& m_project;
    const SessionOptions& m_options;
    MetricStream& m_stream;
    SessionControl& m_control;

    std::unique_ptr<TorchSettings> m_settings;
    OpenedProject m_opened;
    std::unique_ptr<EpochReader> m_reader; // of the present epoch
    Project m_live; // the project as it is now
    std::unique_ptr<RunParts> m_parts;
    SampleSink m_sink;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::unique_ptr<WeightAverage> m_average;        // null without averaging
    std::unique_ptr<Validation> m_validation;        // null without a validation part
    std::unique_ptr<Validation> m_averageValidation; // of the averaged weights
    Checkpointer m_checkpointer;
    Interval m_validateEvery;
    ProgressMeter m_meter;

    Position m_position;
    std::int64_t m_reverted = 0;    // steps that were taken back: they do not count in the limit
    std::int64_t m_batches = 0;     // of an epoch
    std::int64_t m_stepLimit = 0;   // 0: epochs decide
    std::int64_t m_epochLimit = 0;  // 0: steps decide
    std::int64_t m_validatedStep = -1;
    bool m_validationPending = false; // begun, and not finished when the run was stopped
    SessionEnd m_end = SessionEnd::None;
    std::string m_endReason;
    bool m_failed = false;
    std::map<std::string, torch::Tensor> m_bestState; // with early_stopping.restore_best
    std::int64_t m_bestStateStep = -1;

    SessionState m_state = SessionState::Idle;
    bool m_paused = false;
    std::int64_t m_singleSteps = 0; // still to go before the run pauses again
    bool m_pauseNext = false;       // at the next boundary between steps
    bool m_stopAfterEpoch = false;
    std::optional<std::chrono::system_clock::time_point> m_stopAt;
    bool m_saveWanted = false;
    std::int64_t m_nonFiniteStreak = 0;

    ChangeLog m_changeLog;
    std::deque<LiveChange> m_wishes;   // from commands, until the next boundary between steps
    std::deque<LiveChange> m_replay;   // of an earlier course of this run
    std::vector<LiveChange> m_changes; // that are in effect, or pending
    std::vector<Snapshot> m_snapshots; // of the newest entries of m_changes
    std::future<Status> m_snapshotWritten; // of the newest one; not valid when nothing is being written
    bool m_newBatchSize = false;       // takes effect with the next epoch
    bool m_readAnew = false;           // the position in the data has changed

    // Of the current step.
    std::chrono::nanoseconds m_dataWait{0};
    std::int64_t m_samples = 0;
    std::chrono::nanoseconds m_commitTime{0}; // of the step before
    double m_lastLoss = std::numeric_limits<double>::quiet_NaN();
    SeriesIndex m_epochSeries = 0;
    SeriesIndex m_stepTimeSeries = 0;
    SeriesIndex m_waitSeries = 0;
    SeriesIndex m_probeTimeSeries = 0;
    SeriesIndex m_speedSeries = 0;
    SeriesIndex m_hashSeries = 0;
};

} // namespace athanor
