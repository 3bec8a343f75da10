// Any thread (plain data). The `training` part of a project.
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// `{"kind": "SGD", "lr": 0.1, …}`: a kind with PyTorch's parameters, checked against project_schema.cpp.
struct KindSpec {
    std::string kind;
    Json params = Json::object(); ///< only what was written
    bool operator==(const KindSpec&) const = default;
};

enum class ScheduleInterval { Epoch, Step };
struct SchedulerSpec {
    KindSpec scheduler;
    ScheduleInterval interval = ScheduleInterval::Epoch;
    std::optional<std::int64_t> duration; ///< intervals until the next of the list takes over; else its natural length
    bool operator==(const SchedulerSpec&) const = default;
};

/// What happens when the loss or a gradient is NaN or infinite. The step is never applied, except by Continue.
enum class NonFinitePolicy { Pause, Stop, Skip, Continue };
enum class Precision { Fp32, Bf16, Fp16 };
enum class MonitorMode { Min, Max };

/// What happens to the run when a checkpoint cannot be written.
enum class CheckpointFailure { Stop, Continue };

struct CheckpointSpec {
    std::string every = "epoch"; ///< "epoch", or a number of steps as text
    int keep = 2;                ///< newest ones kept, beside the best
    std::string monitor = "val/loss";
    MonitorMode mode = MonitorMode::Min;
    CheckpointFailure onError = CheckpointFailure::Stop;
    bool operator==(const CheckpointSpec&) const = default;
};

struct EarlyStoppingSpec {
    std::string monitor = "val/loss";
    MonitorMode mode = MonitorMode::Min;
    int patience = 10; ///< validations without improvement
    double minDelta = 0;
    bool restoreBest = false; ///< the last checkpoint holds the weights of the best validation
    bool operator==(const EarlyStoppingSpec&) const = default;
};

/// A second set of weights: the average of those of the run (torch.optim.swa_utils.AveragedModel).
enum class AveragingKind { Ema, Swa };
struct AveragingSpec {
    AveragingKind kind = AveragingKind::Ema;
    double decay = 0.999;    ///< EMA: share of the average that stays at each update
    std::int64_t start = 0;  ///< steps before the first update
    std::string every;       ///< "epoch", or a number of steps as text; empty: 1 for EMA, "epoch" for SWA
    bool useBuffers = false; ///< buffers are averaged too; else they are the network's newest
    bool operator==(const AveragingSpec&) const = default;
};

/// torch.cuda.amp.GradScaler.
struct GradScalerSpec {
    double initScale = 65536;
    double growthFactor = 2;
    double backoffFactor = 0.5;
    int growthInterval = 2000;
    bool operator==(const GradScalerSpec&) const = default;
};

/// Gaussian noise on the gradients with the variance eta / (1 + step)^gamma (Neelakantan et al. 2015).
struct GradNoiseSpec {
    double eta = 0.01;
    double gamma = 0.55;
    bool operator==(const GradNoiseSpec&) const = default;
};

struct InitSpec {
    std::string match; ///< glob over state names: "*.weight"
    KindSpec init;     ///< torch.nn.init's name without the underscore, with its parameters
    bool operator==(const InitSpec&) const = default;
};

inline constexpr std::int64_t kStandardEpochs = 10; ///< when neither epochs nor steps is written

struct TrainSpec {
    std::optional<std::int64_t> epochs; ///< one of the two is set; kStandardEpochs when neither was written
    std::optional<std::int64_t> steps;
    std::uint64_t seed = 0;
    std::string device = "auto"; ///< auto, cpu, cuda, cuda:N
    bool deterministic = true;
    KindSpec optimizer{"SGD", {{"lr", 0.01}}};
    std::vector<SchedulerSpec> schedulers; ///< run in sequence
    std::vector<std::string> freeze;       ///< globs over state names
    bool frozenOnPurpose = false;
    std::vector<InitSpec> init; ///< later entries win
    std::optional<double> clipGradNorm;
    std::optional<double> clipGradValue;
    std::optional<GradNoiseSpec> gradNoise;
    int accumulate = 1; ///< batches per optimizer step
    Precision precision = Precision::Fp32;
    std::vector<std::string> autocastExclude; ///< globs over nodes that compute in fp32 whatever the precision
    std::optional<GradScalerSpec> gradScaler; ///< null: PyTorch's for fp16, none otherwise
    std::vector<std::string> metrics;
    std::string validateEvery = "epoch"; ///< "epoch", or a number of steps as text
    CheckpointSpec checkpoint;
    std::optional<EarlyStoppingSpec> earlyStopping;
    std::optional<AveragingSpec> averaging;
    std::optional<double> timeLimit;        ///< seconds of running, without pauses
    std::optional<std::int64_t> hashEvery;  ///< steps between two fingerprints of the weights
    NonFinitePolicy onNonFinite = NonFinitePolicy::Pause;
    std::string weights;         ///< file to start from, empty: fresh
    std::map<std::string, std::string> weightsMap; ///< state names of the network to names of that file
    Json extra = Json::object(); ///< unknown keys, kept on save
    bool operator==(const TrainSpec&) const = default;
};

} // namespace athanor
