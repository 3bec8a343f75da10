// Main thread. The commands of athanor-cli; each returns the process's exit status.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace athanor::cli {

/// Exit statuses of the contract.
enum Exit : int {
    kDone = 0,
    kProblems = 1,   ///< problems were found: check, doctor, a run that diverged
    kUsage = 2,      ///< wrong usage
    kImpossible = 3, ///< it could not be done: file, data, device
};

/// What every command knows.
struct Common {
    bool json = false;
    std::filesystem::path store;
    bool storeIsNamed = false; ///< by --store, and not the usual one
};

struct ProjectArguments {
    std::filesystem::path file;
    std::vector<std::string> settings; ///< --set PATH=VALUE
};

struct TrainArguments {
    ProjectArguments project;
    std::string name;
    std::optional<std::int64_t> steps;
    int threads = 0;
    int workers = -1;
    std::string resume;
    bool noProbes = false;
};
int train(const Common& common, const TrainArguments& arguments);

struct CheckArguments {
    ProjectArguments project;
    bool data = false;
    bool summary = false;
    std::int64_t batch = 1; ///< of the summary
};
int check(const Common& common, const CheckArguments& arguments);

int listRuns(const Common& common);
int showRun(const Common& common, const std::string& run);
struct SeriesArguments {
    std::string run;
    std::vector<std::string> series; ///< empty: all but the machine's
    std::optional<std::int64_t> from;
    std::optional<std::int64_t> to;
    bool csv = false;
    bool all = false; ///< the machine's series too
};
int printSeries(const Common& common, const SeriesArguments& arguments);
int verifyStore(const Common& common);

int listLayers(const Common& common);

struct WeightsArguments {
    std::filesystem::path file;
    ProjectArguments project; ///< its file empty: only list
};
int listWeights(const Common& common, const WeightsArguments& arguments);

struct ExportArguments {
    std::string run;
    std::string to; ///< "state-dict", "safetensors"
    std::filesystem::path file;
    std::string checkpoint = "best"; ///< "best" (the newest when none is), "newest", or a step
};
int exportRun(const Common& common, const ExportArguments& arguments);

} // namespace athanor::cli
