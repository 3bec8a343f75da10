#include "engine/compare/overlay.h"

#include <algorithm>

namespace athanor {
namespace {

bool isSeed(const std::string& path)
{
    return path == "seed" || path.ends_with(".seed");
}

std::string textOf(const std::optional<Json>& value)
{
    if (!value)
        return "\xE2\x80\x93";
    return value->is_string() ? value->get<std::string>() : value->dump();
}

/// "lr", not "training.optimizer.lr": what the path ends with.
std::string shortName(const std::string& path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string::npos ? path : path.substr(dot + 1);
}

std::string labelOf(const Comparison& comparison, std::size_t run, const std::string& by)
{
    std::string label;
    if (by == kGroupByTag) {
        for (const std::string& tag : comparison.runs[run].info.tags)
            label += (label.empty() ? "" : ", ") + tag;
        return label.empty() ? "no tag" : label;
    }
    for (const SettingDifference& setting : comparison.settings) {
        const bool counts = by == kGroupBySeeds ? !isSeed(setting.path) : setting.path == by;
        if (!counts)
            continue;
        label += (label.empty() ? "" : ", ") + shortName(setting.path) + " = " + textOf(setting.values[run]);
    }
    return label.empty() ? "all alike" : label;
}

OverlayLine lineOf(std::size_t index, const RunGroup& group, std::span<const Curve> curves, BandKind kind)
{
    OverlayLine line;
    line.group = index;
    std::vector<Curve> members;
    for (const std::size_t run : group.runs)
        if (!curves[run].empty())
            members.push_back(curves[run]);
    if (members.size() == 1)
        line.curve = std::move(members.front());
    if (members.size() < 2)
        return line;
    Band band = bandOf(members);
    for (std::size_t i = 0; kind == BandKind::Deviation && i < band.x.size(); ++i) {
        band.low[i] = band.mean[i] - band.deviation[i];
        band.high[i] = band.mean[i] + band.deviation[i];
    }
    line.curve = {std::move(band.x), std::move(band.mean)};
    line.low = std::move(band.low);
    line.high = std::move(band.high);
    return line;
}

void subtract(OverlayLine& line, const Curve& baseline)
{
    const auto less = [&](std::vector<double>& values) {
        if (!values.empty())
            values = differenceTo({line.curve.x, values}, baseline).y;
    };
    less(line.low);
    less(line.high);
    line.curve = differenceTo(line.curve, baseline);
}

} // namespace

std::vector<RunGroup> groupRuns(const Comparison& comparison, const std::string& by)
{
    std::vector<RunGroup> groups;
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        const std::string label = by.empty() ? comparison.runs[run].info.name : labelOf(comparison, run, by);
        const auto found = std::find_if(groups.begin(), groups.end(),
                                        [&label](const RunGroup& group) { return group.label == label; });
        if (by.empty() || found == groups.end())
            groups.push_back({label, {run}});
        else
            found->runs.push_back(run);
    }
    return groups;
}

std::vector<OverlayLine> overlayLines(const Comparison& comparison, std::span<const SeriesPoints> points,
                                      std::span<const RunGroup> groups, const OverlaySettings& settings)
{
    std::vector<Curve> curves;
    for (std::size_t run = 0; run < comparison.runs.size(); ++run) {
        const ComparedRun& compared = comparison.runs[run];
        curves.push_back(StepMap::make(settings.axis, compared.info, compared.events).curve(points[run]));
        if (settings.value == OverlayValue::BestSoFar)
            curves.back() = bestSoFar(curves.back(), settings.better);
    }
    std::vector<OverlayLine> lines;
    Curve baseline;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        OverlayLine line = lineOf(i, groups[i], curves, settings.band);
        if (settings.value == OverlayValue::Difference && i == settings.baseline)
            baseline = std::move(line.curve);
        else if (!line.curve.empty())
            lines.push_back(std::move(line));
    }
    if (settings.value == OverlayValue::Difference) {
        for (OverlayLine& line : lines)
            subtract(line, baseline);
        std::erase_if(lines, [](const OverlayLine& line) { return line.curve.empty(); });
    }
    return lines;
}

} // namespace athanor
