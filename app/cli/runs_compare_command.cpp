#include "app/cli/output.h"
#include "engine/compare/comparison.h"
#include "engine/compare/report_html.h"
#include "engine/exchange/event_folder.h"
#include "engine/exchange/run_text_files.h"
#include "engine/store/run_capsule.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <system_error>

namespace athanor::cli {
namespace {

struct FoundRuns {
    RunStore store;
    std::vector<RunId> ids;
};

Result<FoundRuns> findRuns(const Common& common, const std::vector<std::string>& names)
{
    Result<RunStore> store = RunStore::openToRead(common.store);
    if (!store)
        return store.error();
    FoundRuns found{std::move(*store), {}};
    for (const std::string& name : names) {
        const Result<RunId> id = found.store.findRun(name);
        if (!id)
            return id.error();
        found.ids.push_back(*id);
    }
    return found;
}

std::string cell(const std::optional<Json>& value)
{
    return !value ? "-" : printable(value->is_string() ? value->get<std::string>() : value->dump());
}

std::vector<std::string> heads(const Comparison& comparison, const std::string& first)
{
    std::vector<std::string> out{first};
    for (const ComparedRun& run : comparison.runs)
        out.push_back(printable(std::to_string(run.info.id) + " " + run.info.name));
    return out;
}

void printGraph(const std::string& part, const Comparison& comparison,
                const std::vector<GraphDifference>& differences)
{
    for (std::size_t i = 0; i < differences.size(); ++i) {
        if (differences[i].empty())
            continue;
        std::cout << "\n"
                  << part << ", " << printable(comparison.runs[0].info.name) << " -> "
                  << printable(comparison.runs[i + 1].info.name) << "\n";
        for (const NodeDifference& node : differences[i].nodes) {
            std::cout << "  " << nodeChangeName(node.change) << " "
                      << (node.after.empty() ? node.before : node.after) << " ("
                      << (node.kindAfter.empty() ? node.kindBefore : node.kindAfter) << ")";
            if (!node.before.empty() && !node.after.empty() && node.before != node.after)
                std::cout << ", was " << node.before;
            if (!node.kindBefore.empty() && !node.kindAfter.empty() && node.kindBefore != node.kindAfter)
                std::cout << ", was a " << node.kindBefore;
            for (const ParameterDifference& parameter : node.parameters)
                std::cout << ", " << parameter.name << " " << cell(parameter.before) << " -> "
                          << cell(parameter.after);
            std::cout << "\n";
        }
        for (const Edge& edge : differences[i].addedEdges)
            std::cout << "  added edge " << edge.from.text() << " -> " << edge.to.text() << "\n";
        for (const Edge& edge : differences[i].removedEdges)
            std::cout << "  removed edge " << edge.from.text() << " -> " << edge.to.text() << "\n";
    }
}

void printComparison(const Comparison& comparison)
{
    const Json json = comparisonJson(comparison);
    TextTable settings(heads(comparison, "setting"));
    for (const SettingDifference& setting : comparison.settings) {
        std::vector<std::string> row{setting.path};
        for (const auto& value : setting.values)
            row.push_back(cell(value));
        settings.add(std::move(row));
    }
    std::cout << (comparison.settings.empty() ? "All settings are the same.\n" : settings.text());
    TextTable metrics(heads(comparison, "series"));
    for (const Json& metric : json["metrics"]) {
        for (const char* which : {"last", "min", "max"}) {
            std::vector<std::string> row{printable(metric["series"].get<std::string>()) + " " + which};
            for (const Json& value : metric[which]) {
                double number = std::nan("");
                row.push_back(value.is_null() || !numberFromJson(value, number) ? "-" : numberText(number));
            }
            metrics.add(std::move(row));
        }
    }
    std::cout << "\n" << (json["metrics"].empty() ? "No metric differs.\n" : metrics.text());
    printGraph("Network", comparison, comparison.network);
    printGraph("Data", comparison, comparison.data);
    if (json["findings"].empty())
        return;
    TextTable findings(heads(comparison, "finding"));
    for (const Json& finding : json["findings"]) {
        std::vector<std::string> row{finding["rule"].get<std::string>() + " " +
                                     printable(finding["place"].get<std::string>())};
        for (const Json& step : finding["steps"])
            row.push_back(step.is_null() ? "-" : "step " + step.dump());
        findings.add(std::move(row));
    }
    std::cout << "\n" << findings.text();
}

/// Runs that are exported one file each: "run-12.csv", beside each other in a folder.
template <typename Export>
Result<Json> exportFiles(const FoundRuns& runs, const std::filesystem::path& folder,
                         const std::string& ending, Export write)
{
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error)
        return Error{ErrorCode::Unreadable,
                     "The folder cannot be made: " + error.message(),
                     folder.string(),
                     "Choose another one.",
                     {}};
    Json files = Json::array();
    for (const RunId run : runs.ids) {
        const std::filesystem::path file = folder / ("run-" + std::to_string(run) + ending);
        if (const Status written = write(runs.store, run, file); !written)
            return written.error();
        files.push_back(file.string());
    }
    return files;
}

Result<Json> exportAs(const Common& common, const RunExportArguments& arguments, const FoundRuns& runs)
{
    if (arguments.format == "csv")
        return exportFiles(runs, arguments.target, ".csv", exportRunCsv);
    if (arguments.format == "json")
        return exportFiles(runs, arguments.target, ".json", exportRunJson);
    if (arguments.format == "tensorboard") {
        const auto files = exportEventFolder(runs.store, runs.ids, arguments.target);
        if (!files)
            return files.error();
        Json out = Json::array();
        for (const auto& file : *files)
            out.push_back(file.string());
        return out;
    }
    if (runs.ids.size() != 1)
        return Error{ErrorCode::InvalidArgument,
                     "A capsule holds one run",
                     {},
                     "Export each run into a capsule of its own.",
                     {}};
    const auto report = exportCapsule(common.store, runs.ids[0], arguments.target);
    if (!report)
        return report.error();
    for (const std::string& missing : report->missing)
        std::cerr << "warning: the checkpoint " << printable(missing) << " is gone, the capsule lacks it\n";
    return Json::array({arguments.target.string()});
}

Result<ImportReport> importOne(const Common& common, const std::filesystem::path& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored) || isEventFileName(path))
        return importEventFolder(common.store, path);
    const std::string ending = path.extension().string();
    if (ending == ".csv" || ending == ".json")
        return importRunFile(common.store, path);
    const auto capsule = importCapsule(common.store, path);
    if (!capsule)
        return capsule.error();
    ImportReport report;
    report.runs = {capsule->run};
    return report;
}

struct ComparedRuns {
    RunStore store;
    Comparison comparison;
};

Result<ComparedRuns> compareNamed(const Common& common, const CompareArguments& arguments)
{
    auto runs = findRuns(common, arguments.runs);
    if (!runs)
        return runs.error();
    CompareOptions options;
    options.ignoredSettings = arguments.ignored;
    auto comparison = compareRuns(runs->store, runs->ids, options);
    if (!comparison)
        return comparison.error();
    return ComparedRuns{std::move(runs->store), std::move(*comparison)};
}

} // namespace

int compareRunsCommand(const Common& common, const CompareArguments& arguments)
{
    const auto compared = compareNamed(common, arguments);
    if (!compared)
        return fail(common, compared.error());
    if (common.json)
        printJson(comparisonJson(compared->comparison));
    else
        printComparison(compared->comparison);
    return kDone;
}

int reportRuns(const Common& common, const CompareArguments& arguments)
{
    const auto compared = compareNamed(common, arguments);
    if (!compared)
        return fail(common, compared.error());
    ReportOptions report;
    report.series = arguments.series;
    report.axis = arguments.over == "time"    ? CurveAxis::Time
                  : arguments.over == "epoch" ? CurveAxis::Epoch
                                              : CurveAxis::Step;
    if (const Status written = writeReport(arguments.file, compared->store, compared->comparison, report); !written)
        return fail(common, written.error());
    if (common.json)
        printJson({{"file", arguments.file.string()}});
    else
        std::cout << "The report is in " << arguments.file.string() << "\n";
    return kDone;
}

int exportRuns(const Common& common, const RunExportArguments& arguments)
{
    const auto runs = findRuns(common, arguments.runs);
    if (!runs)
        return fail(common, runs.error());
    const auto files = exportAs(common, arguments, *runs);
    if (!files)
        return fail(common, files.error());
    if (common.json)
        printJson({{"files", *files}});
    else
        for (const Json& file : *files)
            std::cout << printable(file.get<std::string>()) << "\n";
    return kDone;
}

int importRuns(const Common& common, const std::vector<std::filesystem::path>& paths)
{
    Json out = {
        {"runs", Json::array()}, {"points", 0}, {"left_out", Json::object()}, {"problems", Json::array()}};
    for (const std::filesystem::path& path : paths) {
        const auto report = importOne(common, path);
        if (!report)
            return fail(common, report.error());
        for (const RunId run : report->runs)
            out["runs"].push_back(run);
        out["points"] = out["points"].get<std::int64_t>() + report->points;
        for (const auto& [kind, count] : report->leftOut)
            out["left_out"][kind] = out["left_out"].value(kind, std::int64_t{0}) + count;
        for (const std::string& problem : report->problems)
            out["problems"].push_back(problem);
    }
    if (common.json) {
        printJson(out);
    } else {
        std::cout << out["runs"].size() << (out["runs"].size() == 1 ? " run" : " runs")
                  << " imported: " << out["runs"].dump() << "\n";
        for (const auto& [kind, count] : out["left_out"].items())
            std::cout << "left out: " << count << " values of the kind " << printable(kind) << "\n";
        for (const Json& problem : out["problems"])
            std::cout << "problem: " << printable(problem.get<std::string>()) << "\n";
    }
    return out["problems"].empty() ? kDone : kProblems;
}

} // namespace athanor::cli
