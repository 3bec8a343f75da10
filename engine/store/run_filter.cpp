// What filters know of a run, how they decide, and the order of runs.
#include "engine/store/run_filter.h"

#include "engine/graph/name_match.h"
#include "engine/project/project_settings.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <set>

namespace athanor {
namespace {

constexpr std::array<std::string_view, 9> kOwnNames{"id",   "name",    "project", "status", "note",
                                                    "tag", "seconds", "steps",   "epochs"};

using Parameters = std::vector<std::pair<std::string, RunValue>>;

void addParameters(const std::string& path, const Json& value, Parameters& out)
{
    if (value.is_boolean())
        out.emplace_back(path, value.get<bool>() ? 1.0 : 0.0);
    else if (value.is_number())
        out.emplace_back(path, value.get<double>());
    else if (value.is_string())
        out.emplace_back(path, value.get<std::string>());
    else if (value.is_object())
        for (const auto& [key, inner] : value.items())
            addParameters(path + "." + key, inner, out);
    else if (value.is_array())
        for (std::size_t i = 0; i < value.size(); ++i)
            addParameters(path + "." + std::to_string(i), value[i], out);
}

void addNodes(const Json& project, const char* graph, Parameters& out)
{
    const auto part = project.find(graph);
    if (part == project.end() || !part->is_object() || !part->contains("nodes") || !(*part)["nodes"].is_array())
        return;
    for (const Json& node : (*part)["nodes"]) {
        if (!node.is_object() || !node.contains("id") || !node["id"].is_string())
            continue;
        const std::string path = std::string(graph) + "." + node["id"].get<std::string>();
        if (node.contains("kind"))
            addParameters(path + ".kind", node["kind"], out);
        if (node.contains("params") && node["params"].is_object())
            for (const auto& [key, value] : node["params"].items())
                addParameters(path + "." + key, value, out);
    }
}

std::vector<RunValue> ownValues(const RunInfo& info, std::string_view name)
{
    if (name == "id")
        return {static_cast<double>(info.id)};
    if (name == "name")
        return {info.name};
    if (name == "project")
        return {info.project};
    if (name == "status")
        return {runStatusName(info.status)};
    if (name == "note")
        return {info.note};
    if (name == "tag")
        return {info.tags.begin(), info.tags.end()};
    if (name == "seconds")
        return {info.seconds};
    if (name == "steps")
        return {static_cast<double>(info.steps)};
    return {info.epochs};
}

std::vector<RunValue> metricValues(const std::vector<SeriesSummary>& summaries, std::string_view name)
{
    for (const SeriesSummary& s : summaries)
        if (s.name == name)
            return s.count > 0 ? std::vector<RunValue>{s.last} : std::vector<RunValue>{};
    const std::size_t dot = name.rfind('.');
    if (dot == std::string_view::npos)
        return {};
    const std::string_view which = name.substr(dot + 1);
    for (const SeriesSummary& s : summaries) {
        if (s.name != name.substr(0, dot))
            continue;
        if (which == "count")
            return {static_cast<double>(s.count)};
        if (s.count == 0)
            return {};
        if (which == "last")
            return {s.last};
        if (which == "min")
            return {s.min};
        if (which == "max")
            return {s.max};
        if (which == "best")
            return {naturalMode(s.name) == MonitorMode::Max ? s.max : s.min};
    }
    return {};
}

std::string lowered(std::string text)
{
    for (char& c : text)
        c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

struct SortKey {
    int rank = 4; ///< finite, infinite, NaN, text, missing
    double number = 0;
    std::string text;
};

SortKey sortKey(const RunFacts& run, std::string_view name)
{
    const std::vector<RunValue> values = run.values(name);
    if (values.empty())
        return {};
    if (const auto* text = std::get_if<std::string>(&values.front()))
        return {3, 0, *text};
    const double number = std::get<double>(values.front());
    if (std::isnan(number))
        return {2, 0, {}};
    return {std::isinf(number) ? 1 : 0, number, {}};
}

/// "Perhaps 'val/accuracy' is meant."; of a parameter its end counts too.
std::string nearestHint(const std::string& name, std::span<const RunFacts> runs)
{
    std::set<std::string> known;
    for (const RunFacts& run : runs)
        for (const std::string& one : run.names()) {
            known.insert(one);
            if (const std::size_t dot = one.rfind('.'); dot != std::string::npos)
                known.insert(one.substr(dot + 1));
        }
    const std::string nearest = nearestName(name, {known.begin(), known.end()});
    return nearest.empty() ? "Names are those of series and parameters, such as val/loss and training.optimizer.lr."
                           : "Perhaps '" + nearest + "' is meant.";
}

} // namespace

RunFacts::RunFacts(RunInfo info, std::vector<SeriesSummary> summaries, std::string_view projectText)
    : m_info(std::move(info)), m_summaries(std::move(summaries))
{
    const Json project = Json::parse(projectText, nullptr, false);
    if (!project.is_object())
        return;
    if (const auto training = project.find("training"); training != project.end())
        addParameters("training", *training, m_parameters);
    addNodes(project, "data", m_parameters);
    addNodes(project, "network", m_parameters);
    // Defaults come after what was written, and never beside it: kernel_size 3 stays 3, though [3, 3] is meant.
    const auto loaded = parseProject(projectText, m_info.projectFile);
    if (!loaded)
        return;
    std::set<std::string_view> written;
    for (const auto& [path, value] : m_parameters)
        for (std::size_t end = path.size(); end != std::string::npos && end > 0; end = path.rfind('.', end - 1))
            written.insert(std::string_view(path).substr(0, end));
    Parameters defaults;
    for (const auto& [path, value] : settingsOf(loaded->project))
        if (!written.contains(path))
            addParameters(path, value, defaults);
    m_parameters.insert(m_parameters.end(), defaults.begin(), defaults.end());
}

std::vector<RunValue> RunFacts::values(std::string_view name) const
{
    if (std::find(kOwnNames.begin(), kOwnNames.end(), name) != kOwnNames.end())
        return ownValues(m_info, name);
    if (std::vector<RunValue> metric = metricValues(m_summaries, name); !metric.empty())
        return metric;
    std::vector<RunValue> out;
    for (const auto& [path, value] : m_parameters) {
        const bool endsSo = path.size() > name.size() && path.ends_with(name) && path[path.size() - name.size() - 1] == '.';
        if (path == name || endsSo)
            out.push_back(value);
    }
    return out;
}

std::vector<std::string> RunFacts::names() const
{
    std::vector<std::string> out(kOwnNames.begin(), kOwnNames.end());
    for (const SeriesSummary& s : m_summaries)
        out.push_back(s.name);
    for (const auto& [path, value] : m_parameters)
        out.push_back(path);
    return out;
}

bool RunFilter::accepts(const RunFacts& run) const
{
    return accepts(m_nodes.size() - 1, run);
}

bool RunFilter::accepts(std::size_t index, const RunFacts& run) const
{
    const Node& node = m_nodes[index];
    switch (node.what) {
    case What::And:
        return accepts(node.left, run) && accepts(node.right, run);
    case What::Or:
        return accepts(node.left, run) || accepts(node.right, run);
    case What::Not:
        return !accepts(node.left, run);
    case What::Comparison:
        break;
    }
    const auto ordered = [&](const auto& a, const auto& b) {
        switch (node.comparison) {
        case Operator::Less:
            return a < b;
        case Operator::LessEqual:
            return a <= b;
        case Operator::Greater:
            return a > b;
        case Operator::GreaterEqual:
            return a >= b;
        case Operator::Equal:
        case Operator::Unequal:
        case Operator::Contains:
            break;
        }
        return false;
    };
    const auto isEqual = [](const RunValue& a, const RunValue& b) {
        const auto* x = std::get_if<double>(&a);
        const auto* y = std::get_if<double>(&b);
        return a == b || (x && y && std::isnan(*x) && std::isnan(*y));
    };
    const std::vector<RunValue> values = run.values(node.name);
    return std::any_of(values.begin(), values.end(), [&](const RunValue& value) {
        if (node.comparison == Operator::Equal || node.comparison == Operator::Unequal)
            return isEqual(value, node.value) == (node.comparison == Operator::Equal);
        if (value.index() != node.value.index())
            return false;
        if (const auto* number = std::get_if<double>(&value))
            return ordered(*number, std::get<double>(node.value));
        const std::string& text = std::get<std::string>(value);
        const std::string& wanted = std::get<std::string>(node.value);
        return node.comparison == Operator::Contains ? lowered(text).find(lowered(wanted)) != std::string::npos
                                                     : ordered(text, wanted);
    });
}

Status RunFilter::checkNames(std::span<const RunFacts> runs) const
{
    for (const Node& node : m_nodes) {
        const bool isOwn = std::find(kOwnNames.begin(), kOwnNames.end(), node.name) != kOwnNames.end();
        if (node.what != What::Comparison || isOwn || runs.empty())
            continue;
        if (std::any_of(runs.begin(), runs.end(), [&](const RunFacts& run) { return !run.values(node.name).empty(); }))
            continue;
        return Error{ErrorCode::InvalidArgument, "No run has anything called '" + node.name + "'",
                     "filter, column " + std::to_string(node.column),
                     nearestHint(node.name, runs), {}};
    }
    return Done{};
}

void sortRuns(std::vector<RunFacts>& runs, std::string_view name, bool falling)
{
    std::vector<std::pair<SortKey, std::size_t>> order;
    order.reserve(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i)
        order.emplace_back(sortKey(runs[i], name), i);
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        const SortKey& x = falling ? b.first : a.first;
        const SortKey& y = falling ? a.first : b.first;
        if (x.rank != y.rank)
            return a.first.rank < b.first.rank;
        return x.number != y.number ? x.number < y.number : x.text < y.text;
    });
    std::vector<RunFacts> sorted;
    sorted.reserve(runs.size());
    for (const auto& [key, index] : order)
        sorted.push_back(std::move(runs[index]));
    runs = std::move(sorted);
}

} // namespace athanor
