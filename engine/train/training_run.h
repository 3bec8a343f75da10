// Session thread. One run from compiling to its end: steps, commands at their boundaries, validation,
// checkpoints, events.
#pragma once

#include "engine/train/checkpointer.h"
#include "engine/train/progress_meter.h"
#include "engine/train/project_check.h"
#include "engine/train/run_parts.h"
#include "engine/train/session_control.h"
#include "engine/train/training_step.h"
#include "engine/train/validation.h"

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
    /// How far the run is. A step number counts every attempt, also those that were withheld.
    struct Position {
        std::int64_t step = 0;  ///< done
        std::int64_t epoch = 0; ///< where the next batch is
        std::int64_t batch = 0;
    };

    // --- training_run.cpp: the course of a run ---
    void train();
    Status runEpoch();
    Status runStep(EpochReader& reader);
    Status addBatches(EpochReader& reader, std::int64_t count);
    void endStep(const StepOutcome& outcome, std::chrono::steady_clock::time_point start);
    void judge(const StepOutcome& outcome);
    Status afterStep();
    Status endEpoch();
    Status validate();
    Status validateAtEnd();
    void stopEarlyIfDue();
    [[nodiscard]] bool limitReached() const;
    [[nodiscard]] bool over() const { return m_end != SessionEnd::None || limitReached(); }

    // --- training_run_prepare.cpp: before the first step, and after the last ---
    /// Compiling; false when the run cannot start.
    bool prepare();
    Status build();
    Status resume();
    void makeMeasurements();
    void fail(const Error& error);
    RunEnd conclude();

    // --- training_run_commands.cpp: commands, states, checkpoints ---
    enum class Place { BetweenSteps, InValidation };
    /// Takes commands, and waits while paused; false when the run shall end now.
    bool boundary(Place place);
    void handle(const SessionCommand& command);
    void pause();
    void setLearningRate(double value);
    Status checkpointIfDue(bool due);
    Status writeCheckpoint();
    void enter(SessionState state);
    void say(EventKind kind, const std::string& text, const std::string& where = {});
    void updateProgress();
    [[nodiscard]] std::vector<double> rates() const;

    const Project& m_project;
    const SessionOptions& m_options;
    MetricStream& m_stream;
    SessionControl& m_control;

    std::unique_ptr<TorchSettings> m_settings;
    OpenedProject m_opened;
    std::unique_ptr<RunParts> m_parts;
    SampleSink m_sink;
    std::unique_ptr<ProbeSet> m_probes;
    std::unique_ptr<TrainingStep> m_step;
    std::unique_ptr<Validation> m_validation; // null without a validation part
    Checkpointer m_checkpointer;
    Interval m_validateEvery;
    ProgressMeter m_meter;

    Position m_position;
    std::int64_t m_batches = 0;     // of an epoch
    std::int64_t m_stepLimit = 0;   // 0: epochs decide
    std::int64_t m_epochLimit = 0;  // 0: steps decide
    std::int64_t m_validatedStep = -1;
    bool m_validationPending = false; // begun, and not finished when the run was stopped
    SessionEnd m_end = SessionEnd::None;
    std::string m_endReason;
    bool m_failed = false;

    SessionState m_state = SessionState::Idle;
    bool m_paused = false;
    std::int64_t m_singleSteps = 0; // still to go before the run pauses again
    bool m_pauseNext = false;       // at the next boundary between steps
    bool m_stopAfterEpoch = false;
    bool m_saveWanted = false;
    std::int64_t m_nonFiniteStreak = 0;

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
};

} // namespace athanor
