#include "engine/project/train_spec_json.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"
#include "engine/project/project.h"

#include <algorithm>
#include <array>
#include <limits>

namespace athanor {
namespace {

constexpr std::array kPrecisionNames{"fp32", "bf16", "fp16"};
constexpr std::array kPolicyNames{"pause", "stop", "skip", "continue"};
constexpr std::array kModeNames{"min", "max"};
constexpr std::array kIntervalNames{"epoch", "step"};

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

// Reads with the first error kept: everything after it yields defaults.
class SpecReader {
public:
    explicit SpecReader(std::vector<Problem>& notes) : m_notes(notes) {}
    Result<TrainSpec> read(const Json& json);

private:
    void fail(const std::string& where, std::string message, std::string hint = {});
    const Json* value(const Json& object, const std::string& section, const std::string& key);
    template <typename T> void take(const Json& object, const std::string& section, const std::string& key, T& into);
    template <typename T>
    void take(const Json& object, const std::string& section, const std::string& key, std::optional<T>& into);
    template <typename Enum, std::size_t n>
    void takeName(const Json& object, const std::string& section, const std::string& key,
                  const std::array<const char*, n>& names, Enum& into);
    void takeEvery(const Json& object, const std::string& section, const std::string& key, std::string& into);

    void readSettings(const Json& json);
    const Json* section(const Json& json, const std::string& name);
    template <typename Monitored> void readMonitor(const Json& json, const std::string& name, Monitored& into);
    KindSpec kindSpec(const Json& json, const std::string& where, const std::vector<std::string>& besides);
    void readSchedulers(const Json& json);
    void readInit(const Json& json);
    void keepUnknown(const Json& json, const std::string& section, Json& extra);

    std::vector<Problem>& m_notes;
    TrainSpec m_spec;
    std::optional<Error> m_error;
};

void SpecReader::fail(const std::string& where, std::string message, std::string hint)
{
    if (!m_error)
        m_error = Error{ErrorCode::Unreadable, std::move(message), "training/" + where, std::move(hint), {}};
}

std::string settingName(const std::string& section, const std::string& key, char separator)
{
    return section.empty() ? key : section + separator + key;
}

// The written value when it is there and of the right type; nullptr leaves the default.
const Json* SpecReader::value(const Json& object, const std::string& section, const std::string& key)
{
    const auto it = object.find(key);
    if (it == object.end())
        return nullptr;
    const auto& specs = trainingParams();
    const std::string name = settingName(section, key, '.');
    ParamSpec spec = *std::find_if(specs.begin(), specs.end(), [&](const ParamSpec& s) { return s.name == name; });
    // Only the type: a value out of range opens, and checkTraining names it.
    if (spec.type != ParamType::Choice && spec.type != ParamType::IntOrText)
        spec.choices.clear();
    spec.minimum.reset();
    if (auto problem = checkValue(spec, *it)) {
        fail(settingName(section, key, '/'), key + " " + problem->message, problem->hint);
        return nullptr;
    }
    return it->is_null() ? nullptr : &*it;
}

template <typename T>
void SpecReader::take(const Json& object, const std::string& section, const std::string& key, T& into)
{
    const Json* found = value(object, section, key);
    if (found == nullptr)
        return;
    if constexpr (std::is_same_v<T, int>) {
        constexpr auto low = std::numeric_limits<int>::min();
        if (const auto number = found->get<std::int64_t>(); number < low)
            return fail(settingName(section, key, '/'), key + " is out of range");
    }
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (found->get<std::int64_t>() < 0)
            return fail(settingName(section, key, '/'), key + " must not be negative");
    }
    into = found->get<T>();
}

template <typename T>
void SpecReader::take(const Json& object, const std::string& section, const std::string& key, std::optional<T>& into)
{
    if (const Json* found = value(object, section, key))
        into = found->get<T>();
}

template <typename Enum, std::size_t n>
void SpecReader::takeName(const Json& object, const std::string& section, const std::string& key,
                          const std::array<const char*, n>& names, Enum& into)
{
    if (const Json* found = value(object, section, key))
        into = static_cast<Enum>(std::find(names.begin(), names.end(), found->get<std::string>()) - names.begin());
}

void SpecReader::takeEvery(const Json& object, const std::string& section, const std::string& key, std::string& into)
{
    if (const Json* found = value(object, section, key))
        into = found->is_string() ? found->get<std::string>() : found->dump();
}

void SpecReader::readSettings(const Json& json)
{
    take(json, "", "epochs", m_spec.epochs);
    take(json, "", "steps", m_spec.steps);
    take(json, "", "seed", m_spec.seed);
    take(json, "", "device", m_spec.device);
    take(json, "", "deterministic", m_spec.deterministic);
    takeName(json, "", "precision", kPrecisionNames, m_spec.precision);
    take(json, "", "accumulate", m_spec.accumulate);
    take(json, "", "clip_grad_norm", m_spec.clipGradNorm);
    take(json, "", "clip_grad_value", m_spec.clipGradValue);
    takeEvery(json, "", "validate_every", m_spec.validateEvery);
    takeName(json, "", "on_non_finite", kPolicyNames, m_spec.onNonFinite);
    take(json, "", "frozen_on_purpose", m_spec.frozenOnPurpose);
    take(json, "", "weights", m_spec.weights);
    take(json, "", "metrics", m_spec.metrics);
    take(json, "", "freeze", m_spec.freeze);
}

// An object below `training`; nullptr when it is not there.
const Json* SpecReader::section(const Json& json, const std::string& name)
{
    const auto it = json.find(name);
    if (it == json.end() || it->is_null())
        return nullptr;
    if (!it->is_object()) {
        fail(name, name + " must be an object, is " + shortText(*it));
        return nullptr;
    }
    return &*it;
}

template <typename Monitored>
void SpecReader::readMonitor(const Json& json, const std::string& name, Monitored& into)
{
    take(json, name, "monitor", into.monitor);
    into.mode = naturalMode(into.monitor);
    takeName(json, name, "mode", kModeNames, into.mode);
}

KindSpec SpecReader::kindSpec(const Json& json, const std::string& where, const std::vector<std::string>& besides)
{
    KindSpec spec;
    spec.params = Json::object();
    if (!json.is_object()) {
        fail(where, where + " must be an object with a kind", R"(such as {"kind": …})");
        return spec;
    }
    const auto kind = json.find("kind");
    if (kind == json.end() || !kind->is_string()) {
        fail(where + "/kind", kind == json.end() ? where + " has no kind" : "kind must be a text");
        return spec;
    }
    spec.kind = kind->get<std::string>();
    for (const auto& [key, item] : json.items())
        if (key != "kind" && std::find(besides.begin(), besides.end(), key) == besides.end())
            spec.params[key] = item;
    return spec;
}

void SpecReader::readSchedulers(const Json& json)
{
    const auto it = json.find("scheduler");
    if (it == json.end() || it->is_null())
        return;
    const Json list = it->is_array() ? *it : Json::array({*it});
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = it->is_array() ? "scheduler/" + std::to_string(i) : "scheduler";
        SchedulerSpec scheduler{kindSpec(list[i], where, {"interval"}), ScheduleInterval::Epoch};
        if (list[i].is_object() && list[i].contains("interval")) {
            const Json& interval = list[i]["interval"];
            if (interval != "epoch" && interval != "step")
                fail(where + "/interval", "interval must be epoch or step");
            scheduler.interval = interval == "step" ? ScheduleInterval::Step : ScheduleInterval::Epoch;
        }
        m_spec.schedulers.push_back(std::move(scheduler));
    }
}

void SpecReader::readInit(const Json& json)
{
    const auto it = json.find("init");
    if (it == json.end() || it->is_null())
        return;
    if (!it->is_array())
        return fail("init", "init must be a list", R"(such as [{"match": "*.weight", "kind": "normal"}])");
    for (std::size_t i = 0; i < it->size(); ++i) {
        const std::string where = "init/" + std::to_string(i);
        InitSpec init{"", kindSpec((*it)[i], where, {"match"})};
        if (const Json& entry = (*it)[i]; entry.is_object()) {
            const auto match = entry.find("match");
            if (match == entry.end() || !match->is_string())
                return fail(where + "/match", match == entry.end() ? where + " has no match" : "match must be a text", "a glob over state names, such as *.weight");
            init.match = match->get<std::string>();
        }
        m_spec.init.push_back(std::move(init));
    }
}

void SpecReader::keepUnknown(const Json& json, const std::string& section, Json& extra)
{
    const std::vector<std::string> known = settingNames(section);
    for (const auto& [key, item] : json.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end())
            continue;
        extra[key] = item;
        m_notes.push_back({"training/" + settingName(section, key, '/'), Severity::Warning, "there is no setting '" + key + "'; it is kept, but has no effect", didYouMean(key, known)});
    }
}

Result<TrainSpec> SpecReader::read(const Json& json)
{
    if (!json.is_object())
        return Error{ErrorCode::Unreadable, "training must be an object", "training", {}, {}};
    readSettings(json);
    if (json.contains("optimizer") && !json["optimizer"].is_null())
        m_spec.optimizer = kindSpec(json["optimizer"], "optimizer", {});
    readSchedulers(json);
    readInit(json);
    keepUnknown(json, "", m_spec.extra);
    if (const Json* checkpoint = section(json, "checkpoint")) {
        takeEvery(*checkpoint, "checkpoint", "every", m_spec.checkpoint.every);
        take(*checkpoint, "checkpoint", "keep", m_spec.checkpoint.keep);
        readMonitor(*checkpoint, "checkpoint", m_spec.checkpoint);
        Json unknown = Json::object();
        keepUnknown(*checkpoint, "checkpoint", unknown);
        if (!unknown.empty())
            m_spec.extra["checkpoint"] = std::move(unknown);
    }
    if (const Json* stopping = section(json, "early_stopping")) {
        EarlyStoppingSpec& spec = m_spec.earlyStopping.emplace();
        readMonitor(*stopping, "early_stopping", spec);
        take(*stopping, "early_stopping", "patience", spec.patience);
        take(*stopping, "early_stopping", "min_delta", spec.minDelta);
        Json unknown = Json::object();
        keepUnknown(*stopping, "early_stopping", unknown);
        if (!unknown.empty())
            m_spec.extra["early_stopping"] = std::move(unknown);
    }
    if (m_error)
        return *m_error;
    return m_spec;
}

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

template <typename T> Json optionalJson(const std::optional<T>& value)
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
            {"weights", spec.weights}};
}

} // namespace

MonitorMode naturalMode(const std::string& monitor)
{
    const std::string metric = monitor.substr(monitor.rfind('/') + 1);
    return metric == "accuracy" || metric == "f1" || metric == "r2" ? MonitorMode::Max : MonitorMode::Min;
}

Result<TrainSpec> trainSpecFromJson(const Json& json, std::vector<Problem>& notes)
{
    return SpecReader(notes).read(json);
}

Json trainSpecJson(const TrainSpec& spec, TrainingDetail detail)
{
    Json full = fullJson(spec);
    if (detail == TrainingDetail::Full)
        return full;
    static const Json standard = fullJson(TrainSpec{});
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
