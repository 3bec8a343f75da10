#include "engine/train/live_changes.h"

#include "engine/graph/flat_graph.h"
#include "engine/project/text_file.h"
#include "engine/train/kind_params.h"

#include <algorithm>

namespace athanor {
namespace {

constexpr const char* kWhatChanges = "The learning rate and other numbers of the optimizer that a flash marks, clip_grad_norm, "
                                     "clip_grad_value, freeze, the p of a dropout and the Loader's batch_size can change.";

Error fixed(const std::string& path)
{
    return {ErrorCode::InvalidArgument, "This cannot be changed while a run is on.", placeOfPath(path), kWhatChanges, {}};
}

/// "a.b.c" → {"a", "b", "c"}.
std::vector<std::string> partsOf(const std::string& path)
{
    std::vector<std::string> parts{""};
    for (const char c : path) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

const Node* findNode(const Graph& graph, const std::string& id)
{
    return graph.find(id);
}

Result<LiveSetting> trainingSetting(const Project& project, const std::vector<std::string>& parts, const std::string& path)
{
    if (parts.size() == 2 && (parts[1] == "clip_grad_norm" || parts[1] == "clip_grad_value"))
        return LiveSetting::Clipping;
    if (parts.size() == 2 && parts[1] == "freeze")
        return LiveSetting::Freeze;
    if (parts.size() != 3 || parts[1] != "optimizer")
        return fixed(path);
    if (parts[2] == "lr")
        return LiveSetting::LearningRate;
    const auto* params = optimizerParams(project.training.optimizer.kind);
    const auto isLive = [&](const ParamSpec& spec) { return spec.name == parts[2] && spec.live; };
    if (params && std::ranges::any_of(*params, isLive))
        return LiveSetting::Optimizer;
    return fixed(path);
}

std::vector<Problem> errorsOf(const Project& project)
{
    auto problems = checkTraining(project);
    std::erase_if(problems, [](const Problem& problem) { return problem.severity != Severity::Error; });
    return problems;
}

} // namespace

std::string placeOfPath(std::string path)
{
    std::ranges::replace(path, '.', '/');
    return path;
}

Result<LiveSetting> liveSetting(const Project& project, const std::string& path)
{
    const auto parts = partsOf(path);
    if (parts[0] == "training")
        return trainingSetting(project, parts, path);
    if (parts[0] == "data" && parts.size() == 3 && parts[2] == "batch_size") {
        const Node* node = findNode(project.data, parts[1]);
        if (node && node->kind == "Loader")
            return LiveSetting::BatchSize;
    }
    if (parts[0] == "network" && parts.size() >= 3 && parts.back() == "p") {
        std::string id;
        for (std::size_t i = 1; i + 1 < parts.size(); ++i)
            id += (i > 1 ? "/" : "") + parts[i];
        const Graph flat = flattened(project.network).graph;
        const Node* node = findNode(flat, id);
        const NodeKind* kind = node ? layerCatalog().find(node->kind) : nullptr;
        if (kind && kind->family == NodeFamily::Dropout)
            return LiveSetting::Dropout;
    }
    return fixed(path);
}

Result<Project> changed(const Project& project, const std::string& path, const Json& value)
{
    Project result = project;
    if (auto status = setProjectValue(result, path, value.dump()); !status.ok()) {
        Error error = status.error();
        error.where = placeOfPath(path);
        return error;
    }
    const auto before = errorsOf(project);
    for (const Problem& problem : errorsOf(result))
        if (std::ranges::find(before, problem) == before.end())
            return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint};
    return result;
}

ChangeLog::ChangeLog(const std::filesystem::path& folder)
    : m_file(folder.empty() ? folder : folder / "changes.json")
{
}

std::vector<LiveChange> ChangeLog::read() const
{
    std::vector<LiveChange> changes;
    std::error_code ignored;
    if (m_file.empty() || !std::filesystem::exists(m_file, ignored))
        return changes;
    const auto text = readTextFile(m_file);
    const Json list = text.ok() ? Json::parse(*text, nullptr, false) : Json();
    if (!list.is_array())
        return changes;
    for (const Json& one : list)
        if (one.is_object())
            changes.push_back({intParam(one, "step"), textParam(one, "path"), one.value("value", Json())});
    return changes;
}

Status ChangeLog::add(const LiveChange& change)
{
    if (m_file.empty())
        return Done{};
    Json list = Json::array();
    for (const LiveChange& one : read())
        list.push_back({{"step", one.step}, {"path", one.path}, {"value", one.value}});
    list.push_back({{"step", change.step}, {"path", change.path}, {"value", change.value}});
    std::error_code ignored;
    std::filesystem::create_directories(m_file.parent_path(), ignored);
    return replaceTextFile(m_file, list.dump(1) + "\n");
}

} // namespace athanor
