#include "engine/project/project.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/groups.h"
#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"
#include "engine/project/project_json.h"
#include "engine/project/text_file.h"
#include "engine/project/train_spec_json.h"

#include <system_error>

namespace athanor {
namespace {

namespace fs = std::filesystem;

Error unreadable(std::string message, std::string hint = {})
{
    return Error{ErrorCode::Unreadable, std::move(message), {}, std::move(hint), {}};
}

// Refuses what is no project of this or an older version.
Status checkVersion(const Json& document)
{
    if (!document.is_object())
        return unreadable("is no Athanor project: it should hold one JSON object");
    const auto version = document.find("athanor");
    if (version == document.end())
        return unreadable("is no Athanor project: the key \"athanor\" with the format version is missing",
                          "add \"athanor\": 1 when it is one");
    if (!version->is_number_integer() || *version < 1)
        return unreadable("has no valid format version: \"athanor\" must be a whole number from 1, is " +
                          shortText(*version));
    if (*version > kProjectVersion)
        return Error{ErrorCode::Unsupported,
                     "was made by a newer Athanor (format " + version->dump() + "; this one reads up to " +
                         std::to_string(kProjectVersion) + ")",
                     {},
                     "update Athanor to open it",
                     {}};
    return Done{};
}

Result<LoadedProject> parse(std::string_view text)
{
    auto json = readJson(text);
    if (!json)
        return json.error();
    if (Status version = checkVersion(json->value); !version)
        return version.error();
    auto loaded = projectFromJson(json->value);
    if (!loaded)
        return loaded.error();
    for (const std::string& key : json->twice)
        loaded->notes.push_back({key, Severity::Warning,
                                 "is written twice in one object; the last one counts",
                                 "remove one of the two"});
    return loaded;
}

// `path` as it is spelled from `folder`; absolute when no way leads there.
std::string pathFrom(const fs::path& folder, const fs::path& path)
{
    const fs::path plain = path.lexically_normal();
    const fs::path relative = plain.lexically_relative(folder);
    return (relative.empty() ? plain : relative).generic_string();
}

using Respell = std::function<std::string(const std::string&)>;

void respellPaths(Graph& graph, const NodeCatalog& catalog, const Respell& respell)
{
    edit::Sequence changes;
    forEachNode(graph, [&](const std::string& definition, const Node& node) {
        const NodeKind* kind = catalog.find(node.kind);
        if (kind == nullptr)
            return;
        const Json params = respelledPaths(*kind, node.params, respell);
        for (const auto& [name, value] : params.items())
            if (value != node.params[name])
                changes.edits.push_back(
                    editInside(definition, GraphEdit{edit::SetParameter{node.id, name, value}}));
    });
    if (!changes.edits.empty())
        static_cast<void>(
            apply(graph, GraphEdit{std::move(changes)})); // cannot fail: only values that are there change
}

void respellPaths(Project& project, const Respell& respell)
{
    respellPaths(project.data, dataCatalog(), respell);
    respellPaths(project.network, layerCatalog(), respell);
    if (!project.training.weights.empty())
        project.training.weights = respell(project.training.weights);
}

// Parameters that have their default count as not written.
void dropDefaults(KindSpec& spec, const std::vector<ParamSpec>* params)
{
    if (params == nullptr)
        return;
    const Json standard = completeParams(*params, Json::object());
    for (const ParamSpec& param : *params)
        if (const auto it = spec.params.find(param.name);
            it != spec.params.end() && *it == standard.value(param.name, Json()))
            spec.params.erase(it);
}

// Settings that came later count only when they are set, so that projects from before them keep their hash.
void dropLaterDefaults(Json& settings)
{
    static const Json standard = trainSpecJson(TrainSpec(), TrainingDetail::Full);
    for (const char* name : {"weights_map", "grad_noise", "autocast_exclude", "grad_scaler", "averaging", "time_limit",
                             "hash_every"})
        if (settings[name] == standard[name])
            settings.erase(name);
    if (settings["checkpoint"]["on_error"] == "stop")
        settings["checkpoint"].erase("on_error");
    if (Json& early = settings["early_stopping"]; early.is_object() && early["restore_best"] == false)
        early.erase("restore_best");
}

} // namespace

fs::path Project::folder() const
{
    std::error_code failed;
    const fs::path here = file.empty() ? fs::current_path(failed) : fs::absolute(file, failed).parent_path();
    return here.lexically_normal();
}

Result<LoadedProject> parseProject(std::string_view text, const fs::path& file)
{
    auto loaded = parse(text);
    if (!loaded) {
        Error error = loaded.error();
        if (error.where.empty())
            error.where = file.filename().string();
        return error;
    }
    loaded->project.file = file;
    if (loaded->project.name.empty())
        loaded->project.name = file.stem().string();
    return loaded;
}

Result<LoadedProject> loadProject(const fs::path& file)
{
    auto text = readTextFile(file);
    if (!text)
        return text.error();
    return parseProject(*text, file);
}

std::string projectText(const Project& project)
{
    return documentText(projectJson(project));
}

Status saveProject(const Project& project, const fs::path& file)
{
    return replaceTextFile(file, projectText(project));
}

Project relocated(const Project& project, const fs::path& newFile)
{
    Project moved = project;
    moved.file = newFile;
    const fs::path from = project.folder(), to = moved.folder();
    respellPaths(moved, [&](const std::string& path) {
        return fs::path(path).is_absolute() ? path : pathFrom(to, from / path);
    });
    return moved;
}

std::string semanticHash(const Project& project)
{
    const fs::path folder = project.folder();
    Project plain = project;
    respellPaths(plain, [&](const std::string& path) { return pathFrom(folder, folder / path); });
    TrainSpec& training = plain.training;
    dropDefaults(training.optimizer, optimizerParams(training.optimizer.kind));
    for (SchedulerSpec& scheduler : training.schedulers)
        dropDefaults(scheduler.scheduler, schedulerParams(scheduler.scheduler.kind));
    for (InitSpec& init : training.init)
        dropDefaults(init.init, initializerParams(init.init.kind));
    Json settings = trainSpecJson(training, TrainingDetail::Full);
    dropLaterDefaults(settings);
    const Json all = Json::array({semanticHash(plain.data), semanticHash(plain.network), canonicalNumbers(settings)});
    const std::string text = all.dump(-1, ' ', false, Json::error_handler_t::replace);
    return contentHash(text.data(), text.size());
}

} // namespace athanor
