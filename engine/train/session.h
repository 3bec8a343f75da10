// The seam between a run and whoever drives it. Torch-free. The product's session is TrainingSession
// (training_session.h); tests use a scripted one.
#pragma once

#include "engine/base/result.h"
#include "engine/metrics/metric_stream.h"
#include "engine/project/project.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace athanor {

/// Idle → Compiling → Running ⇄ Paused → Stopping → Finished | Failed; the last two are terminal.
enum class SessionState { Idle, Compiling, Running, Paused, Stopping, Finished, Failed };
std::string sessionStateName(SessionState state); ///< "idle", …

/// Why a Finished session ended.
enum class SessionEnd {
    None,      ///< not ended
    Completed, ///< all epochs or steps done
    EarlyStopped,
    Stopped,  ///< by the user
    Diverged, ///< non-finite loss or gradient under the policy Stop
};

namespace command {
struct Pause {};      ///< after the current step
struct Resume {};
struct StepOnce {};   ///< exactly one optimizer step, then paused
struct Stop {};       ///< after the current step
struct StopAfterEpoch {};
struct SaveCheckpoint {};
struct SetLearningRate {
    double value; ///< applies at the next step, until the scheduler changes it: scales the schedule's base
};
/// Another value for a setting of the running project, from the next step on (the batch size: from the next epoch on).
/// `path` is spelled as for --set, `value` as in the project file: training.optimizer.weight_decay,
/// training.clip_grad_norm, training.clip_grad_value, training.freeze, network.<node>.p of a dropout,
/// data.<loader>.batch_size, training.optimizer.lr. What cannot be changed is told as a Note.
struct ChangeSetting {
    std::string path;
    Json value;
};
/// Takes back the newest change: weights, optimizer, schedule, random numbers, position in the data and the setting are as
/// they were before it. Steps are counted on, so that no stored point changes.
struct Revert {};
/// After the step that is on at that time; the epoch (0) takes the wish back.
struct StopAt {
    std::chrono::system_clock::time_point time;
};
} // namespace command
using SessionCommand = std::variant<command::Pause, command::Resume, command::StepOnce, command::Stop,
                                    command::StopAfterEpoch, command::SaveCheckpoint, command::SetLearningRate,
                                    command::ChangeSetting, command::Revert, command::StopAt>;

/// A snapshot for progress displays; copied under a lock held for nanoseconds.
struct SessionProgress {
    std::int64_t step = 0;
    std::int64_t totalSteps = 0; ///< 0 until known
    double epoch = 0;            ///< passes done, with fraction
    std::int64_t epochs = 0;     ///< planned, 0 when the run counts steps
    double loss = std::numeric_limits<double>::quiet_NaN(); ///< newest train/loss
    double samplesPerSecond = 0; ///< over about the last second of running
    double stepMilliseconds = 0; ///< mean over the same window
    double overheadShare = 0;    ///< share of step time spent on measuring, 0–1
    double secondsLeft = -1;     ///< −1 = unknown
    double seconds = 0;          ///< running time without pauses
};

struct CheckpointWritten {
    std::int64_t step = 0;
    std::filesystem::path file;
    bool best = false;
    double monitored = std::numeric_limits<double>::quiet_NaN();
};

struct SessionOptions {
    int threads = 0;                        ///< 0 = max(1, cores − 1), torch's intra-op threads
    int workers = -1;                       ///< −1 = as the project says
    /// Nobody is there to resume a pause: the policy `pause` on non-finite values acts as `stop`.
    bool unattended = false;
    bool probes = true;                     ///< false: loss and learning rate only
    std::optional<std::int64_t> steps;      ///< overrides the project's length
    std::filesystem::path checkpointFolder; ///< empty: no checkpoints
    std::filesystem::path resumeFrom;       ///< checkpoint file to continue from
    /// `resumeFrom` is another run's, whose project may differ: what does not fit starts fresh, and live changes are not
    /// taken over.
    bool fork = false;
    /// Called on the session thread after a checkpoint is safely on disk.
    std::function<void(const CheckpointWritten&)> checkpointWritten;
};

/// Owns one run's thread. All methods from any thread; destruction stops and joins.
class Session {
public:
    virtual ~Session() = default;
    virtual void start() = 0; ///< once; Compiling begins on the session's own thread
    virtual void post(SessionCommand command) = 0;
    [[nodiscard]] virtual SessionState state() const = 0;
    [[nodiscard]] virtual SessionEnd end() const = 0;
    [[nodiscard]] virtual SessionProgress progress() const = 0;
    /// Problems of the project (compile time) and the error that ended a Failed session.
    [[nodiscard]] virtual std::vector<Problem> problems() const = 0;
    /// Blocks until the session is terminal; false on timeout.
    virtual bool wait(std::chrono::milliseconds timeout) = 0;
};

/// Makes a session that feeds `stream` (which outlives it) and closes it at its end.
using SessionFactory =
    std::function<std::unique_ptr<Session>(const Project& project, const SessionOptions& options, MetricStream& stream)>;

} // namespace athanor
