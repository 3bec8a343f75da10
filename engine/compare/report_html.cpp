#include "engine/compare/report_html.h"

#include "engine/compare/report_svg.h"
#include "engine/project/text_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

// Okabe-Ito colours, safe for colour-blind eyes, as everywhere in the program.
constexpr const char* kStyle = R"css(
:root{--ground:#fff;--text:#1b1f24;--muted:#5b6570;--line:#d5dae0;--added:#00795a;--removed:#b3261e;--changed:#8a5a00;
--s0:#0072b2;--s1:#c65100;--s2:#00795a;--s3:#a9548a;--s4:#7a6a00;--s5:#2b87b8;--s6:#8a5a00;--s7:#444}
@media (prefers-color-scheme:dark){:root{--ground:#1b1e22;--text:#e6e9ec;--muted:#9aa4ae;--line:#3a4149;--added:#3fc59b;
--removed:#ff8a80;--changed:#f0b64a;--s0:#56a5e0;--s1:#f08a3c;--s2:#3fc59b;--s3:#e08fc0;--s4:#e5d85c;--s5:#8fd0f5;--s6:#f0b64a;--s7:#bbb}}
body{background:var(--ground);color:var(--text);font:14px/1.5 system-ui,sans-serif;margin:24px auto;max-width:1080px;padding:0 16px}
h1{font-size:22px}h2{font-size:17px;margin-top:32px}h3{font-size:14px;margin:20px 0 4px}
.scroll{overflow-x:auto}table{border-collapse:collapse}th,td{border-bottom:1px solid var(--line);padding:4px 12px 4px 0;text-align:left;vertical-align:top}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font-family:ui-monospace,monospace;font-size:13px}.muted{color:var(--muted)}
svg{width:100%;height:auto;display:block}svg text{font:12px system-ui,sans-serif;fill:var(--text)}svg text.muted{fill:var(--muted)}
.grid{stroke:var(--line);stroke-width:1}.line{fill:none;stroke-width:1.5}.dashed{stroke-dasharray:6 4}
.line.s0{stroke:var(--s0)}.line.s1{stroke:var(--s1)}.line.s2{stroke:var(--s2)}.line.s3{stroke:var(--s3)}.line.s4{stroke:var(--s4)}.line.s5{stroke:var(--s5)}.line.s6{stroke:var(--s6)}.line.s7{stroke:var(--s7)}
.mark.s0{fill:var(--s0)}.mark.s1{fill:var(--s1)}.mark.s2{fill:var(--s2)}.mark.s3{fill:var(--s3)}.mark.s4{fill:var(--s4)}.mark.s5{fill:var(--s5)}.mark.s6{fill:var(--s6)}.mark.s7{fill:var(--s7)}
.key{display:inline-block;width:14px;height:3px;margin-right:6px;vertical-align:middle}
.edge{fill:none;stroke:var(--muted)}.edge.added{stroke:var(--added);stroke-width:2}.edge.removed{stroke:var(--removed);stroke-width:2;stroke-dasharray:6 4}
.node rect{fill:var(--ground);stroke:var(--line)}.node.added rect{stroke:var(--added);stroke-width:2}.node.removed rect{stroke:var(--removed);stroke-width:2;stroke-dasharray:6 4}.node.changed rect,.node.renamed rect{stroke:var(--changed);stroke-width:2}
.sign{font-weight:bold}.added .sign,.c-added{fill:var(--added);color:var(--added)}.removed .sign,.c-removed{fill:var(--removed);color:var(--removed)}.changed .sign,.renamed .sign,.c-changed,.c-renamed{fill:var(--changed);color:var(--changed)}
)css";

std::string number(double value)
{
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "\xE2\x88\x9E" : "\xE2\x88\x92\xE2\x88\x9E";
    return fmt::format("{:.6g}", value);
}

std::string valueText(const std::optional<Json>& value)
{
    if (!value)
        return "<td class=\"muted\">\xE2\x80\x93</td>";
    if (value->is_null())
        return "<td class=\"muted\">none</td>";
    return "<td><code>" + escapedHtml(value->is_string() ? value->get<std::string>() : value->dump()) +
           "</code></td>";
}

std::string runKey(std::size_t run)
{
    return fmt::format("<span class=\"key\" style=\"background:var(--s{})\"></span>", run % 8);
}

std::string runHeads(const Comparison& comparison)
{
    std::string out;
    for (std::size_t i = 0; i < comparison.runs.size(); ++i)
        out += "<th>" + runKey(i) + escapedHtml(comparison.runs[i].info.name) + "</th>";
    return out;
}

std::string runsTable(const Comparison& comparison)
{
    std::string out =
        "<div "
        "class=\"scroll\"><table><tr><th>Run</th><th>Id</th><th>Status</th><th>Steps</th><th>Seconds</th>"
        "<th>Tags</th><th>Note</th></tr>\n";
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        const RunInfo& info = comparison.runs[i].info;
        std::string tags;
        for (const std::string& tag : info.tags)
            tags += (tags.empty() ? "" : ", ") + tag;
        const std::string status =
            runStatusName(info.status) + (info.failure.empty() ? "" : ": " + info.failure);
        out += fmt::format("<tr><td>{}{}</td><td class=\"n\">{}</td><td>{}</td><td class=\"n\">{}</td><td "
                           "class=\"n\">{}</td>"
                           "<td>{}</td><td>{}</td></tr>\n",
                           runKey(i), escapedHtml(info.name), info.id, escapedHtml(status), info.steps,
                           number(info.seconds), escapedHtml(tags), escapedHtml(info.note));
    }
    return out + "</table></div>\n";
}

std::string settingsTable(const Comparison& comparison)
{
    if (comparison.runs.size() < 2)
        return {};
    if (comparison.settings.empty())
        return "<h2>Settings</h2><p>All settings are the same.</p>\n";
    std::string out = "<h2>Settings that differ</h2><div class=\"scroll\"><table><tr><th>Setting</th>" +
                      runHeads(comparison) + "</tr>\n";
    for (const SettingDifference& setting : comparison.settings) {
        out += "<tr><td><code>" + escapedHtml(setting.path) + "</code></td>";
        for (const auto& value : setting.values)
            out += valueText(value);
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
}

std::string metricsTable(const Comparison& comparison, const std::vector<std::string>& series)
{
    std::string out = "<h2>Metrics</h2><div class=\"scroll\"><table><tr><th>Series</th><th></th>" +
                      runHeads(comparison) + "</tr>\n";
    for (const std::string& name : series) {
        for (const char* which : {"last", "min", "max"}) {
            const std::string_view kind(which);
            out += "<tr><td>" + (kind == "last" ? "<code>" + escapedHtml(name) + "</code>" : std::string()) +
                   "</td><td class=\"muted\">" + which + "</td>";
            for (const ComparedRun& run : comparison.runs) {
                const auto found =
                    std::find_if(run.summaries.begin(), run.summaries.end(),
                                 [&name](const SeriesSummary& one) { return one.name == name; });
                if (found == run.summaries.end() || found->count == 0)
                    out += "<td class=\"n muted\">\xE2\x80\x93</td>";
                else
                    out += "<td class=\"n\">" +
                           number(kind == "last"  ? found->last
                                  : kind == "min" ? found->min
                                                  : found->max) +
                           "</td>";
            }
            out += "</tr>\n";
        }
    }
    return out + "</table></div>\n";
}

std::string nodeLine(const NodeDifference& node)
{
    std::string out = fmt::format("<li><span class=\"c-{0}\">{0}</span> ", nodeChangeName(node.change));
    const bool renamed = !node.before.empty() && !node.after.empty() && node.before != node.after;
    out += "<code>" + escapedHtml(node.after.empty() ? node.before : node.after) + "</code>";
    if (renamed)
        out += " (was <code>" + escapedHtml(node.before) + "</code>)";
    out += " " + escapedHtml(node.kindAfter.empty() ? node.kindBefore : node.kindAfter);
    if (!node.kindBefore.empty() && !node.kindAfter.empty() && node.kindBefore != node.kindAfter)
        out += " (was " + escapedHtml(node.kindBefore) + ")";
    for (const ParameterDifference& parameter : node.parameters)
        out += fmt::format("; <code>{}: {} \xE2\x86\x92 {}</code>", escapedHtml(parameter.name),
                           escapedHtml(parameter.before ? parameter.before->dump() : "\xE2\x80\x93"),
                           escapedHtml(parameter.after ? parameter.after->dump() : "\xE2\x80\x93"));
    return out + "</li>\n";
}

std::string graphSection(const std::string& title, const Graph& before, const Graph& after,
                         const GraphDifference& difference)
{
    std::string out = "<h3>" + title + "</h3>\n";
    if (difference.empty())
        return out + "<p>The same.</p>\n";
    out += "<div class=\"scroll\">" + networkSvg(mergedGraph(before, after, difference)) + "</div><ul>\n";
    for (const NodeDifference& node : difference.nodes)
        out += nodeLine(node);
    for (const Edge& edge : difference.addedEdges)
        out += "<li><span class=\"c-added\">edge added</span> <code>" +
               escapedHtml(edge.from.text() + " \xE2\x86\x92 " + edge.to.text()) + "</code></li>\n";
    for (const Edge& edge : difference.removedEdges)
        out += "<li><span class=\"c-removed\">edge removed</span> <code>" +
               escapedHtml(edge.from.text() + " \xE2\x86\x92 " + edge.to.text()) + "</code></li>\n";
    return out + "</ul>\n";
}

std::string networkSections(const Comparison& comparison)
{
    const ComparedRun& first = comparison.runs.front();
    if (!first.project)
        return {};
    if (comparison.runs.size() == 1)
        return "<h2>Network</h2><div class=\"scroll\">" +
               networkSvg(mergedGraph(first.project->network, first.project->network, {})) + "</div>\n";
    std::string out = "<h2>Network and data</h2>\n";
    for (std::size_t i = 1; i < comparison.runs.size(); ++i) {
        const ComparedRun& run = comparison.runs[i];
        if (!run.project)
            continue;
        const std::string pair = escapedHtml(first.info.name) + " \xE2\x86\x92 " + escapedHtml(run.info.name);
        out += graphSection("Network: " + pair, first.project->network, run.project->network,
                            comparison.network[i - 1]);
        out += graphSection("Data: " + pair, first.project->data, run.project->data, comparison.data[i - 1]);
    }
    return out;
}

std::string findingsTable(const Comparison& comparison)
{
    if (comparison.findings.empty())
        return "<h2>Findings</h2><p>None.</p>\n";
    std::string out = "<h2>Findings</h2><div class=\"scroll\"><table><tr><th>Finding</th>" +
                      runHeads(comparison) + "</tr>\n";
    for (const FindingDifference& finding : comparison.findings) {
        out += "<tr><td><code>" + escapedHtml(finding.rule) + "</code><br>" + escapedHtml(finding.message) +
               "</td>";
        for (const std::int64_t step : finding.steps)
            out += step < 0 ? "<td class=\"muted\">\xE2\x80\x93</td>"
                            : fmt::format("<td>from step {}</td>", step);
        out += "</tr>\n";
    }
    return out + "</table></div>\n";
}

std::vector<std::string> usualSeries(const Comparison& comparison)
{
    std::vector<std::string> out;
    for (const std::string& name : comparison.series())
        if (name.starts_with("train/") || name.starts_with("val/") || name.starts_with("test/") ||
            name == "lr")
            out.push_back(name);
    return out;
}

Result<std::string> chart(const RunStore& store, const Comparison& comparison, const std::string& series,
                          CurveAxis axis)
{
    std::vector<ChartCurve> curves;
    for (std::size_t i = 0; i < comparison.runs.size(); ++i) {
        const ComparedRun& run = comparison.runs[i];
        const bool has = std::any_of(run.summaries.begin(), run.summaries.end(),
                                     [&series](const SeriesSummary& one) { return one.name == series; });
        if (!has)
            continue;
        const auto points = store.points(run.info.id, series);
        if (!points)
            return points.error();
        curves.push_back({run.info.name, StepMap::make(axis, run.info, run.events).curve(*points),
                          static_cast<int>(i), series.starts_with("val/")});
    }
    const char* title = axis == CurveAxis::Step   ? "step"
                        : axis == CurveAxis::Time ? "seconds of training"
                                                  : "epoch";
    return "<h3><code>" + escapedHtml(series) + "</code></h3>\n" + chartSvg(curves, title);
}

} // namespace

Result<std::string> reportHtml(const RunStore& store, const Comparison& comparison,
                               const ReportOptions& options)
{
    if (comparison.runs.empty())
        return Error{
            ErrorCode::InvalidArgument, "There is no run to report on", {}, "Name at least one run.", {}};
    std::string title = options.title;
    for (const ComparedRun& run : comparison.runs)
        if (options.title.empty())
            title += (title.empty() ? "" : ", ") + run.info.name;
    const std::vector<std::string> series = options.series.empty() ? usualSeries(comparison) : options.series;
    std::string out =
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>" +
        escapedHtml(title) + "</title><style>" + kStyle + "</style></head><body>\n<h1>" + escapedHtml(title) +
        "</h1>\n" + runsTable(comparison) + settingsTable(comparison) + metricsTable(comparison, series) +
        "<h2>Curves</h2>\n<p>";
    for (std::size_t i = 0; i < comparison.runs.size(); ++i)
        out += runKey(i) + escapedHtml(comparison.runs[i].info.name) + " &nbsp; ";
    out += "</p>\n";
    for (const std::string& name : series) {
        const auto drawn = chart(store, comparison, name, options.axis);
        if (!drawn)
            return drawn.error();
        out += *drawn;
    }
    return out + networkSections(comparison) + findingsTable(comparison) + "</body></html>\n";
}

Status writeReport(const std::filesystem::path& file, const RunStore& store, const Comparison& comparison,
                   const ReportOptions& options)
{
    const auto text = reportHtml(store, comparison, options);
    return text ? replaceTextFile(file, *text) : Status(text.error());
}

} // namespace athanor
