// Any thread. Inside engine/project: TrainSpec to and from the file's JSON.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph_check.h"
#include "engine/project/train_spec.h"

#include <vector>

namespace athanor {

/// Reads the `training` object. A value of a wrong type is an error that names its place
/// (training/optimizer/lr); unknown keys are kept and noted. Ranges are checkTraining's matter.
Result<TrainSpec> trainSpecFromJson(const Json& json, std::vector<Problem>& notes);

enum class TrainingDetail {
    Written, ///< what a file holds: the main settings, and what differs from the defaults
    Full,    ///< every key, null where nothing is set, schedulers as a list
};
Json trainSpecJson(const TrainSpec& spec, TrainingDetail detail);

/// The direction in which a series gets better: "max" for …/accuracy, …/f1, …/r2, else "min".
MonitorMode naturalMode(const std::string& monitor);

} // namespace athanor
