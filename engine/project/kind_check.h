// Any thread. Inside engine/project: checks of optimizer, schedulers and other kinds with parameters.
#pragma once

#include "engine/project/project.h"

#include <string>
#include <vector>

namespace athanor {

/// Adds what is wrong with a kind and its parameters at `training/<where>`; false when the kind is not known, that is
/// when `params` is null. `what` is the word for it: "optimizer".
bool checkKind(std::vector<Problem>& problems, const std::string& where, const KindSpec& spec,
               const std::vector<ParamSpec>* params, const std::vector<std::string>& kinds, const std::string& what);

std::vector<Problem> checkOptimizer(const TrainSpec& spec);

/// All but the series that a ReduceLROnPlateau watches.
std::vector<Problem> checkSchedulers(const TrainSpec& spec);

/// Where the scheduler of this index stands: "scheduler", "scheduler/1".
std::string schedulerPlace(const TrainSpec& spec, std::size_t index);

} // namespace athanor
