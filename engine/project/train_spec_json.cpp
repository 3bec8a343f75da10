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
        if (scheduler.duration)
            json["duration"] = *scheduler.duration;
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
            {"mode", kModeNames[static_cast<std::size_t>(spec.mode)]},
            {"on_error", kFailureNames[static_cast<std::size_t>(spec.onError)]}};
}

Json earlyStoppingJson(const std::optional<EarlyStoppingSpec>& spec)
{
    if (!spec)
        return {};
    return {{"monitor", spec->monitor},
            {"mode", kModeNames[static_cast<std::size_t>(spec->mode)]},
            {"patience", spec->patience},
            {"min_delta", spec->minDelta},
            {"restore_best", spec->restoreBest}};
}

Json averagingJson(const std::optional<AveragingSpec>& spec)
{
    if (!spec)
        return {};
    return {{"kind", kAveragingNames[static_cast<std::size_t>(spec->kind)]},
            {"decay", spec->decay},
            {"start", spec->start},
            {"every", spec->every.empty() ? Json() : everyJson(spec->every)},
            {"use_buffers", spec->useBuffers}};
}

Json gradScalerJson(const std::optional<GradScalerSpec>& spec)
{
    if (!spec)
        return {};
    return {{"init_scale", spec->initScale},
            {"growth_factor", spec->growthFactor},
            {"backoff_factor", spec->backoffFactor},
            {"growth_interval", spec->growthInterval}};
}

Json gradNoiseJson(const std::optional<GradNoiseSpec>& spec)
{
    return spec ? Json{{"eta", spec->eta}, {"gamma", spec->gamma}} : Json();
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
            {"grad_noise", gradNoiseJson(spec.gradNoise)},
            {"accumulate", spec.accumulate},
            {"precision", kPrecisionNames[static_cast<std::size_t>(spec.precision)]},
            {"autocast_exclude", spec.autocastExclude},
            {"grad_scaler", gradScalerJson(spec.gradScaler)},
            {"metrics", spec.metrics},
            {"validate_every", everyJson(spec.validateEvery)},
            {"checkpoint", checkpointJson(spec.checkpoint)},
            {"early_stopping", earlyStoppingJson(spec.earlyStopping)},
            {"averaging", averagingJson(spec.averaging)},
            {"time_limit", optionalJson(spec.timeLimit)},
            {"hash_every", optionalJson(spec.hashEvery)},
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
    if (section.empty()) {
        for (const char* name : {"optimizer", "scheduler", "init"})
            names.push_back(name);
        for (const char* name : kSettingSections)
            names.push_back(name);
    }
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
    // So that a file from before them is saved as it was.
    if (const auto it = written.find("checkpoint"); it != written.end() && spec.checkpoint.onError == CheckpointFailure::Stop)
        it->erase("on_error");
    if (const auto it = written.find("early_stopping"); it != written.end() && it->is_object() && !spec.earlyStopping->restoreBest)
        it->erase("restore_best");
    if (spec.schedulers.size() == 1)
        written["scheduler"] = Json(written["scheduler"][0]);
    return merged(spec.extra, written);
}

} // namespace athanor
