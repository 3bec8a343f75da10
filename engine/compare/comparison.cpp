#include "engine/compare/comparison.h"

#include <algorithm>

namespace athanor {
namespace {

Result<ComparedRun> readComparedRun(const RunStore& store, RunId id)
{
    ComparedRun out;
    auto info = store.run(id);
    if (!info)
        return info.error();
    out.info = std::move(*info);
    const auto text = store.projectText(id);
    if (!text)
        return text.error();
    if (auto loaded = parseProject(*text, out.info.projectFile))
        out.project = std::move(loaded->project);
    auto summaries = store.summaries(id);
    if (!summaries)
        return summaries.error();
    out.summaries = std::move(*summaries);
    auto events = store.events(id);
    if (!events)
        return events.error();
    out.events = std::move(*events);
    return out;
}

int placeOf(const std::string& series)
{
    if (series == "train/loss")
        return 0;
    if (series.starts_with("val/"))
        return 1;
    if (series.starts_with("train/"))
        return 2;
    return series == "lr" ? 3 : 4;
}

} // namespace

std::vector<std::string> Comparison::series() const
{
    std::vector<std::string> names;
    for (const ComparedRun& run : runs)
        for (const SeriesSummary& summary : run.summaries)
            if (summary.role != SeriesRole::Machine)
                names.push_back(summary.name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::stable_sort(names.begin(), names.end(),
                     [](const std::string& a, const std::string& b) { return placeOf(a) < placeOf(b); });
    return names;
}

Result<Comparison> compareRuns(const RunStore& store, std::span<const RunId> runs,
                               const CompareOptions& options)
{
    Comparison out;
    for (const RunId id : runs) {
        if (options.cancelled && options.cancelled())
            return Error{ErrorCode::Cancelled, "Cancelled", {}, {}, {}};
        if (options.progress)
            options.progress(out.runs.size(), runs.size());
        auto run = readComparedRun(store, id);
        if (!run)
            return run.error();
        out.runs.push_back(std::move(*run));
    }
    std::vector<const Project*> projects;
    for (const ComparedRun& run : out.runs)
        projects.push_back(run.project ? &*run.project : nullptr);
    out.settings = settingsDifference(projects, options.ignoredSettings);
    for (std::size_t i = 1; i < projects.size(); ++i) {
        const bool known = projects[0] != nullptr && projects[i] != nullptr;
        out.network.push_back(
            known ? graphDifference(projects[0]->network, projects[i]->network, layerCatalog())
                  : GraphDifference{});
        out.data.push_back(known ? graphDifference(projects[0]->data, projects[i]->data, dataCatalog())
                                 : GraphDifference{});
    }
    if (options.findings) {
        if (const Status added = addFindings(store, out, options); !added)
            return added.error();
    }
    return out;
}

Status addFindings(const RunStore& store, Comparison& comparison, const CompareOptions& options)
{
    std::vector<std::vector<Finding>> all;
    for (ComparedRun& run : comparison.runs) {
        if (options.progress)
            options.progress(all.size(), comparison.runs.size());
        auto findings = replayedFindings(store, run.info.id, options.cancelled);
        if (!findings)
            return findings.error();
        run.findings = std::move(*findings);
        all.push_back(run.findings);
    }
    comparison.findings = findingsDifference(all);
    return Done{};
}

} // namespace athanor
