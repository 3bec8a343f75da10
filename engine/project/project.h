// Any thread (a value). A project: data graph, network graph, training spec. Plain data, loaded from and
// saved to one versioned JSON file (docs: the contract of the project file).
#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph.h"
#include "engine/graph/graph_check.h"
#include "engine/project/train_spec.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

inline constexpr int kProjectVersion = 1;

struct Project {
    std::string name;
    Graph data;
    Graph network;
    TrainSpec training;
    Json extra = Json::object(); ///< unknown top-level keys, kept on save
    std::filesystem::path file;  ///< where it was loaded from; relative paths are relative to its folder

    /// Folder that relative paths start from (the current one for an unsaved project).
    [[nodiscard]] std::filesystem::path folder() const;
};

struct LoadedProject {
    Project project;
    std::vector<Problem> notes; ///< unknown keys that are kept, older versions that were migrated
};

/// Reads a project file. Errors name the place: line and column for broken JSON, `network/conv1/kernel_size`
/// for a wrong type, the version for a file from a newer Athanor.
Result<LoadedProject> loadProject(const std::filesystem::path& file);
Result<LoadedProject> parseProject(std::string_view text, const std::filesystem::path& file = {});

/// The file's text: keys sorted, one node per line, "\n" at the end. load → save of a saved file is byte-equal.
std::string projectText(const Project& project);

/// Writes to a temporary file beside it, syncs, renames: a crash leaves the old or the new file.
Status saveProject(const Project& project, const std::filesystem::path& file);

/// `--set PATH=VALUE`: training.optimizer.lr=0.01, network.conv1.out_channels=16, data.loader.batch_size=8,
/// training.scheduler.0.gamma=0.5, name=x. VALUE is JSON, or a bare word taken as text. An unknown path, a
/// value of a wrong type or out of range is an error that names the path and the nearest known name.
Status setProjectValue(Project& project, std::string_view path, std::string_view value);

/// The same project as it must be spelled in another place: relative paths lead to the same files from there.
Project relocated(const Project& project, const std::filesystem::path& newFile);

/// Everything wrong with the training part: unknown kind or parameter, range, metric that does not fit the
/// loss, a monitor that no series will have, fp16 on the CPU, …
std::vector<Problem> checkTraining(const Project& project);

/// The settings of the training part that are single values, with type, range, default and help, named by their
/// path below `training`: "epochs", "clip_grad_norm", "checkpoint.keep", "early_stopping.patience".
const std::vector<ParamSpec>& trainingParams();

/// Parameters of optimizers, schedulers, initialisers as ParamSpecs with PyTorch's names and defaults, by kind
/// ("Adam", "StepLR", "kaiming_normal"); nullptr when unknown. The inspector makes its forms from them too.
const std::vector<ParamSpec>* optimizerParams(const std::string& kind);
const std::vector<ParamSpec>* schedulerParams(const std::string& kind);
const std::vector<ParamSpec>* initializerParams(const std::string& kind);
std::vector<std::string> optimizerKinds();
std::vector<std::string> schedulerKinds();
std::vector<std::string> initializerKinds();
std::vector<std::string> metricNames();

/// What a metric compares: classes or numbers. None for an unknown name.
enum class MetricTask { None, Classes, Values };
MetricTask metricTask(const std::string& metric);

/// The direction in which a series gets better, by the end of its name: Max for …/accuracy, …/r2, …, else Min.
MonitorMode naturalMode(const std::string& series);

/// When a scheduler's interval is not written: step for those that are made for steps (OneCycleLR, CyclicLR).
ScheduleInterval naturalInterval(const std::string& scheduler);

/// Hash of what a run computes: both graphs' semantic hashes and the training part; not name, layout, paths' spelling.
std::string semanticHash(const Project& project);

} // namespace athanor
