#include "app/cli/output.h"
#include "app/cli/task_progress.h"
#include "engine/preflight/preflight.h"
#include "engine/graph/network_summary.h"
#include "engine/train/training_session.h"
#include "engine/train/weights/start_weights.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iostream>
#include <optional>

namespace athanor::cli {
namespace {

Json extentJson(Extent extent)
{
    if (extent == kBatch)
        return "N";
    if (extent == kUnknown)
        return nullptr;
    return extent;
}

Json shapesJson(const GraphCheck& check)
{
    Json shapes = Json::object();
    for (const auto& [id, node] : check.nodes) {
        Json& ports = shapes[id] = Json::array();
        for (const auto& output : node.outputs) {
            if (!output) {
                ports.push_back(nullptr);
                continue;
            }
            Json dims = Json::array();
            for (const Extent extent : output->dims)
                dims.push_back(extentJson(extent));
            ports.push_back(std::move(dims));
        }
    }
    return shapes;
}

Json checkJson(const Project& project, const ProjectCheck& result, const std::optional<PreflightResult>& data,
               const CheckArguments& arguments)
{
    Json json = {{"problems", problemsJson(result.problems)},
                 {"shapes", shapesJson(result.network)},
                 {"parameters", result.network.parameters},
                 {"macs", result.network.macs}};
    if (arguments.summary)
        json["summary"] = summaryJson(summarize(project.network, result.network, arguments.batch));
    if (data)
        json.update(preflightJson(*data));
    else if (arguments.data)
        json["findings"] = Json::array();
    return json;
}

std::string shapeTable(const Project& project, const ProjectCheck& result)
{
    TextTable table({"node", "kind", "output", "parameters", "MACs"});
    for (const std::string& id : project.network.topologicalOrder()) {
        const auto found = result.network.nodes.find(id);
        if (found == result.network.nodes.end())
            continue;
        std::string shapes;
        for (const auto& output : found->second.outputs)
            shapes += (shapes.empty() ? "" : ", ") + (output ? output->text() : std::string("?"));
        table.add({id, project.network.find(id)->kind, shapes, std::to_string(found->second.parameters),
                   std::to_string(found->second.macs)});
    }
    return fmt::format("{}\n{} parameters, {} multiply-accumulates a sample\n", table.text(),
                       result.network.parameters, result.network.macs);
}

void printFindings(const PreflightResult& data)
{
    for (const DataFinding& found : data.findings) {
        const Finding& finding = found.finding;
        std::cout << fmt::format("{}: {}: {}\n", severityName(finding.severity), finding.rule, printable(finding.message));
        constexpr std::size_t kShown = 5;
        for (std::size_t i = 0; i < std::min(kShown, found.samples.size()); ++i) {
            const SampleRef& sample = found.samples[i];
            std::cout << fmt::format("    {}{}{}\n", printable(sample.name), sample.note.empty() ? "" : ": ",
                                     printable(sample.note));
        }
        if (found.sampleCount > static_cast<std::int64_t>(kShown))
            std::cout << fmt::format("    and {} more\n", found.sampleCount - static_cast<std::int64_t>(kShown));
        for (const SuggestedFix& fix : finding.fixes)
            std::cout << "    fix: " << printable(fix.text) << "\n";
    }
    std::cout << fmt::format("{} training, {} validation and {} test samples were looked at{}.\n", data.samples[0],
                             data.samples[1], data.samples[2], data.remembered ? " before, and have not changed" : "");
}

void printText(const Project& project, const ProjectCheck& result, const std::optional<PreflightResult>& data,
               const CheckArguments& arguments)
{
    std::cout << (arguments.summary ? summaryText(summarize(project.network, result.network, arguments.batch))
                                    : shapeTable(project, result));
    for (const Problem& problem : result.problems) {
        std::cout << problemLine(problem) << "\n";
        for (const SuggestedFix& fix : problem.fixes)
            std::cout << "    fix: " << fix.text << "\n";
    }
    if (data)
        printFindings(*data);
    std::cout << (result.ok() && !(data && data->hasErrors()) ? "No errors.\n" : "");
}

/// Looks through the data; what cannot be trained on becomes a problem too.
std::optional<PreflightResult> lookThroughData(const Project& project, bool fresh, ProjectCheck& result)
{
    TaskProgress bar("Looking through the data");
    PreflightOptions options;
    options.useMemory = !fresh;
    options.progress = [&](const PreflightProgress& p) { bar.update(p.done, p.all, p.secondsLeft); };
    Result<PreflightResult> data = runPreflight(project, options);
    if (!data) {
        const Error& error = data.error();
        const auto isSaid = [&](const Problem& problem) { return problem.where.starts_with("data") && problem.severity == Severity::Error; };
        if (std::ranges::none_of(result.problems, isSaid))
            result.problems.push_back({error.where.empty() ? "data" : error.where, Severity::Error, error.message, error.hint});
        return std::nullopt;
    }
    result.problems.insert(result.problems.end(), data->problems.begin(), data->problems.end());
    return std::move(*data);
}

// Weights that fit nowhere stop a run before its first step.
void addWeightsProblem(const Project& project, ProjectCheck& result)
{
    if (project.training.weights.empty())
        return;
    const auto file = project.folder() / project.training.weights;
    const Result<WeightsReport> report = inspectWeights(project, file);
    if (report && report->mapping.loaded() > 0)
        return;
    const Error error =
        report ? nothingFits(report->mapping, report->network, report->file.tensors) : report.error();
    const bool isPlaced = error.where.starts_with("training/");
    result.problems.push_back({isPlaced ? error.where : "training/weights", Severity::Error,
                               file.string() + ": " + error.message, error.hint});
}

// Both catalogs as one list; `graph` tells in which of the project's graphs a kind may stand.
Json wholeCatalog()
{
    Json all = Json::array();
    for (const auto& [graph, catalog] : {std::pair{"network", &layerCatalog()}, std::pair{"data", &dataCatalog()}})
        for (Json kind : catalogJson(*catalog)) {
            kind["graph"] = graph;
            all.push_back(std::move(kind));
        }
    return all;
}

} // namespace

int check(const Common& common, const CheckArguments& arguments)
{
    const Result<LoadedProject> loaded = loadWithNotes(arguments.project);
    if (!loaded)
        return fail(common, loaded.error());
    const Project& project = loaded->project;
    ProjectCheck result = checkProject(project);
    std::optional<PreflightResult> data;
    if (arguments.data)
        data = lookThroughData(project, arguments.fresh, result);
    if (result.ok())
        addWeightsProblem(project, result);
    result.problems.insert(result.problems.begin(), loaded->notes.begin(), loaded->notes.end());
    if (common.json)
        printJson(checkJson(project, result, data, arguments));
    else
        printText(project, result, data, arguments);
    return result.ok() && !(data && data->hasErrors()) ? kDone : kProblems;
}

int listLayers(const Common& common)
{
    if (common.json) {
        printJson(wholeCatalog());
        return kDone;
    }
    for (const NodeCatalog* catalog : {&layerCatalog(), &dataCatalog()}) {
        TextTable table({"kind", "family", "parameters"});
        for (const NodeKind& kind : catalog->kinds()) {
            std::string params;
            for (const ParamSpec& param : kind.params)
                params += fmt::format("{}{}{}", params.empty() ? "" : ", ", param.name,
                                      param.required   ? ""
                                      : param.inferred ? " (inferred)"
                                                       : fmt::format("={}", param.standard.dump()));
            table.add({kind.kind, std::string(familyName(kind.family)), params});
        }
        std::cout << table.text() << "\n";
    }
    return kDone;
}

} // namespace athanor::cli
