#include "engine/project/project_settings.h"

#include "engine/graph/groups.h"
#include "engine/project/train_spec_json.h"

#include <algorithm>

namespace athanor {
namespace {

using Settings = std::map<std::string, Json>;

void addValues(const std::string& path, const Json& value, Settings& out)
{
    if (value.is_object() && !value.empty()) {
        for (const auto& [key, inner] : value.items())
            addValues(path + "." + key, inner, out);
        return;
    }
    const bool holdsObjects =
        value.is_array() &&
        std::any_of(value.begin(), value.end(), [](const Json& each) { return each.is_object(); });
    if (!holdsObjects) {
        out[path] = value;
        return;
    }
    for (std::size_t i = 0; i < value.size(); ++i)
        addValues(path + "." + std::to_string(i), value[i], out);
}

void addNodes(const std::string& part, const Graph& graph, const NodeCatalog& catalog, Settings& out)
{
    forEachNode(graph, [&](const std::string& definition, const Node& node) {
        std::string path = part + ".";
        if (!definition.empty())
            path.append(definition).append("/");
        path.append(node.id);
        out[path + ".kind"] = node.kind;
        const NodeKind* kind = catalog.find(node.kind);
        const Json params = kind != nullptr ? completeParams(*kind, node.params) : node.params;
        for (const auto& [name, value] : params.items()) {
            const ParamSpec* spec = kind != nullptr ? kind->param(name) : nullptr;
            // What follows from the input's shape is no choice of the user's unless it was written.
            if (spec == nullptr || !spec->inferred || !value.is_null())
                addValues(path + "." + name, value, out);
        }
    });
}

/// The parameters of the kind that an object names, filled in.
void complete(Json& object, const std::vector<ParamSpec>* (*paramsOf)(const std::string&))
{
    if (!object.is_object() || !object.contains("kind") || !object["kind"].is_string())
        return;
    if (const auto* specs = paramsOf(object["kind"].get<std::string>()))
        object = completeParams(*specs, object);
}

Json completedTraining(const TrainSpec& spec)
{
    Json training = trainSpecJson(spec, TrainingDetail::Full);
    if (training.contains("optimizer"))
        complete(training["optimizer"], &optimizerParams);
    if (training.contains("scheduler") && training["scheduler"].is_array())
        for (Json& scheduler : training["scheduler"])
            complete(scheduler, &schedulerParams);
    return training;
}

} // namespace

std::map<std::string, Json> settingsOf(const Project& project)
{
    Settings out;
    addNodes("data", project.data, dataCatalog(), out);
    addNodes("network", project.network, layerCatalog(), out);
    const Json training = completedTraining(project.training);
    for (const auto& [key, value] : training.items())
        addValues("training." + key, value, out);
    return out;
}

} // namespace athanor
