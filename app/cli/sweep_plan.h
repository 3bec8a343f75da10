// Main thread. What a sweep tries, and how far it is; kept in a file so that it goes on after a crash.
#pragma once

#include "app/cli/commands.h"
#include "engine/base/json.h"
#include "engine/project/project.h"

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace athanor::cli {

enum class TrialStatus { Waiting, Running, Done, Failed, Dropped };
std::string trialStatusName(TrialStatus status); ///< "waiting", …

/// One set of values.
struct SweepTrial {
    std::vector<std::pair<std::string, std::string>> settings; ///< --set PATH=VALUE each
    TrialStatus status = TrialStatus::Waiting;
    std::int64_t run = 0;  ///< in the store; 0 before there is one
    int rung = 0;          ///< of successive halving: trainings it has finished
    std::int64_t steps = 0;
    double value = std::nan(""); ///< best of the metric
    std::string failure;
    double seconds = 0; ///< of training
    bool wasRunning = false; ///< when an earlier process ended
};

/// What is tried. The settings must be ones that the project has.
Result<std::vector<SweepTrial>> plannedTrials(const Project& project, const SweepArguments& arguments);

/// Values of a grid: "training.optimizer.lr=0.1,0.01".
Result<std::vector<std::string>> gridValues(const std::string& text, std::string& path);

/// What is drawn from: "training.optimizer.lr=1e-4..1e-1:log", whole numbers when both ends are, or a list as in a grid.
struct RandomRange {
    std::string path;
    std::vector<std::string> choices; ///< empty: a range
    double low = 0;
    double high = 0;
    bool logarithmic = false;
    bool whole = false;
};
Result<RandomRange> randomRange(const std::string& text);

Json trialJson(const SweepTrial& trial);

/// The state of a sweep on disk.
class SweepFile {
public:
    SweepFile(std::filesystem::path file, Json plan)
        : m_file(std::move(file))
        , m_plan(std::move(plan))
    {
    }
    /// Takes over what an earlier process has done of the same plan; InvalidArgument when the file holds another one.
    Status load(std::vector<SweepTrial>& trials) const;
    [[nodiscard]] Status save(const std::vector<SweepTrial>& trials) const;
    [[nodiscard]] const std::filesystem::path& file() const { return m_file; }

private:
    std::filesystem::path m_file;
    Json m_plan;
};

} // namespace athanor::cli
