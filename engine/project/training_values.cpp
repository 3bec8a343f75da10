#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"
#include "engine/project/train_spec_json.h"
#include "engine/project/value_change.h"

#include <algorithm>
#include <array>

namespace athanor {
namespace {

bool isSection(const std::string& key)
{
    return key == "optimizer" || key == "scheduler" || key == "init" ||
           std::find(kSettingSections.begin(), kSettingSections.end(), key) != kSettingSections.end();
}

// An object with a kind: where its parameters are described, and what it has beside them.
struct KindTable {
    const std::vector<ParamSpec>* (*paramsOf)(const std::string&);
    std::vector<std::string> kinds;
    std::vector<ParamSpec> besides;
};

KindTable optimizerTable()
{
    return {optimizerParams, optimizerKinds(), {}};
}

KindTable schedulerTable()
{
    return {
        schedulerParams,
        schedulerKinds(),
        {{.name = "interval", .type = ParamType::Choice, .standard = "epoch", .choices = {"epoch", "step"}},
         {.name = "duration", .type = ParamType::Int, .minimum = 1, .allowsNull = true}}};
}

KindTable initializerTable()
{
    return {initializerParams,
            initializerKinds(),
            {{.name = "match", .type = ParamType::Text, .required = true}}};
}

class TrainingSetter {
public:
    explicit TrainingSetter(const ValueChange& change) : m_change(change) {}
    Status set(Project& project);

private:
    Status setIn(Json& training, PathRest rest);
    Status setSetting(Json& object, const std::string& section, PathRest rest);
    Status setScheduler(Json& list, PathRest rest);
    Status setInitializer(Json& list, PathRest rest);
    Status setEntry(Json& entry, PathRest rest, const KindTable& table);
    Status setKind(Json& entry, PathRest rest, const KindTable& table);
    Status checkSection(const Project& before, const Project& after, std::vector<Problem> problems) const;

    const ValueChange& m_change;
    bool m_wholeSection = false; // `training.optimizer={…}`: still to be checked
};

// A single value of the training part, or of its section `section`.
Status TrainingSetter::setSetting(Json& object, const std::string& section, PathRest rest)
{
    const auto found = findSetting(section, rest[0]);
    if (!found)
        return m_change.unknown("setting", rest[0], settingNames(section));
    auto value = m_change.apply(*found, object.value(rest[0], Json()), rest.subspan(1));
    if (!value)
        return value.error();
    const bool isSet = !value->is_null();
    object[rest[0]] = std::move(*value);
    if (isSet && section.empty() && (rest[0] == "epochs" || rest[0] == "steps"))
        object[rest[0] == "epochs" ? "steps" : "epochs"] = nullptr; // one of the two decides
    if (rest[0] == "monitor")
        object.erase("mode"); // the direction follows the series, unless it is set after it
    return Done{};
}

// Another kind keeps the parameters that it knows.
Status TrainingSetter::setKind(Json& entry, PathRest rest, const KindTable& table)
{
    const std::string kind = m_change.value.is_string() ? m_change.value.get<std::string>() : m_change.raw;
    const auto* params = table.paramsOf(kind);
    if (params == nullptr || rest.size() > 1)
        return m_change.unknown("kind", kind, table.kinds);
    std::vector<std::string> keep = namesOf(*params);
    for (const ParamSpec& spec : table.besides)
        keep.push_back(spec.name);
    Json changed = {{"kind", kind}};
    for (const auto& [name, value] : entry.items())
        if (std::find(keep.begin(), keep.end(), name) != keep.end())
            changed[name] = value;
    entry = std::move(changed);
    return Done{};
}

Status TrainingSetter::setEntry(Json& entry, PathRest rest, const KindTable& table)
{
    if (!entry.is_object())
        entry = Json::object();
    if (rest[0] == "kind")
        return setKind(entry, rest, table);
    const std::string kind = entry.value("kind", std::string());
    const auto* params = table.paramsOf(kind);
    if (params == nullptr)
        return m_change.refused(kind.empty() ? "no kind is set yet"
                                             : "nothing is known of the kind '" + kind + "'",
                                "set its kind first: " + listed(table.kinds));
    std::vector<ParamSpec> specs = *params;
    specs.insert(specs.end(), table.besides.begin(), table.besides.end());
    const auto spec =
        std::find_if(specs.begin(), specs.end(), [&](const ParamSpec& s) { return s.name == rest[0]; });
    if (spec == specs.end())
        return m_change.unknown("parameter", rest[0], namesOf(specs));
    auto value =
        m_change.apply(*spec, completeParams(*params, entry).value(rest[0], Json()), rest.subspan(1));
    if (!value)
        return value.error();
    if (value->is_null())
        entry.erase(rest[0]);
    else
        entry[rest[0]] = std::move(*value);
    return Done{};
}

// training.scheduler.gamma when there is one (or none yet), else training.scheduler.1.gamma; the number behind
// the last one adds one.
Status TrainingSetter::setScheduler(Json& list, PathRest rest)
{
    std::size_t at = 0;
    if (const auto index = listIndex(rest[0])) {
        at = *index;
        rest = rest.subspan(1);
    } else if (list.size() > 1) {
        return m_change.refused("there are " + std::to_string(list.size()) + " of them",
                                "say which by its number, from 0");
    }
    if (at > list.size())
        return m_change.refused("there is no such entry",
                                "the list has " + std::to_string(list.size()) + ", counted from 0");
    if (at == list.size())
        list.push_back(Json::object());
    if (!rest.empty())
        return setEntry(list[at], rest, schedulerTable());
    list[at] = m_change.value;
    m_wholeSection = true;
    return Done{};
}

Status TrainingSetter::setInitializer(Json& list, PathRest rest)
{
    const auto index = listIndex(rest[0]);
    if (!index || *index >= list.size())
        return m_change.refused("there is no such entry",
                                "the list has " + std::to_string(list.size()) + ", counted from 0");
    if (rest.size() > 1)
        return setEntry(list[*index], rest.subspan(1), initializerTable());
    list[*index] = m_change.value;
    m_wholeSection = true;
    return Done{};
}

Status TrainingSetter::setIn(Json& training, PathRest rest)
{
    const std::string& key = rest[0];
    const PathRest inside = rest.subspan(1);
    if (!isSection(key))
        return setSetting(training, "", rest);
    Json& section = training[key];
    if (inside.empty()) {
        section = m_change.value;
        m_wholeSection = true;
        return Done{};
    }
    if (key == "optimizer")
        return setEntry(section, inside, optimizerTable());
    if (key == "scheduler")
        return setScheduler(section, inside);
    if (key == "init")
        return setInitializer(section, inside);
    if (section.is_null())
        section = Json::object();
    return setSetting(section, key, inside);
}

// Refuses problems of the section that were not there before.
Status TrainingSetter::checkSection(const Project& before, const Project& after,
                                    std::vector<Problem> problems) const
{
    std::vector<Problem> old;
    static_cast<void>(trainSpecFromJson(trainSpecJson(before.training, TrainingDetail::Written), old));
    for (Problem& problem : checkTraining(before))
        old.push_back(std::move(problem));
    for (Problem& problem : checkTraining(after))
        if (problem.severity == Severity::Error)
            problems.push_back(std::move(problem));
    for (const Problem& problem : problems)
        if (problem.where.starts_with("training/" + m_change.path[1]) &&
            std::find(old.begin(), old.end(), problem) == old.end())
            return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, {}};
    return Done{};
}

Status TrainingSetter::set(Project& project)
{
    if (m_change.path.size() < 2)
        return m_change.refused("names the whole training part", "name one setting, such as training.epochs");
    const TrainSpec& spec = project.training;
    Json training = merged(spec.extra, trainSpecJson(spec, TrainingDetail::Full));
    if (Status done = setIn(training, PathRest(m_change.path).subspan(1)); !done)
        return done;
    std::vector<Problem> problems;
    auto read = trainSpecFromJson(training, problems);
    if (!read) {
        Error error = read.error();
        error.code = ErrorCode::InvalidArgument;
        return error;
    }
    Project changed = project;
    changed.training = std::move(*read);
    if (m_wholeSection)
        if (Status sound = checkSection(project, changed, std::move(problems)); !sound)
            return sound;
    project.training = std::move(changed.training);
    return Done{};
}

} // namespace

Status setTrainingValue(Project& project, const ValueChange& change)
{
    return TrainingSetter(change).set(project);
}

} // namespace athanor
