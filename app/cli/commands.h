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
    std::string fork; ///< RUN or RUN@step
    bool noProbes = false;
};
int train(const Common& common, const TrainArguments& arguments);

struct CheckArguments {
    ProjectArguments project;
    bool data = false;
    bool fresh = false; ///< of the data: looks again at what is remembered
    bool summary = false;
    std::int64_t batch = 1; ///< of the summary
};
int check(const Common& common, const CheckArguments& arguments);

struct NewArguments {
    std::filesystem::path input; ///< file, folder or archive of data
    std::filesystem::path file;  ///< project to write
    std::string name;            ///< empty: after the data
    bool force = false;          ///< writes over a project that is there
};
int propose(const Common& common, const NewArguments& arguments);

struct ListArguments {
    std::string where; ///< a RunFilter; empty: all
    std::string sort;  ///< a name of RunFacts, falling with a '-' before it; empty: newest first
    bool trash = false; ///< the deleted runs instead
};
int listRuns(const Common& common, const ListArguments& arguments);

/// A change to several runs: all of it is done or, after an error, as little as can be.
struct EditArguments {
    std::vector<std::string> runs; ///< ids or names
    std::string text;              ///< the note or the new name
    std::vector<std::string> addTags;
    std::vector<std::string> removeTags;
    bool forGood = false; ///< of delete: runs of the trash, which cannot come back
};
int tagRuns(const Common& common, const EditArguments& arguments);
int noteRuns(const Common& common, const EditArguments& arguments);
int renameRun(const Common& common, const EditArguments& arguments);
int deleteRuns(const Common& common, const EditArguments& arguments);
int restoreRuns(const Common& common, const EditArguments& arguments);
int showRun(const Common& common, const std::string& run);

struct CompareArguments {
    std::vector<std::string> runs;    ///< ids or names; the others are compared with the first one
    std::vector<std::string> ignored; ///< globs over paths of settings
    std::filesystem::path file;       ///< of the report
    std::vector<std::string> series;  ///< charts of the report; empty: loss, metrics and learning rate
    std::string over = "step";        ///< "step", "time", "epoch"
};
int compareRunsCommand(const Common& common, const CompareArguments& arguments);
int reportRuns(const Common& common, const CompareArguments& arguments);

struct RunExportArguments {
    std::vector<std::string> runs;
    std::string format; ///< "csv", "json", "tensorboard": a folder; "capsule": a file
    std::filesystem::path target;
};
int exportRuns(const Common& common, const RunExportArguments& arguments);
/// Folders of event files, event files, CSV, JSON, capsules.
int importRuns(const Common& common, const std::vector<std::filesystem::path>& paths);

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
    bool averaged = false;           ///< the averaged weights instead of the trained ones
    std::string checkpoint = "best"; ///< "best" (the newest when none is), "newest", or a step
};
int exportRun(const Common& common, const ExportArguments& arguments);

struct LrFindArguments {
    ProjectArguments project;
    double start = 1e-7;
    double end = 10;
    std::int64_t steps = 100;
    int threads = 0;
};
int findLr(const Common& common, const LrFindArguments& arguments);

/// Every tensor that training the project would keep, by type and device.
int showState(const Common& common, const ProjectArguments& arguments);

struct ScheduleArguments {
    ProjectArguments project;
    std::int64_t points = 21; ///< at most
};
/// The learning rates of a run before it starts.
int showSchedule(const Common& common, const ScheduleArguments& arguments);

struct OverfitArguments {
    ProjectArguments project;
    std::int64_t samples = 0; ///< 0: a batch
    std::int64_t steps = 500;
    int threads = 0;
};
int overfit(const Common& common, const OverfitArguments& arguments);

struct DoctorArguments {
    ProjectArguments project;
    std::optional<std::int64_t> steps;
    double seconds = 12; ///< of the monitored training
    int threads = 0;
};
int doctor(const Common& common, const DoctorArguments& arguments);

struct SweepArguments {
    ProjectArguments project;
    std::vector<std::string> grid;   ///< PATH=a,b,c
    std::vector<std::string> random; ///< N, then PATH=lo..hi[:log] or PATH=a,b,c
    std::uint64_t seed = 0;          ///< of --random
    std::string metric = "val/loss";
    std::string name; ///< of the runs: NAME/1, NAME/2, …
    std::optional<std::int64_t> steps;
    std::int64_t halvingSteps = 0; ///< steps of the first rung; 0: every trial trains in full
    std::int64_t eta = 3;          ///< one in so many goes on to the next rung, which is so many times longer
    std::int64_t jobs = 1;
    std::filesystem::path state; ///< empty: beside the project
    bool fresh = false;
};
int sweep(const Common& common, const SweepArguments& arguments);

} // namespace athanor::cli
