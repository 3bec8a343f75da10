#include "engine/train/project_fixes.h"

#include "engine/graph/problem_fixes.h"
#include "engine/graph/value_repair.h"

#include <algorithm>

namespace athanor {
namespace {

struct TrainingPlace {
    const ParamSpec* spec = nullptr;
    std::string path; ///< as --set takes it
};

const ParamSpec* specIn(const std::vector<ParamSpec>* specs, const std::string& name)
{
    if (specs == nullptr)
        return nullptr;
    const auto spec = std::ranges::find_if(*specs, [&](const ParamSpec& one) { return one.name == name; });
    return spec == specs->end() ? nullptr : &*spec;
}

TrainingPlace trainingPlace(const Project& project, const std::string& where)
{
    TrainingPlace place;
    const std::string prefix = "training/";
    if (!where.starts_with(prefix))
        return place;
    std::string below = where.substr(prefix.size());
    std::ranges::replace(below, '/', '.');
    place.path = "training." + below;
    if (const std::string optimizer = "optimizer."; below.starts_with(optimizer))
        place.spec = specIn(optimizerParams(project.training.optimizer.kind), below.substr(optimizer.size()));
    else
        place.spec = specIn(&trainingParams(), below);
    return place;
}

bool cures(const Project& project, const Problem& problem, const std::string& path, const Json& value)
{
    Project changed = project;
    if (!setProjectValue(changed, path, value.dump()))
        return false;
    const auto said = [&](const Problem& other) {
        return other.where == problem.where && other.message == problem.message;
    };
    const auto before = checkTraining(project), after = checkTraining(changed);
    return std::ranges::none_of(after, said) && after.size() <= before.size();
}

void suggestTrainingFix(const Project& project, Problem& problem)
{
    const TrainingPlace place = trainingPlace(project, problem.where);
    if (place.spec == nullptr)
        return;
    const Json& params = project.training.optimizer.params;
    const auto written = params.find(place.spec->name);
    const bool isOptimizers = place.path.starts_with("training.optimizer.");
    std::vector<Json> values;
    if (isOptimizers && written != params.end())
        if (auto near = nearestValue(*place.spec, *written))
            values.push_back(std::move(*near));
    if (!place.spec->standard.is_null())
        values.push_back(place.spec->standard);
    for (const Json& value : values)
        if (cures(project, problem, place.path, value))
            problem.fixes.push_back({"Set " + place.spec->name + " to " + value.dump(), {place.path + "=" + value.dump()}});
}

} // namespace

void suggestProjectFixes(const Project& project, const FieldTypes& fields, const ScriptTyper& typer, ProjectCheck& check)
{
    const auto network = [&](const Graph& graph) { return checkNetwork(graph, fields, typer); };
    suggestFixes(project.data, {"data", &dataCatalog(), {}, &checkData}, {}, check.problems);
    suggestFixes(project.network, {"network", &layerCatalog(), fields, network}, check.network.nodes, check.problems);
    for (Problem& problem : check.problems)
        suggestTrainingFix(project, problem);
}

} // namespace athanor
