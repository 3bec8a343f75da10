// athanor-cli: the engine without a window.
#include "app/cli/commands.h"
#include "app/cli/output.h"
#include "engine/base/log.h"
#include "engine/store/run_store.h"

#include <CLI/CLI.hpp>
#include <spdlog/fmt/fmt.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>

namespace {

using namespace athanor;
using namespace athanor::cli;

constexpr std::int64_t kMostThreads = 1024;

/// A whole number in a range. CLI11's own conversion takes the nearest number it can hold, without a word.
CLI::Validator wholeNumber(std::int64_t least, std::int64_t most = std::numeric_limits<std::int64_t>::max())
{
    return {[least, most](std::string& text) -> std::string {
                std::int64_t value = 0;
                const char* end = text.data() + text.size();
                const auto [stopped, error] = std::from_chars(text.data(), end, value);
                if (error == std::errc() && stopped == end && value >= least && value <= most)
                    return {};
                return fmt::format("'{}' is not a whole number from {} to {}", text, least, most);
            },
            "NUMBER"};
}

CLI::Validator notEmpty()
{
    return {[](std::string& text) { return text.empty() ? std::string("must not be empty") : std::string(); }, "TEXT"};
}

CLI::Validator pathAndValue()
{
    return {[](std::string& text) {
                return text.find('=') != std::string::npos && text.front() != '='
                           ? std::string()
                           : "'" + text + "' is not PATH=VALUE, such as training.optimizer.lr=0.01";
            },
            "PATH=VALUE"};
}

CLI::Option* addProject(CLI::App& command, ProjectArguments& arguments)
{
    CLI::Option* project = command.add_option("project", arguments.file, "Project file (*.athanor)")->required();
    command.add_option("--set", arguments.settings, "Override a value: PATH=VALUE, e.g. training.optimizer.lr=0.01 (repeatable)")
        ->check(pathAndValue())
        ->take_all()
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return project;
}

/// The command line as an object: parsing fills the arguments, `run` then does what was chosen.
struct CommandLine {
    CLI::App app{"Athanor trains neural networks from project files and keeps every point of every run."};
    Common common;
    bool verbose = false;
    TrainArguments trainArguments;
    CheckArguments checkArguments;
    NewArguments newArguments;
    ListArguments listArguments;
    EditArguments editArguments;
    CompareArguments compareArguments;
    RunExportArguments runExportArguments;
    std::vector<std::filesystem::path> importedPaths;
    SeriesArguments seriesArguments;
    WeightsArguments weightsArguments;
    ExportArguments exportArguments;
    LrFindArguments lrFindArguments;
    OverfitArguments overfitArguments;
    DoctorArguments doctorArguments;
    ScheduleArguments scheduleArguments;
    ProjectArguments stateArguments;
    SweepArguments sweepArguments;
    std::string shownRun;
    std::function<int()> run;
    CLI::Option* json = nullptr;
    CLI::Option* store = nullptr;

    CommandLine()
    {
        app.name("athanor-cli");
        app.set_version_flag("--version", ATHANOR_VERSION);
        app.require_subcommand(1);
        app.fallthrough(); // --json and --store may stand before or after the command
        common.store = RunStore::defaultFile();
        json = app.add_flag("--json", common.json, "Print one JSON document on stdout");
        store = app.add_option("--store", common.store, "Run store (default: $ATHANOR_STORE, else the user's data folder)")
                    ->capture_default_str()
                    ->check(notEmpty());
        app.add_flag("-v,--verbose", verbose, "Show details on stderr");
        addTrain();
        addCheck();
        addNew();
        addRuns();
        addWeights();
        addTools();
        addViews();
        addSweep();
        CLI::App* layers = app.add_subcommand("layers", "Print the node catalog: kinds, ports, parameters");
        layers->callback([this] { run = [this] { return listLayers(common); }; });
    }

    void addTrain()
    {
        CLI::App* train = app.add_subcommand("train", "Train a project and store the run");
        addProject(*train, trainArguments.project);
        CLI::Option* name = train->add_option("--name", trainArguments.name, "Name of the run");
        train->add_option("--steps", trainArguments.steps, "Train this many optimizer steps instead of the project's length")
            ->check(wholeNumber(1));
        train->add_option("--threads", trainArguments.threads, "Threads of tensor operations (default: one less than the cores)")
            ->check(wholeNumber(1, kMostThreads));
        train->add_option("--workers", trainArguments.workers, "Data worker threads instead of the Loader's num_workers")
            ->check(wholeNumber(0, kMostThreads));
        train->add_option("--resume", trainArguments.resume, "Continue this run (id or name) from its newest checkpoint")
            ->check(notEmpty())
            ->excludes(name); // the run has its name
        train->add_option("--fork", trainArguments.fork,
                          "Start a new run from a checkpoint of this one (id or name, @STEP for an older one), with this project")
            ->check(notEmpty())
            ->excludes("--resume");
        train->add_flag("--no-probes", trainArguments.noProbes, "Record loss, metrics and learning rate only");
        train->callback([this] { run = [this] { return cli::train(common, trainArguments); }; });
    }

    void addCheck()
    {
        CLI::App* check = app.add_subcommand("check", "Check a project and print its shapes, without training");
        addProject(*check, checkArguments.project);
        CLI::Option* data = check->add_flag("--data", checkArguments.data, "Also look through every sample: the pre-flight check");
        check->add_flag("--fresh", checkArguments.fresh, "Look through data again that have not changed since")->needs(data);
        check->add_flag("--summary", checkArguments.summary,
                        "Table of the layers: shapes, parameters, MACs, receptive field, memory for the backward pass");
        check->add_option("--batch", checkArguments.batch, "Samples in a batch, for the summary's memory")->check(wholeNumber(1));
        check->callback([this] { run = [this] { return cli::check(common, checkArguments); }; });
    }

    void addTools()
    {
        CLI::App* find = app.add_subcommand("lr-find", "Look for a learning rate: train a copy with rates that rise");
        addProject(*find, lrFindArguments.project);
        find->add_option("--start", lrFindArguments.start, "First rate")->check(CLI::PositiveNumber)->capture_default_str();
        find->add_option("--end", lrFindArguments.end, "Last rate")->check(CLI::PositiveNumber)->capture_default_str();
        find->add_option("--steps", lrFindArguments.steps, "Steps between them")->check(wholeNumber(2, 100'000))->capture_default_str();
        find->add_option("--threads", lrFindArguments.threads, "Threads of tensor operations")->check(wholeNumber(1, kMostThreads));
        find->callback([this] { run = [this] { return findLr(common, lrFindArguments); }; });
        CLI::App* fit = app.add_subcommand("overfit", "Test whether a copy can learn one batch by heart");
        addProject(*fit, overfitArguments.project);
        fit->add_option("--samples", overfitArguments.samples, "Samples of the batch (default: all of it)")->check(wholeNumber(1));
        fit->add_option("--steps", overfitArguments.steps, "Most steps")->check(wholeNumber(2))->capture_default_str();
        fit->add_option("--threads", overfitArguments.threads, "Threads of tensor operations")->check(wholeNumber(1, kMostThreads));
        fit->callback([this] { run = [this] { return cli::overfit(common, overfitArguments); }; });
        CLI::App* doctor = app.add_subcommand("doctor", "Say why a training fails: look at project and data, and train a copy for some seconds");
        addProject(*doctor, doctorArguments.project);
        doctor->add_option("--steps", doctorArguments.steps, "Steps of the copy's training (default: the project's length)")
            ->check(wholeNumber(1));
        doctor->add_option("--seconds", doctorArguments.seconds, "Of the copy's training, at most; 0: do not train")
            ->check(CLI::Range(0.0, 86400.0))
            ->capture_default_str();
        doctor->add_option("--threads", doctorArguments.threads, "Threads of tensor operations")->check(wholeNumber(1, kMostThreads));
        doctor->callback([this] { run = [this] { return cli::doctor(common, doctorArguments); }; });
    }

    void addViews()
    {
        CLI::App* schedule = app.add_subcommand("schedule", "Print the learning rates of a run before it starts");
        addProject(*schedule, scheduleArguments.project);
        schedule->add_option("--points", scheduleArguments.points, "Steps to print, evenly over the run")->check(wholeNumber(2, 1'000'000))->capture_default_str();
        schedule->callback([this] { run = [this] { return showSchedule(common, scheduleArguments); }; });
        CLI::App* state = app.add_subcommand("state", "List every tensor that training keeps, with type and device");
        addProject(*state, stateArguments);
        state->callback([this] { run = [this] { return showState(common, stateArguments); }; });
    }

    void addSweep()
    {
        CLI::App* sweep = app.add_subcommand("sweep", "Train a project with many values, each a run in the store");
        addProject(*sweep, sweepArguments.project);
        CLI::Option* grid = sweep->add_option("--grid", sweepArguments.grid, "Every combination of PATH=a,b,c …");
        sweep->add_option("--random", sweepArguments.random, "N trials that draw from PATH=lo..hi[:log] or PATH=a,b,c …")->excludes(grid);
        sweep->add_option("--seed", sweepArguments.seed, "Of what is drawn")->capture_default_str();
        sweep->add_option("--metric", sweepArguments.metric, "Series that decides which trial is best")->capture_default_str();
        sweep->add_option("--name", sweepArguments.name, "Name of the runs: NAME/1, NAME/2, …");
        CLI::Option* steps = sweep->add_option("--steps", sweepArguments.steps, "Steps of each trial instead of the project's length")->check(wholeNumber(1));
        sweep->add_option("--halving", sweepArguments.halvingSteps, "Successive halving: steps of the first rung")
            ->check(wholeNumber(1))
            ->excludes(steps);
        sweep->add_option("--eta", sweepArguments.eta, "One in so many goes on, so many times longer")->check(wholeNumber(2, 100))->capture_default_str();
        sweep->add_option("--jobs", sweepArguments.jobs, "Trials at a time")->check(wholeNumber(1, 256))->capture_default_str();
        sweep->add_option("--state", sweepArguments.state, "Where the sweep is kept (default: PROJECT.sweep.json); it goes on from there");
        sweep->add_flag("--fresh", sweepArguments.fresh, "Forget what an earlier sweep in that file has done");
        sweep->callback([this] { run = [this] { return cli::sweep(common, sweepArguments); }; });
    }

    void addNew()
    {
        CLI::App* make = app.add_subcommand("new", "Make a project for data: a folder, a file or an archive");
        make->add_option("input", newArguments.input, "Folder of pictures or texts, table, IDX, CIFAR, NumPy file, or an archive of them")
            ->required()
            ->check(notEmpty());
        make->add_option("-o,--output", newArguments.file, "Project file to write (*.athanor)")->required()->check(notEmpty());
        make->add_option("--name", newArguments.name, "Name of the project (default: that of the data)");
        make->add_flag("--force", newArguments.force, "Write over a project file that is there");
        make->callback([this] { run = [this] { return propose(common, newArguments); }; });
    }

    CLI::App* addRunEdit(CLI::App& runs, const char* name, const char* help, int (*edit)(const Common&, const EditArguments&))
    {
        CLI::App* command = runs.add_subcommand(name, help);
        command->callback([this, edit] { run = [this, edit] { return edit(common, editArguments); }; });
        return command;
    }

    void addRunEdits(CLI::App& runs)
    {
        CLI::App* tag = addRunEdit(runs, "tag", "Add tags to runs, and remove them", tagRuns);
        tag->add_option("runs", editArguments.runs, "Ids or names of runs")->required();
        tag->add_option("--add", editArguments.addTags, "Tag to add (repeatable)")->check(notEmpty())->allow_extra_args(false);
        tag->add_option("--remove", editArguments.removeTags, "Tag to remove (repeatable)")->allow_extra_args(false);
        CLI::App* note = addRunEdit(runs, "note", "Give runs a note", noteRuns);
        note->add_option("runs", editArguments.runs, "Ids or names of runs")->required();
        note->add_option("--text", editArguments.text, "The note; an empty one removes it")->required();
        CLI::App* rename = addRunEdit(runs, "rename", "Give a run another name", renameRun);
        rename->add_option_function<std::string>("run", [this](const std::string& one) { editArguments.runs = {one}; }, "Id or name of the run")
            ->required();
        rename->add_option("name", editArguments.text, "Its new name")->required()->check(notEmpty());
        CLI::App* remove = addRunEdit(runs, "delete", "Put runs in the trash", deleteRuns);
        remove->add_option("runs", editArguments.runs, "Ids or names of runs")->required();
        remove->add_flag("--for-good", editArguments.forGood, "Delete runs of the trash: they cannot come back");
        CLI::App* restore = addRunEdit(runs, "restore", "Take runs out of the trash", restoreRuns);
        restore->add_option("runs", editArguments.runs, "Ids or names of runs")->required();
    }

    void addRunExchange(CLI::App& runs)
    {
        const auto addCommon = [this](CLI::App* command) {
            command->add_option("runs", compareArguments.runs, "Ids or names of runs; the first one is what the others are compared with")->required();
            command->add_option("--ignore", compareArguments.ignored, "Settings to leave out, such as '*.seed' (repeatable)")->allow_extra_args(false);
        };
        CLI::App* compare = runs.add_subcommand("compare", "Say what tells runs apart: settings, metrics, network, data, findings");
        addCommon(compare);
        compare->callback([this] { run = [this] { return compareRunsCommand(common, compareArguments); }; });
        CLI::App* report = runs.add_subcommand("report", "Write a run or a comparison as one HTML file");
        addCommon(report);
        report->add_option("-o,--output", compareArguments.file, "File to write")->required()->check(notEmpty());
        report->add_option("--series", compareArguments.series, "Series to draw (repeatable; default: loss, metrics, learning rate)")->allow_extra_args(false);
        report->add_option("--over", compareArguments.over, "What curves are drawn over")->check(CLI::IsMember({"step", "time", "epoch"}))->capture_default_str();
        report->callback([this] { run = [this] { return reportRuns(common, compareArguments); }; });
        CLI::App* out = runs.add_subcommand("export", "Write runs for other programs, or one as a capsule");
        out->add_option("runs", runExportArguments.runs, "Ids or names of runs")->required();
        CLI::Option* to = out->add_option("--to", runExportArguments.format, "Format")->check(CLI::IsMember({"csv", "json", "tensorboard", "capsule"}));
        CLI::Option* target = out->add_option("-o,--output", runExportArguments.target, "Folder to write to; of a capsule the file")->check(notEmpty());
        to->needs(target);
        target->needs(to);
        const auto addShort = [&](const std::string& format) {
            out->add_option_function<std::string>(
                   "--" + format,
                   [this, format](const std::string& folder) {
                       runExportArguments.format = format;
                       runExportArguments.target = folder;
                   },
                   "The same as --to " + format + " -o FOLDER")
                ->check(notEmpty())
                ->excludes(to);
        };
        addShort("csv");
        addShort("tensorboard");
        out->require_option(2, 0); // the runs, and one of the above
        out->callback([this] { run = [this] { return exportRuns(common, runExportArguments); }; });
        CLI::App* in = runs.add_subcommand("import", "Bring runs in: folders of TensorBoard's event files, CSV, JSON, capsules");
        in->add_option("paths", importedPaths, "Folders and files")->required();
        in->callback([this] { run = [this] { return importRuns(common, importedPaths); }; });
    }

    void addRuns()
    {
        CLI::App* runs = app.add_subcommand("runs", "Stored runs")->require_subcommand(1);
        CLI::App* list = runs->add_subcommand("list", "List the runs, newest first");
        list->add_option("--where", listArguments.where, "Only runs such as: lr < 1e-3 and val/accuracy > 0.9 and tag = base")->check(notEmpty());
        list->add_option("--sort", listArguments.sort, "By a series or parameter, rising; falling with a '-' before it (--sort=-val/accuracy)")
            ->check(notEmpty());
        list->add_flag("--trash", listArguments.trash, "The deleted runs");
        list->callback([this] { run = [this] { return listRuns(common, listArguments); }; });
        addRunEdits(*runs);
        CLI::App* show = runs->add_subcommand("show", "Show one run: settings, series, events");
        show->add_option("run", shownRun, "Id or name of the run")->required();
        show->callback([this] { run = [this] { return showRun(common, shownRun); }; });
        CLI::App* series = runs->add_subcommand("series", "Print every stored point of a run's series");
        series->add_option("run", seriesArguments.run, "Id or name of the run")->required();
        series->add_option("series", seriesArguments.series, "Series such as train/loss (default: all)");
        series->add_option("--from", seriesArguments.from, "First step")->check(wholeNumber(0));
        series->add_option("--to", seriesArguments.to, "Last step")->check(wholeNumber(0));
        series->add_flag("--csv", seriesArguments.csv, "series,step,value lines")->excludes(json);
        series->add_flag("--all", seriesArguments.all, "Also the series that tell of the machine (times)");
        series->callback([this] { run = [this] { return printSeries(common, seriesArguments); }; });
        addRunExchange(*runs);
        runs->add_subcommand("verify", "Check the store and repair what can be repaired")->callback([this] { run = [this] { return verifyStore(common); }; });
        runs->fallthrough();
    }

    void addWeights()
    {
        CLI::App* weights = app.add_subcommand("weights", "List the tensors of a file of weights, and how they fit a project");
        weights->add_option("file", weightsArguments.file, "Checkpoint, PyTorch or safetensors file")->required();
        addProject(*weights, weightsArguments.project)->required(false);
        weights->callback([this] { run = [this] { return cli::listWeights(common, weightsArguments); }; });

        CLI::App* out = app.add_subcommand("export", "Write what a run has learnt for other programs");
        out->add_option("run", exportArguments.run, "Id or name of the run")->required();
        out->add_option("--to", exportArguments.to, "Format")->required()->check(CLI::IsMember({"state-dict", "safetensors"}));
        out->add_option("-o,--output", exportArguments.file, "File to write")->required();
        out->add_flag("--averaged", exportArguments.averaged, "The averaged weights (training.averaging) instead of the trained ones");
        out->add_option("--checkpoint", exportArguments.checkpoint, "best (the newest when none is), newest, or the step of a kept one")
            ->capture_default_str();
        out->callback([this] { run = [this] { return exportRun(common, exportArguments); }; });
    }
};

/// A closed standard stream would give its number to the next file that is opened, and what is printed would go into
/// that file. In its place stands one that fails as it would.
void holdStandardStreams()
{
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0)
            (void)!open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Wrong use and internal errors come before or beside a command, which would know of --json.
void printError(bool json, const std::string& message, const std::string& hint)
{
    if (json)
        printJson({{"error", {{"message", message}, {"where", "command line"}, {"hint", hint}}}});
}

int runCommandLine(int argc, char** argv)
{
    const bool json = std::any_of(argv + 1, argv + argc, [](const char* text) { return std::string_view(text) == "--json"; });
    try {
        CommandLine line;
        try {
            line.app.parse(argc, argv);
        } catch (const CLI::ParseError& error) {
            if (line.app.exit(error, std::cout, std::cerr) == 0)
                return kDone;
            printError(json, error.what(), "athanor-cli --help tells the right use.");
            return kUsage;
        }
        line.common.storeIsNamed = line.store->count() > 0;
        startLog(line.verbose ? spdlog::level::debug : spdlog::level::info);
        return line.run();
    } catch (const std::exception& error) {
        std::cerr << "athanor-cli: internal error: " << error.what() << "\n";
        printError(json, std::string("internal error: ") + error.what(), "Please report this as a bug.");
        return kImpossible;
    }
}

} // namespace

int main(int argc, char** argv)
{
    holdStandardStreams();
    const int status = runCommandLine(argc, argv);
    std::cout.flush();
    if (std::cout)
        return status;
    std::cerr << "athanor-cli: the output could not be written; is the disk full?\n";
    return kImpossible;
}
