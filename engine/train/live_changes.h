// Session thread, torch-free. Settings that change while a run is on: which, and their record beside the checkpoints.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/project.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// A change of the running project, or its taking back.
struct LiveChange {
    std::int64_t step = 0; ///< it counts from the next one on
    std::string path;      ///< training.optimizer.weight_decay; empty: the newest change is taken back
    Json value;
    bool operator==(const LiveChange&) const = default;
};

enum class LiveSetting {
    LearningRate,
    Optimizer, ///< a parameter that the next update uses
    Clipping,
    Dropout,
    Freeze,
    BatchSize, ///< from the next epoch on
};

/// What a path changes; InvalidArgument when that is fixed during a run, with what is not as the hint.
Result<LiveSetting> liveSetting(const Project& project, const std::string& path);

/// The project with a change made to it; the errors of setProjectValue and of checks that it brings about.
Result<Project> changed(const Project& project, const std::string& path, const Json& value);

/// The place of a path in problems and events: training/optimizer/lr.
std::string placeOfPath(std::string path);

/// All changes of a run in their order, in a file of its checkpoint folder, so that a run which is resumed from an earlier
/// checkpoint makes the later ones again.
class ChangeLog {
public:
    /// An empty folder: nothing is kept.
    explicit ChangeLog(const std::filesystem::path& folder);

    [[nodiscard]] std::vector<LiveChange> read() const;
    /// On disk when it returns; an error leaves the file as it was.
    Status add(const LiveChange& change);

private:
    std::filesystem::path m_file;
};

} // namespace athanor
