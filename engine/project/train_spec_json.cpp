#include "engine/project/train_spec_json.h"

#include "engine/project/json_text.h"
#include "engine/project/project.h"

#include <algorithm>

namespace athanor {
namespace {

Json everyJson(const std::string& every)
{
    Json number = Json::parse(every, nullptr, false);
    return number.is_number_integer() ? number : Json(every);
}

Json kindJson(const KindSpec& spec)
{
    Json json = spec.params.is_object() ? spec.params : Json::object();
    json["kind"] = spec.kind;
    return json;
}

template <typename T>
Json optionalJson(const std::optional<T>& value)
{
    return value ? Json(*value) : Json();
}

Json schedulersJson(const std::vector<SchedulerSpec>& schedulers)
{
    Json list = Json::array();
    for (const SchedulerSpec& scheduler : schedulers) {
        Json json = kindJson(scheduler.scheduler);
        json["interval"] = kIntervalNames[static_cast<std::size_t>(scheduler.interval)];
        list.push_back(std::move(json));
    }
    return list;
}

Json initJson(const std::vector<InitSpec>& inits)
{
    Json list = Json::array();
    for (const InitSpec& init : inits) {
        Json json = kindJson(init.init);
        json["match"] = init.match;
        list.push_back(std::move(json));
    }
    return list;
}

Json checkpointJson(const CheckpointSpec& spec)
{
    return {{"every", everyJson(spec.every)},
            {"keep", spec.keep},
            {"monitor", spec.monitor},
            {"mode", kModeNames[static_cast<std::size_t>(spec.mode)]}};
}

Json earlyStoppingJson(const std::optional<EarlyStoppingSpec>& spec)
{
    if (!spec)
        return {};
    return {{"monitor", spec->monitor},
            {"mode", kModeNames[static_cast<std::size_t>(spec->mode)]},
            {"patience", spec->patience},
            {"min_delta", spec->minDelta}};
}

Json fullJson(const TrainSpec& spec)
{
    return {{"epochs", optionalJson(spec.epochs)},
            {"steps", optionalJson(spec.steps)},
            {"seed", spec.seed},
            {"device", spec.device},
            {"deterministic", spec.deterministic},
            {"optimizer", kindJson(spec.optimizer)},
            {"scheduler", schedulersJson(spec.schedulers)},
            {"freeze", spec.freeze},
            {"frozen_on_purpose", spec.frozenOnPurpose},
            {"init", initJson(spec.init)},
            {"clip_grad_norm", optionalJson(spec.clipGradNorm)},
            {"clip_grad_value", optionalJson(spec.clipGradValue)},
            {"accumulate", spec.accumulate},
            {"precision", kPrecisionNames[static_cast<std::size_t>(spec.precision)]},
            {"metrics", spec.metrics},
            {"validate_every", everyJson(spec.validateEvery)},
            {"checkpoint", checkpointJson(spec.checkpoint)},
            {"early_stopping", earlyStoppingJson(spec.earlyStopping)},
            {"on_non_finite", kPolicyNames[static_cast<std::size_t>(spec.onNonFinite)]},
            {"weights", spec.weights},
            {"weights_map", Json(spec.weightsMap)}};
}

} // namespace

std::vector<std::string> settingNames(const std::string& section)
{
    std::vector<std::string> names;
    for (const ParamSpec& spec : trainingParams()) {
        const auto dot = spec.name.find('.');
        if (section.empty() && dot == std::string::npos)
            names.push_back(spec.name);
        else if (dot != std::string::npos && spec.name.substr(0, dot) == section)
            names.push_back(spec.name.substr(dot + 1));
    }
    if (section.empty())
        names.insert(names.end(), {"optimizer", "scheduler", "init", "checkpoint", "early_stopping"});
    return names;
}

std::optional<ParamSpec> findSetting(const std::string& section, const std::string& key)
{
    const std::string name = section.empty() ? key : section + "." + key;
    for (const ParamSpec& spec : trainingParams())
        if (spec.name == name) {
            ParamSpec found = spec;
            found.name = key;
            return found;
        }
    return std::nullopt;
}

MonitorMode naturalMode(const std::string& monitor)
{
    const std::string metric = monitor.substr(monitor.rfind('/') + 1);
    return metric == "accuracy" || metric == "f1" || metric == "r2" ? MonitorMode::Max : MonitorMode::Min;
}

Json trainSpecJson(const TrainSpec& spec, TrainingDetail detail)
{
    Json full = fullJson(spec);
    if (detail == TrainingDetail::Full)
        return full;
    static const TrainSpec usual;
    static const Json standard = fullJson(usual);
    // A run's most important settings are said even when they are the usual ones.
    const std::array always{"seed", "device", "deterministic", "optimizer", "on_non_finite"};
    Json written = Json::object();
    for (auto& [key, value] : full.items())
        if (value != standard[key] || std::find(always.begin(), always.end(), key) != always.end())
            written[key] = std::move(value);
    if (spec.schedulers.size() == 1)
        written["scheduler"] = Json(written["scheduler"][0]);
    return merged(spec.extra, written);
}

} // namespace athanor
