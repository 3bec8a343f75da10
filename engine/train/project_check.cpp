#include "engine/train/project_check.h"

#include "engine/graph/flat_graph.h"
#include "engine/train/project_fixes.h"
#include "engine/train/script/script_typer.h"

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
        check.problems.push_back(
            {"network/" + node.id, always ? Severity::Error : Severity::Warning,
             always ? node.kind + " cannot normalize batches of one sample"
                    : "the last batch of an epoch has one sample, which " + node.kind + " cannot normalize",
             always ? "use a larger batch_size, or LayerNorm" : "set the Loader's drop_last, or another batch_size"});
    }
}

} // namespace

OpenedProject openProject(const Project& project, int workers, const std::function<bool()>& cancelled)
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
        } else {
            check.problems.push_back(problemOf(data.error()));
        }
    }
    check.network = checkNetwork(project.network, fields, makeScriptTyper(project.folder(), cancelled));
    append(check.problems, check.network.problems);
    if (opened.data)
        checkSingleSamples(project, *opened.data, check);
    return opened;
}

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
    auto opened = openProject(project, -1, cancelled);
    const FieldTypes fields = opened.data ? opened.data->description().fields : FieldTypes();
    suggestProjectFixes(project, fields, makeScriptTyper(project.folder(), cancelled), opened.check);
    if (readSamples && opened.data) {
        const auto tell = progress ? progress : [](std::int64_t, std::int64_t) { return true; };
        append(opened.check.problems, opened.data->checkSamples(kProblems, tell));
    }
    return std::move(opened.check);
}

} // namespace athanor
