#include "app/cli/output.h"
#include "engine/store/run_filter.h"
#include "engine/store/run_trash.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <iostream>

namespace athanor::cli {
namespace {

Json runJson(const RunInfo& run)
{
    return {{"id", run.id},
            {"name", run.name},
            {"project", run.project},
            {"file", run.projectFile},
            {"status", runStatusName(run.status)},
            {"started", isoTime(run.startedMs)},
            {"stored_until_ms", run.heartbeatMs},
            {"seconds", run.seconds},
            {"steps", run.steps},
            {"epochs", run.epochs},
            {"tags", run.tags},
            {"note", run.note}};
}

Json summaryJson(const RunStore& store, RunId run)
{
    Json summary = Json::object();
    if (const auto summaries = store.summaries(run))
        for (const SeriesSummary& s : *summaries)
            if (s.role == SeriesRole::Essential && s.count > 0)
                summary[s.name] = jsonNumber(s.last);
    return summary;
}

Json seriesSummaryJson(const SeriesSummary& s)
{
    const bool isHighest = naturalMode(s.name) == MonitorMode::Max;
    return {{"name", s.name},         {"unit", s.unit},
            {"best", jsonNumber(isHighest ? s.max : s.min)}, {"best_step", isHighest ? s.maxStep : s.minStep},
            {"count", s.count},       {"non_finite", s.nonFinite},
            {"last_step", s.lastStep}, {"last", jsonNumber(s.last)},
            {"min", jsonNumber(s.min)}, {"min_step", s.minStep},
            {"max", jsonNumber(s.max)}, {"max_step", s.maxStep}};
}

// CSV in long form: every point a row, so that series with different steps need no holes.
std::string csvLine(const std::string& series, std::int64_t step, double value)
{
    std::string name = series;
    if (name.find_first_of(",\"\n") != std::string::npos) {
        std::string quoted = "\"";
        for (const char c : name)
            quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        name = quoted + "\"";
    }
    char number[40];
    std::snprintf(number, sizeof number, "%.17g", value);
    return name + "," + std::to_string(step) + "," + number + "\n";
}

std::string noRunsText(const Common& common)
{
    return "No runs in " + common.store.string() + " yet: athanor-cli train PROJECT makes one\n";
}

std::string runTable(const RunStore& store, const std::vector<RunInfo>& runs)
{
    TextTable table({"id", "name", "status", "started", "time", "steps", "last values"});
    for (const RunInfo& run : runs) {
        std::string last;
        const Json summary = summaryJson(store, run.id);
        for (const char* series : {"train/loss", "val/loss", "val/accuracy", "val/r2"}) {
            double value = 0;
            if (summary.contains(series) && numberFromJson(summary[series], value))
                last += std::string(last.empty() ? "" : "  ") + series + " " + numberText(value);
        }
        table.add({std::to_string(run.id), run.name, runStatusName(run.status), isoTime(run.startedMs),
                   durationText(run.seconds), std::to_string(run.steps), last});
    }
    return table.text();
}

/// The runs that are asked for, in the order that is asked for.
Result<std::vector<RunInfo>> wantedRuns(const RunStore& store, const ListArguments& arguments, std::vector<RunInfo> runs)
{
    if (arguments.where.empty() && arguments.sort.empty())
        return runs;
    std::vector<RunFacts> facts;
    facts.reserve(runs.size());
    for (RunInfo& run : runs) {
        auto summaries = store.summaries(run.id);
        if (!summaries)
            return summaries.error();
        const auto project = store.projectText(run.id);
        if (!project)
            return project.error();
        facts.emplace_back(std::move(run), std::move(*summaries), *project);
    }
    if (!arguments.where.empty()) {
        const auto filter = RunFilter::parse(arguments.where);
        if (!filter)
            return filter.error();
        if (const Status known = filter->checkNames(facts); !known.ok())
            return known.error();
        std::erase_if(facts, [&](const RunFacts& run) { return !filter->accepts(run); });
    }
    if (!arguments.sort.empty()) {
        const bool falling = arguments.sort.front() == '-';
        sortRuns(facts, std::string_view(arguments.sort).substr(falling ? 1 : 0), falling);
    }
    std::vector<RunInfo> out;
    out.reserve(facts.size());
    for (const RunFacts& run : facts)
        out.push_back(run.info());
    return out;
}

Result<std::vector<RunInfo>> listedRuns(const Common& common, const RunStore& store, const ListArguments& arguments)
{
    if (!arguments.trash) {
        auto runs = store.runs();
        return runs ? wantedRuns(store, arguments, std::move(*runs)) : std::move(runs);
    }
    const auto trash = RunTrash::open(common.store);
    if (!trash)
        return trash.error();
    const auto trashed = trash->runs();
    if (!trashed)
        return trashed.error();
    std::vector<RunInfo> runs;
    for (const TrashedRun& run : *trashed)
        runs.push_back(run.info);
    return wantedRuns(store, arguments, std::move(runs));
}

/// The store to look through and repair, which must be there.
Result<RunStore> storeToVerify(const Common& common)
{
    Result<RunStore> store = RunStore::openToRead(common.store);
    if (store)
        store = RunStore::open(common.store);
    if (store || store.error().code != ErrorCode::Unreadable)
        return store;
    Error error = store.error();
    error.hint = "Go back to a copy of it; `sqlite3 FILE .recover` may save a part of what it held.";
    return error;
}

struct OpenRun {
    RunStore store;
    RunId id;
};

Result<OpenRun> openRun(const Common& common, const std::string& run)
{
    Result<RunStore> store = RunStore::openToRead(common.store);
    if (!store)
        return store.error();
    const Result<RunId> id = store->findRun(run);
    if (!id)
        return id.error();
    return OpenRun{std::move(*store), *id};
}

// The series that `runs series` prints when none is named.
Result<std::vector<std::string>> seriesToPrint(const OpenRun& run, const SeriesArguments& arguments, std::vector<std::string>& leftOut)
{
    const auto summaries = run.store.summaries(run.id);
    if (!summaries)
        return summaries.error();
    std::vector<std::string> names;
    for (const SeriesSummary& s : *summaries) {
        if (s.role == SeriesRole::Machine && !arguments.all)
            leftOut.push_back(s.name);
        else
            names.push_back(s.name);
    }
    return names;
}

} // namespace

int listRuns(const Common& common, const ListArguments& arguments)
{
    // A filter that cannot be read is told of, also when there is nothing to filter yet.
    if (!arguments.where.empty())
        if (const auto filter = RunFilter::parse(arguments.where); !filter)
            return fail(common, filter.error());
    const Result<RunStore> store = RunStore::openToRead(common.store);
    if (!store) {
        // The usual store comes with the first run; one that was named must be there.
        if (store.error().code != ErrorCode::NotFound || common.storeIsNamed)
            return fail(common, store.error());
        if (common.json)
            printJson(Json::array());
        else
            std::cout << noRunsText(common);
        return kDone;
    }
    const auto runs = listedRuns(common, *store, arguments);
    if (!runs)
        return fail(common, runs.error());
    if (common.json) {
        Json out = Json::array();
        for (const RunInfo& run : *runs) {
            out.push_back(runJson(run));
            out.back()["summary"] = summaryJson(*store, run.id);
        }
        printJson(out);
        return kDone;
    }
    const bool isPart = arguments.trash || !arguments.where.empty();
    if (runs->empty())
        std::cout << (isPart ? "No such runs\n" : noRunsText(common));
    else
        std::cout << runTable(*store, *runs);
    return kDone;
}

int showRun(const Common& common, const std::string& run)
{
    const Result<OpenRun> open = openRun(common, run);
    if (!open)
        return fail(common, open.error());
    const auto info = open->store.run(open->id);
    if (!info)
        return fail(common, info.error());
    const auto summaries = open->store.summaries(open->id);
    if (!summaries)
        return fail(common, summaries.error());
    const auto events = open->store.events(open->id);
    if (!events)
        return fail(common, events.error());
    const auto checkpoints = open->store.checkpoints(open->id);
    if (!checkpoints)
        return fail(common, checkpoints.error());
    Json out = runJson(*info);
    out["environment"] = info->environment;
    out["failure"] = info->failure.empty() ? Json() : Json(info->failure);
    out["summary"] = summaryJson(open->store, open->id);
    out["series"] = Json::array();
    for (const SeriesSummary& s : *summaries)
        out["series"].push_back(seriesSummaryJson(s));
    out["events"] = Json::array();
    for (const Event& event : *events)
        out["events"].push_back({{"step", event.step},
                                 {"time", isoTime(event.wallMilliseconds)},
                                 {"kind", eventKindName(event.kind)},
                                 {"text", event.text},
                                 {"where", event.where}});
    out["checkpoints"] = Json::array();
    for (const CheckpointInfo& c : *checkpoints)
        out["checkpoints"].push_back({{"step", c.step}, {"file", c.file}, {"best", c.best}, {"monitored", jsonNumber(c.monitored)}});
    if (common.json) {
        printJson(out);
        return kDone;
    }
    std::cout << "Run " << info->id << " '" << printable(info->name) << "' (" << printable(info->project) << "): " << runStatusName(info->status) << ", "
              << info->steps << " steps in " << durationText(info->seconds) << ", started " << isoTime(info->startedMs) << "\n";
    if (!info->failure.empty())
        std::cout << printable(info->failure) << "\n";
    TextTable table({"series", "points", "non-finite", "last", "best", "at step", "min", "at step", "max", "at step"});
    for (const SeriesSummary& s : *summaries) {
        const bool isHighest = naturalMode(s.name) == MonitorMode::Max;
        table.add({s.name, std::to_string(s.count), std::to_string(s.nonFinite), numberText(s.last),
                   numberText(isHighest ? s.max : s.min), std::to_string(isHighest ? s.maxStep : s.minStep), numberText(s.min),
                   std::to_string(s.minStep), numberText(s.max), std::to_string(s.maxStep)});
    }
    std::cout << "\n" << table.text();
    if (!out["events"].empty())
        std::cout << "\n";
    for (const Json& event : out["events"])
        std::cout << event["time"].get<std::string>() << "  step " << event["step"] << "  "
                  << printable(event["text"].get<std::string>()) << "\n";
    return kDone;
}

int printSeries(const Common& common, const SeriesArguments& arguments)
{
    const Result<OpenRun> open = openRun(common, arguments.run);
    if (!open)
        return fail(common, open.error());
    std::vector<std::string> names = arguments.series;
    std::vector<std::string> leftOut;
    if (names.empty()) {
        const auto all = seriesToPrint(*open, arguments, leftOut);
        if (!all)
            return fail(common, all.error());
        names = *all;
    }
    Json out = {{"series", Json::object()}};
    if (!arguments.csv && !leftOut.empty()) {
        out["left_out"] = leftOut;
        spdlog::info("Left out, as they tell of the machine and differ between equal runs: {} series (--all prints them)", leftOut.size());
    }
    if (arguments.csv)
        std::cout << "series,step,value\n";
    for (const std::string& name : names) {
        const auto points = open->store.points(open->id, name, arguments.from, arguments.to);
        if (!points)
            return fail(common, points.error());
        if (arguments.csv) {
            for (std::size_t i = 0; i < points->steps.size(); ++i)
                std::cout << csvLine(name, points->steps[i], points->values[i]);
            continue;
        }
        Json values = Json::array();
        for (const double value : points->values)
            values.push_back(jsonNumber(value));
        out["series"][name] = {{"steps", points->steps}, {"values", std::move(values)}};
    }
    if (arguments.csv)
        std::cout.flush();
    else if (common.json)
        printJson(out);
    else
        for (const auto& [name, series] : out["series"].items())
            for (std::size_t i = 0; i < series["steps"].size(); ++i)
                std::cout << printable(name) << "  " << series["steps"][i] << "  " << series["values"][i].dump() << "\n";
    return kDone;
}

int verifyStore(const Common& common)
{
    Result<RunStore> store = storeToVerify(common);
    if (!store)
        return fail(common, store.error());
    const Result<VerifyReport> report = store->verify();
    if (!report)
        return fail(common, report.error());
    if (common.json)
        printJson({{"clean", report->clean},
                   {"runs", report->runs},
                   {"series", report->series},
                   {"points", report->points},
                   {"problems", report->problems},
                   {"repaired", report->repairs}});
    else {
        std::cout << report->runs << " runs, " << report->series << " series, " << report->points << " points\n";
        for (const std::string& problem : report->problems)
            std::cout << "problem: " << printable(problem) << "\n";
        for (const std::string& repair : report->repairs)
            std::cout << "repaired: " << printable(repair) << "\n";
        std::cout << (report->clean ? "The store is clean.\n" : "");
    }
    return report->clean ? kDone : kProblems;
}

} // namespace athanor::cli
