// Any thread (pure functions). The settings that several projects do not share.
#pragma once

#include "engine/base/json.h"
#include "engine/project/project.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace athanor {

struct SettingDifference {
    std::string path;
    std::vector<std::optional<Json>> values; ///< one per project; nullopt: it has no such setting
};

/// What is not the same in all of them, by path. `ignored` are globs (matchesGlob) over paths, such as training.seed;
/// what matches one of them is left out. Of a node that some lack only the kind is told. A missing project (nullptr) has no settings, and makes no difference.
std::vector<SettingDifference> settingsDifference(std::span<const Project* const> projects,
                                                  std::span<const std::string> ignored = {});

} // namespace athanor
