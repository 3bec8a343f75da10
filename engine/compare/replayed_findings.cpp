#include "engine/compare/replayed_findings.h"

#include "engine/diagnose/diagnosis_engine.h"

#include <algorithm>
#include <map>

namespace athanor {

Result<std::vector<Finding>> replayedFindings(const RunStore& store, RunId run,
                                              const std::function<bool()>& cancelled)
{
    const auto summaries = store.summaries(run);
    if (!summaries)
        return summaries.error();
    const auto events = store.events(run);
    if (!events)
        return events.error();
    DiagnosisEngine rules;
    std::vector<Sample> samples;
    SeriesIndex index = 0;
    for (const SeriesSummary& summary : *summaries) {
        if (cancelled && cancelled())
            return Error{ErrorCode::Cancelled, "Cancelled", {}, {}, {}};
        rules.addSeries({summary.name, summary.unit, summary.role});
        const auto points = store.points(run, summary.name);
        if (!points)
            return points.error();
        for (std::size_t i = 0; i < points->steps.size(); ++i)
            samples.push_back({index, points->steps[i], points->values[i]});
        ++index;
    }
    std::stable_sort(samples.begin(), samples.end(),
                     [](const Sample& a, const Sample& b) { return a.step < b.step; });
    std::size_t next = 0;
    for (const Event& event : *events) {
        const std::size_t from = next;
        while (next < samples.size() && samples[next].step <= event.step)
            ++next;
        rules.addSamples(std::span(samples).subspan(from, next - from));
        rules.addEvent(event);
    }
    rules.addSamples(std::span(samples).subspan(next));
    return rules.findings();
}

bool FindingDifference::inAll() const
{
    return std::find(steps.begin(), steps.end(), -1) == steps.end();
}

std::vector<FindingDifference> findingsDifference(const std::vector<std::vector<Finding>>& findings)
{
    std::map<std::pair<std::string, std::string>, FindingDifference> byPlace;
    for (std::size_t run = 0; run < findings.size(); ++run) {
        for (const Finding& finding : findings[run]) {
            const std::string& place = finding.node.empty() ? finding.series : finding.node;
            FindingDifference& entry = byPlace[{finding.rule, place}];
            if (entry.steps.empty()) {
                entry = {finding.rule, place, std::vector<std::int64_t>(findings.size(), -1), finding.message,
                         finding.severity};
            }
            if (entry.steps[run] < 0)
                entry.steps[run] = finding.firstStep;
        }
    }
    std::vector<FindingDifference> out;
    for (auto& [key, entry] : byPlace)
        out.push_back(std::move(entry));
    return out;
}

} // namespace athanor
