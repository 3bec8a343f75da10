#include "engine/project/train_spec_json.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/project.h"

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

// Reads with the first error kept: everything after it yields defaults.
class SpecReader {
public:
    explicit SpecReader(std::vector<Problem>& notes) : m_notes(notes) {}
    Result<TrainSpec> read(const Json& json);

private:
    void fail(const std::string& where, std::string message, std::string hint = {});
    const Json* value(const Json& object, const std::string& section, const std::string& key);
    template <typename T>
    void take(const Json& object, const std::string& section, const std::string& key, T& into);
    template <typename T>
    void take(const Json& object, const std::string& section, const std::string& key, std::optional<T>& into);
    template <typename Enum, std::size_t n>
    void takeName(const Json& object, const std::string& section, const std::string& key,
                  const std::array<const char*, n>& names, Enum& into);
    void takeEvery(const Json& object, const std::string& section, const std::string& key, std::string& into);

    void readSettings(const Json& json);
    const Json* section(const Json& json, const std::string& name);
    template <typename Monitored>
    void readMonitor(const Json& json, const std::string& name, Monitored& into);
    KindSpec kindSpec(const Json& json, const std::string& where, const std::vector<std::string>& besides);
    void readSchedulers(const Json& json);
    void readInit(const Json& json);
    void readWeightsMap(const Json& json);
    void keepUnknown(const Json& json, const std::string& section, Json& extra);
    void keepUnknownBelow(const Json& json, const std::string& section);
    void readCheckpoint(const Json& json);
    void readEarlyStopping(const Json& json);
    void readAveraging(const Json& json);
    void readGradients(const Json& json);

    std::vector<Problem>& m_notes;
    TrainSpec m_spec;
    std::optional<Error> m_error;
};

void SpecReader::fail(const std::string& where, std::string message, std::string hint)
{
    if (!m_error)
        m_error = Error{ErrorCode::Unreadable, std::move(message), "training/" + where, std::move(hint), {}};
}

std::string placeOf(const std::string& section, const std::string& key)
{
    return section.empty() ? key : section + "/" + key;
}

// The written value when it is there and of the right type; nullptr leaves the default.
const Json* SpecReader::value(const Json& object, const std::string& section, const std::string& key)
{
    const auto it = object.find(key);
    if (it == object.end())
        return nullptr;
    ParamSpec spec = findSetting(section, key).value();
    // Only the type: a value out of range opens, and checkTraining names it.
    if (spec.type != ParamType::Choice && spec.type != ParamType::IntOrText)
        spec.choices.clear();
    spec.minimum.reset();
    if (spec.type != ParamType::Int)
        spec.maximum.reset(); // those of whole numbers guard what holds them
    if (auto problem = checkValue(spec, *it)) {
        fail(placeOf(section, key), key + " " + problem->message, problem->hint);
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
            return fail(placeOf(section, key), key + " is out of range");
    }
    if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (found->get<std::int64_t>() < 0)
            return fail(placeOf(section, key), key + " must not be negative");
    }
    into = found->get<T>();
}

template <typename T>
void SpecReader::take(const Json& object, const std::string& section, const std::string& key,
                      std::optional<T>& into)
{
    if (const Json* found = value(object, section, key))
        into = found->get<T>();
}

template <typename Enum, std::size_t n>
void SpecReader::takeName(const Json& object, const std::string& section, const std::string& key,
                          const std::array<const char*, n>& names, Enum& into)
{
    if (const Json* found = value(object, section, key))
        into = static_cast<Enum>(std::find(names.begin(), names.end(), found->get<std::string>()) -
                                 names.begin());
}

void SpecReader::takeEvery(const Json& object, const std::string& section, const std::string& key,
                           std::string& into)
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
    take(json, "", "autocast_exclude", m_spec.autocastExclude);
    take(json, "", "time_limit", m_spec.timeLimit);
    take(json, "", "hash_every", m_spec.hashEvery);
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

KindSpec SpecReader::kindSpec(const Json& json, const std::string& where,
                              const std::vector<std::string>& besides)
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
        SchedulerSpec scheduler{kindSpec(list[i], where, {"interval", "duration"}), ScheduleInterval::Epoch, {}};
        scheduler.interval = naturalInterval(scheduler.scheduler.kind);
        if (list[i].is_object() && list[i].contains("interval")) {
            const Json& interval = list[i]["interval"];
            if (interval != "epoch" && interval != "step")
                fail(where + "/interval", "interval must be epoch or step");
            scheduler.interval = interval == "step" ? ScheduleInterval::Step : ScheduleInterval::Epoch;
        }
        if (const Json duration = list[i].is_object() ? list[i].value("duration", Json()) : Json(); isInteger(duration))
            scheduler.duration = duration.get<std::int64_t>();
        else if (!duration.is_null())
            fail(where + "/duration", "duration must be a whole number, is " + shortText(duration));
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
                return fail(where + "/match",
                            match == entry.end() ? where + " has no match" : "match must be a text",
                            "a glob over state names, such as *.weight");
            init.match = match->get<std::string>();
        }
        m_spec.init.push_back(std::move(init));
    }
}

void SpecReader::readWeightsMap(const Json& json)
{
    const Json* map = section(json, "weights_map");
    if (map == nullptr)
        return;
    for (const auto& [name, from] : map->items()) {
        if (!from.is_string())
            return fail("weights_map", "weights_map must name a tensor of the file for " + name + ", is " + shortText(from),
                        R"(such as {"conv1.weight": "features.0.weight"})");
        m_spec.weightsMap[name] = from.get<std::string>();
    }
}

void SpecReader::keepUnknown(const Json& json, const std::string& section, Json& extra)
{
    const std::vector<std::string> known = settingNames(section);
    for (const auto& [key, item] : json.items()) {
        if (std::find(known.begin(), known.end(), key) != known.end())
            continue;
        extra[key] = item;
        m_notes.push_back({"training/" + placeOf(section, key), Severity::Warning,
                           "there is no setting '" + key + "'; it is kept, but has no effect",
                           didYouMean(key, known)});
    }
}

void SpecReader::keepUnknownBelow(const Json& json, const std::string& section)
{
    Json unknown = Json::object();
    keepUnknown(json, section, unknown);
    if (!unknown.empty())
        m_spec.extra[section] = std::move(unknown);
}

void SpecReader::readCheckpoint(const Json& json)
{
    const Json* found = section(json, "checkpoint");
    if (found == nullptr)
        return;
    CheckpointSpec& spec = m_spec.checkpoint;
    takeEvery(*found, "checkpoint", "every", spec.every);
    take(*found, "checkpoint", "keep", spec.keep);
    readMonitor(*found, "checkpoint", spec);
    takeName(*found, "checkpoint", "on_error", kFailureNames, spec.onError);
    keepUnknownBelow(*found, "checkpoint");
}

void SpecReader::readEarlyStopping(const Json& json)
{
    const Json* found = section(json, "early_stopping");
    if (found == nullptr)
        return;
    EarlyStoppingSpec& spec = m_spec.earlyStopping.emplace();
    readMonitor(*found, "early_stopping", spec);
    take(*found, "early_stopping", "patience", spec.patience);
    take(*found, "early_stopping", "min_delta", spec.minDelta);
    take(*found, "early_stopping", "restore_best", spec.restoreBest);
    keepUnknownBelow(*found, "early_stopping");
}

void SpecReader::readAveraging(const Json& json)
{
    const Json* found = section(json, "averaging");
    if (found == nullptr)
        return;
    AveragingSpec& spec = m_spec.averaging.emplace();
    takeName(*found, "averaging", "kind", kAveragingNames, spec.kind);
    take(*found, "averaging", "decay", spec.decay);
    take(*found, "averaging", "start", spec.start);
    takeEvery(*found, "averaging", "every", spec.every);
    take(*found, "averaging", "use_buffers", spec.useBuffers);
    keepUnknownBelow(*found, "averaging");
}

void SpecReader::readGradients(const Json& json)
{
    if (const Json* found = section(json, "grad_scaler")) {
        GradScalerSpec& spec = m_spec.gradScaler.emplace();
        take(*found, "grad_scaler", "init_scale", spec.initScale);
        take(*found, "grad_scaler", "growth_factor", spec.growthFactor);
        take(*found, "grad_scaler", "backoff_factor", spec.backoffFactor);
        take(*found, "grad_scaler", "growth_interval", spec.growthInterval);
        keepUnknownBelow(*found, "grad_scaler");
    }
    if (const Json* found = section(json, "grad_noise")) {
        GradNoiseSpec& spec = m_spec.gradNoise.emplace();
        take(*found, "grad_noise", "eta", spec.eta);
        take(*found, "grad_noise", "gamma", spec.gamma);
        keepUnknownBelow(*found, "grad_noise");
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
    readWeightsMap(json);
    keepUnknown(json, "", m_spec.extra);
    readCheckpoint(json);
    readEarlyStopping(json);
    readAveraging(json);
    readGradients(json);
    if (m_error)
        return *m_error;
    return m_spec;
}

} // namespace

Result<TrainSpec> trainSpecFromJson(const Json& json, std::vector<Problem>& notes)
{
    return SpecReader(notes).read(json);
}

} // namespace athanor
