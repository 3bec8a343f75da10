#include "engine/preflight/judge.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace athanor {

std::int64_t Judgement::allSamples() const
{
    std::int64_t all = 0;
    for (std::size_t part = 0; part < scan.parts.size(); ++part)
        all += has(part) ? data(part).size() : 0;
    return all;
}

std::string Judgement::columnName(const FieldLayout& layout, std::size_t column) const
{
    if (column < layout.columnNames.size())
        return "'" + layout.columnNames[column] + "'";
    return elementCount(layout.shape) == 1 ? "'" + layout.name + "'"
                                           : fmt::format("{}[{}]", layout.name, column);
}

std::string Judgement::rowName(std::size_t part, std::int64_t position) const
{
    return data(part).dataset->sampleName(data(part).samples[static_cast<std::size_t>(position)]);
}

DataFinding& Judgement::add(const char* rule, Severity severity, std::string node, std::string message,
                            const char* why)
{
    DataFinding found;
    found.finding.rule = rule;
    found.finding.severity = severity;
    found.finding.node = std::move(node);
    found.finding.message = std::move(message);
    found.finding.why = why;
    result.findings.push_back(std::move(found));
    return result.findings.back();
}

void Judgement::addSample(DataFinding& finding, std::size_t part, std::int64_t position,
                          std::string note) const
{
    ++finding.sampleCount;
    if (finding.samples.size() >= DataFinding::kMostSamples)
        return;
    const std::int64_t index = data(part).samples[static_cast<std::size_t>(position)];
    finding.samples.push_back(
        {part, index, rowName(part, position), data(part).dataset->filePath(index), std::move(note)});
}

void Judgement::addProblem(std::size_t part, std::int64_t position, const std::string& message,
                           const std::string& hint)
{
    if (result.problems.size() >= PreflightResult::kMostProblems)
        return;
    result.problems.push_back({dataPlace(data(part).source), Severity::Error,
                               fmt::format("{} (sample {}): {}", rowName(part, position),
                                           data(part).samples[static_cast<std::size_t>(position)], message),
                               hint});
}

std::string counted(std::int64_t count, const std::string& noun)
{
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string numberText(double value)
{
    return fmt::format("{:.4g}", value);
}

std::string percent(double share)
{
    return share > 0 && share < 0.01 ? fmt::format("{:.2g} %", share * 100)
                                     : fmt::format("{:.0f} %", share * 100);
}

SuggestedFix insertBeforeLoader(const Project& project, const std::string& kind, Json params)
{
    const auto& nodes = project.data.nodes();
    const auto loader = std::ranges::find_if(nodes, [](const Node& node) { return node.kind == "Loader"; });
    SuggestedFix fix{"Insert " + kind + " before the Loader"};
    if (loader == nodes.end() || project.data.incoming(loader->id).size() != 1)
        return fix;
    const Edge old = project.data.incoming(loader->id).front();
    std::string wish = kind;
    std::ranges::transform(wish, wish.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const NodeId id = freeNodeId(project.data, wish);
    edit::Sequence steps;
    steps.edits.push_back({edit::Disconnect{old}});
    steps.edits.push_back(
        {edit::AddNode{{id, kind, std::move(params), Json::object()}, std::nullopt, std::nullopt}});
    steps.edits.push_back({edit::Connect{{old.from, {id, {}}}, std::nullopt}});
    steps.edits.push_back({edit::Connect{{{id, {}}, old.to}, std::nullopt}});
    fix.graph = PartEdit{"data", {std::move(steps)}};
    return fix;
}

std::optional<SuggestedFix> setFix(const Project& project, const std::string& node,
                                   const std::string& parameter, const Json& value, std::string text)
{
    const std::string path = "data." + node + "." + parameter;
    Project changed = project;
    if (!setProjectValue(changed, path, value.dump()) || !checkData(changed.data).ok())
        return std::nullopt;
    return SuggestedFix{std::move(text), {path + "=" + value.dump()}};
}

} // namespace athanor
