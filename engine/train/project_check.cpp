#include "engine/train/project_check.h"

#include "engine/graph/flat_graph.h"
#include "engine/train/project_checker.h"
#include "engine/train/project_fixes.h"
#include "engine/train/run_parts.h"
#include "engine/train/script/script_typer.h"
#include "engine/train/weights/weights_file.h"

#include <algorithm>

namespace athanor {
namespace {

void append(std::vector<Problem>& all, std::vector<Problem> more)
{
    std::ranges::move(more, std::back_inserter(all));
}

Problem problemOf(const Error& error)
{
    std::string where = error.where;
    if (!where.starts_with("data"))
        where = "data";
    const bool named = error.where == where || error.where.empty();
    return {where, Severity::Error, named ? error.message : error.where + ": " + error.message, error.hint};
}

std::int64_t stepsPerEpoch(const TrainSpec& spec, const DataPipeline& data)
{
    const auto accumulate = std::max<std::int64_t>(1, spec.accumulate);
    return (data.batchCount(DataPart::Train) + accumulate - 1) / accumulate;
}

/// Values per channel that a BatchNorm sees in a batch of one sample: 1 for N×C, else the positions.
bool needsTwoSamples(const std::string& kind, const NodeCheck& check)
{
    if (!kind.starts_with("BatchNorm") || check.outputs.empty() || !check.outputs.front())
        return false;
    const auto& dims = check.outputs.front()->dims;
    return std::all_of(dims.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(dims.size())),
                       dims.end(), [](Extent extent) { return extent == 1; });
}

/// A training batch of a single sample stops BatchNorm in the middle of an epoch: better said before.
void checkSingleSamples(const Project& project, const DataPipeline& data, ProjectCheck& check)
{
    const auto samples = data.description().samples[static_cast<int>(DataPart::Train)];
    const auto size = data.batchSize();
    const auto batches = data.batchCount(DataPart::Train);
    const bool lastIsSingle = size > 0 && batches > 0 && samples - (batches - 1) * size == 1;
    if (!lastIsSingle)
        return;
    const Graph network = flattened(project.network).graph;
    for (const auto& node : network.nodes()) {
        const auto found = check.network.nodes.find(node.id);
        if (found == check.network.nodes.end() || !needsTwoSamples(node.kind, found->second))
            continue;
        const bool always = size == 1;
        const bool isReached = !project.training.steps || *project.training.steps >= batches;
        check.problems.push_back(
            {"network/" + node.id, always || isReached ? Severity::Error : Severity::Warning,
             always ? node.kind + " cannot normalize batches of one sample"
                    : "the last batch of an epoch has one sample, which " + node.kind + " cannot normalize",
             always ? "use a larger batch_size, or LayerNorm" : "set the Loader's drop_last, or another batch_size"});
    }
}

/// A network without weights has nothing to learn. What a script holds is known when it is compiled.
void checkParameters(const Project& project, ProjectCheck& check)
{
    const Graph network = flattened(project.network).graph;
    const bool hasScript = std::ranges::any_of(
        network.nodes(), [](const Node& node) { return node.kind.starts_with("Script"); });
    if (check.network.ok() && check.network.parameters == 0 && !hasScript)
        check.problems.push_back({"network", Severity::Error, "there is no parameter to train",
                                  "add a layer with weights, such as Linear or Conv2d"});
}

/// The device must be here, and able to do what is asked; a name that is none is told by the training part's check.
void checkDevice(const Project& project, ProjectCheck& check)
{
    const auto isAt = [&](const char* where) {
        return std::ranges::find(check.problems, where, &Problem::where) != check.problems.end();
    };
    if (isAt("training/device") || isAt("training/precision"))
        return;
    if (const auto device = chooseDevice(project.training); !device.ok())
        check.problems.push_back(
            {device.error().where, Severity::Error, device.error().message, device.error().hint});
}

/// Weights that cannot be read stop a run before its first step.
void checkWeights(const Project& project, ProjectCheck& check)
{
    if (project.training.weights.empty())
        return;
    const auto file = project.folder() / project.training.weights;
    if (const auto contents = listWeights(file); !contents.ok())
        check.problems.push_back({"training/weights", Severity::Error, file.string() + ": " + contents.error().message,
                                  contents.error().hint});
}

} // namespace

OpenedProject openProject(const Project& project, int workers, const std::function<bool()>& cancelled)
{
    GraphChecker networkChecker;
    return openProject(project, workers, networkChecker, cancelled);
}

OpenedProject openProject(const Project& project, int workers, GraphChecker& networkChecker,
                          const std::function<bool()>& cancelled)
{
    OpenedProject opened;
    ProjectCheck& check = opened.check;
    append(check.problems, checkTraining(project));
    auto dataCheck = checkData(project.data);
    const bool dataFine = dataCheck.ok();
    append(check.problems, std::move(dataCheck.problems));
    FieldTypes fields;
    if (dataFine) {
        auto data = openData(project, workers);
        if (data.ok()) {
            opened.data = std::move(*data);
            fields = opened.data->description().fields;
            check.dataOpened = true;
            check.stepsPerEpoch = stepsPerEpoch(project.training, *opened.data);
        } else {
            check.problems.push_back(problemOf(data.error()));
        }
    }
    check.network =
        networkChecker.check(project.network, fields, makeScriptTyper(project.folder(), cancelled));
    append(check.problems, check.network.problems);
    checkDevice(project, check);
    if (opened.data) {
        checkParameters(project, check);
        checkSingleSamples(project, *opened.data, check);
    }
    return opened;
}

namespace {

// With the fixes of what is wrong.
OpenedProject openAndMend(const Project& project, GraphChecker& networkChecker, const std::function<bool()>& cancelled)
{
    auto opened = openProject(project, -1, networkChecker, cancelled);
    const FieldTypes fields = opened.data ? opened.data->description().fields : FieldTypes();
    suggestProjectFixes(project, fields, makeScriptTyper(project.folder(), cancelled), opened.check);
    checkWeights(project, opened.check);
    return opened;
}

} // namespace

bool ProjectCheck::ok() const
{
    return std::ranges::none_of(problems, [](const Problem& problem) { return problem.severity == Severity::Error; });
}

ProjectCheck checkProject(const Project& project, bool readSamples,
                          const std::function<bool(std::int64_t, std::int64_t)>& progress)
{
    constexpr std::size_t kProblems = 100;
    std::function<bool()> cancelled;
    if (progress && !readSamples)
        cancelled = [&] { return !progress(0, 0); };
    GraphChecker networkChecker;
    auto opened = openAndMend(project, networkChecker, cancelled);
    if (readSamples && opened.data) {
        const auto tell = progress ? progress : [](std::int64_t, std::int64_t) { return true; };
        append(opened.check.problems, opened.data->checkSamples(kProblems, tell));
    }
    return std::move(opened.check);
}

ProjectCheck ProjectChecker::check(const Project& project, const std::function<bool()>& cancelled)
{
    return openAndMend(project, m_network, cancelled).check;
}

} // namespace athanor
