#include "engine/compare/comparison.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

const SeriesSummary* summaryOf(const ComparedRun& run, const std::string& series)
{
    const auto found =
        std::find_if(run.summaries.begin(), run.summaries.end(),
                     [&series](const SeriesSummary& summary) { return summary.name == series; });
    return found == run.summaries.end() ? nullptr : &*found;
}

Json metricJson(const Comparison& comparison, const std::string& series)
{
    Json out = {{"series", series},
                {"last", Json::array()},
                {"min", Json::array()},
                {"max", Json::array()},
                {"count", Json::array()}};
    for (const ComparedRun& run : comparison.runs) {
        const SeriesSummary* summary = summaryOf(run, series);
        const bool known = summary != nullptr && summary->count > 0;
        // A series whose values are all NaN has no extremes.
        const bool someFinite = known && !std::isnan(summary->min);
        out["last"].push_back(known ? jsonNumber(summary->last) : Json());
        out["min"].push_back(someFinite ? jsonNumber(summary->min) : Json());
        out["max"].push_back(someFinite ? jsonNumber(summary->max) : Json());
        out["count"].push_back(known ? Json(summary->count) : Json());
    }
    return out;
}

bool isSame(const Json& values)
{
    return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

} // namespace

Json comparisonJson(const Comparison& comparison)
{
    Json out = {{"runs", Json::array()}, {"config", Json::array()},  {"network", Json::array()},
                {"data", Json::array()}, {"metrics", Json::array()}, {"findings", Json::array()}};
    for (const ComparedRun& run : comparison.runs)
        out["runs"].push_back({{"id", run.info.id},
                               {"name", run.info.name},
                               {"status", runStatusName(run.info.status)},
                               {"steps", run.info.steps},
                               {"seconds", run.info.seconds}});
    for (const SettingDifference& setting : comparison.settings) {
        Json values = Json::array();
        for (const auto& value : setting.values)
            values.push_back(value ? *value : Json());
        out["config"].push_back({{"path", setting.path}, {"values", std::move(values)}});
    }
    for (const GraphDifference& difference : comparison.network)
        out["network"].push_back(graphDifferenceJson(difference));
    for (const GraphDifference& difference : comparison.data)
        out["data"].push_back(graphDifferenceJson(difference));
    for (const std::string& series : comparison.series()) {
        Json metric = metricJson(comparison, series);
        if (!isSame(metric["last"]) || !isSame(metric["min"]) || !isSame(metric["max"]) ||
            !isSame(metric["count"]))
            out["metrics"].push_back(std::move(metric));
    }
    for (const FindingDifference& finding : comparison.findings) {
        if (finding.inAll())
            continue;
        Json steps = Json::array();
        for (const std::int64_t step : finding.steps)
            steps.push_back(step < 0 ? Json() : Json(step));
        out["findings"].push_back(
            {{"rule", finding.rule}, {"place", finding.place}, {"steps", std::move(steps)}});
    }
    return out;
}

} // namespace athanor
