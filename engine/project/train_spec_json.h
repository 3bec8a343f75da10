// Any thread. Inside engine/project: TrainSpec to and from the file's JSON.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/graph_check.h"
#include "engine/project/train_spec.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

// The file's words, in the order of the enumerations.
inline constexpr std::array kPrecisionNames{"fp32", "bf16", "fp16"};
inline constexpr std::array kPolicyNames{"pause", "stop", "skip", "continue"};
inline constexpr std::array kModeNames{"min", "max"};
inline constexpr std::array kIntervalNames{"epoch", "step"};
inline constexpr std::array kFailureNames{"stop", "continue"};
inline constexpr std::array kAveragingNames{"ema", "swa"};

/// The parts of `training` that are objects of single values.
inline constexpr std::array kSettingSections{"checkpoint", "early_stopping", "averaging", "grad_scaler", "grad_noise"};

/// What `training` may hold, or one of kSettingSections.
std::vector<std::string> settingNames(const std::string& section);

/// The spec of a single value of it, under its name there; nullopt for a section and for what is unknown.
std::optional<ParamSpec> findSetting(const std::string& section, const std::string& key);

/// Reads the `training` object. A value of a wrong type is an error that names its place
/// (training/optimizer/lr); unknown keys are kept and noted. Ranges are checkTraining's matter.
Result<TrainSpec> trainSpecFromJson(const Json& json, std::vector<Problem>& notes);

enum class TrainingDetail {
    Written, ///< what a file holds: the main settings, and what differs from the defaults
    Full,    ///< every key, null where nothing is set, schedulers as a list
};
Json trainSpecJson(const TrainSpec& spec, TrainingDetail detail);

} // namespace athanor
