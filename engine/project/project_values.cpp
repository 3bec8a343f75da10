#include "engine/project/project.h"

#include "engine/graph/graph_edit.h"
#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"
#include "engine/project/train_spec_json.h"

#include <algorithm>
#include <charconv>
#include <span>

namespace athanor {
namespace {

using Names = std::vector<std::string>;
using Path = std::span<const std::string>;

Error refused(ErrorCode code, const Names& path, std::string message, std::string hint = {})
{
    std::string where;
    for (const std::string& part : path)
        where += (where.empty() ? "" : "/") + part;
    return Error{code, std::move(message), std::move(where), std::move(hint), {}};
}

Names split(std::string_view path)
{
    Names parts;
    while (true) {
        const auto dot = path.find('.');
        parts.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos)
            return parts;
        path.remove_prefix(dot + 1);
    }
}

std::optional<std::size_t> indexOf(const std::string& text)
{
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), index);
    return failed == std::errc() && end == text.data() + text.size() ? std::optional(index) : std::nullopt;
}

std::string listed(const Names& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "there are " : ", ") + name;
    return text;
}

std::string hintFor(const std::string& name, const Names& known)
{
    std::string hint = didYouMean(name, known);
    return hint.empty() ? listed(known) : hint;
}

// Sets one value below a path. Each function gets what is left of the path; m_path is the whole, for errors.
class ValueSetter {
public:
    ValueSetter(Names path, std::string_view raw, Json value) : m_path(std::move(path)), m_raw(raw), m_value(std::move(value)) {}

    Status set(Project& project);

private:
    Status setInGraph(Graph& graph, const NodeCatalog& catalog);
    Status setKind(Graph& graph, const NodeCatalog& catalog, const Node& node);
    Status replace(Graph& graph, Node node);
    Status setInTraining(Project& project);
    Status setIn(Json& training, Path rest);
    Status setSetting(Json& object, const std::string& section, Path rest);
    Status setOptimizer(Json& optimizer, Path rest);
    Status setEntry(Json& list, Path rest, bool isInit);
    Status setKindEntry(Json& entry, Path rest, const std::vector<ParamSpec>* (*paramsOf)(const std::string&),
                        const Names& kinds, std::vector<ParamSpec> besides);
    Result<Json> valueFor(const ParamSpec& spec, const Json& now, Path rest);
    Result<Json> setInside(Json now, Path rest);
    Error unknown(const std::string& what, const std::string& name, const Names& known)
    {
        return refused(ErrorCode::NotFound, m_path, "there is no " + what + " '" + name + "'", hintFor(name, known));
    }

    Names m_path;
    std::string m_raw; // as it was written, for texts that look like numbers
    Json m_value;
    bool m_wholeSection = false; // `training.optimizer={…}`: still to be checked
};

// The value as `spec` takes it: a text that looks like JSON stays a text where texts are wanted.
Json coerced(const ParamSpec& spec, Json value, const std::string& raw)
{
    const bool wantsText = spec.type == ParamType::Text || spec.type == ParamType::Path || spec.type == ParamType::Choice;
    if (wantsText && !value.is_string() && !value.is_null())
        return raw;
    if (spec.type == ParamType::TextList && value.is_string())
        return Json::array({value});
    return value;
}

Result<Json> ValueSetter::setInside(Json now, Path rest)
{
    if (rest.empty())
        return m_value;
    Json* child = nullptr;
    if (now.is_array()) {
        const auto index = indexOf(rest[0]);
        if (!index || *index >= now.size())
            return refused(ErrorCode::NotFound, m_path, "the list has " + std::to_string(now.size()) + " entries, there is no '" + rest[0] + "'", "entries are counted from 0");
        child = &now[*index];
    } else if (now.is_object()) {
        child = &now[rest[0]];
    } else {
        return refused(ErrorCode::NotFound, m_path, "there is nothing inside this value", "end the path before '" + rest[0] + "'");
    }
    auto inside = setInside(*child, rest.subspan(1));
    if (!inside)
        return inside.error();
    *child = std::move(*inside);
    return now;
}

// The new value of a parameter, or of an entry inside it, checked against its spec.
Result<Json> ValueSetter::valueFor(const ParamSpec& spec, const Json& now, Path rest)
{
    Json value;
    if (rest.empty()) {
        value = coerced(spec, m_value, m_raw);
    } else {
        if (spec.type == ParamType::TextList && !m_value.is_string())
            m_value = m_raw;
        auto inside = setInside(now, rest);
        if (!inside)
            return inside.error();
        value = std::move(*inside);
    }
    if (auto problem = checkValue(spec, value))
        return refused(ErrorCode::InvalidArgument, m_path, spec.name + " " + problem->message, problem->hint);
    return value;
}

Status ValueSetter::replace(Graph& graph, Node node)
{
    auto removed = apply(graph, GraphEdit{edit::RemoveNode{node.id}});
    if (!removed)
        return removed.error();
    auto& back = std::get<edit::Sequence>(removed->inverse.what);
    std::get<edit::AddNode>(back.edits.front().what).node = std::move(node);
    auto added = apply(graph, removed->inverse);
    return added ? Status(Done{}) : Status(added.error());
}

Status ValueSetter::setKind(Graph& graph, const NodeCatalog& catalog, const Node& node)
{
    const NodeKind* kind = m_value.is_string() ? catalog.find(m_value.get<std::string>()) : nullptr;
    if (kind == nullptr) {
        const std::string near = catalog.nearest(m_raw);
        return refused(ErrorCode::InvalidArgument, m_path, "there is no kind '" + m_raw + "'", near.empty() ? std::string() : "did you mean '" + near + "'?");
    }
    Node changed = node;
    changed.kind = kind->kind;
    for (const auto& [name, value] : node.params.items()) // the new kind keeps what it knows
        if (kind->param(name) == nullptr)
            changed.params.erase(name);
    return replace(graph, std::move(changed));
}

Status ValueSetter::setInGraph(Graph& graph, const NodeCatalog& catalog)
{
    const Node* node = m_path.size() > 1 ? graph.find(m_path[1]) : nullptr;
    if (node == nullptr) {
        Names ids;
        for (const Node& known : graph.nodes())
            ids.push_back(known.id);
        return unknown("node", m_path.size() > 1 ? m_path[1] : std::string(), ids);
    }
    const NodeKind* kind = catalog.find(node->kind);
    if (m_path.size() < 3)
        return refused(ErrorCode::InvalidArgument, m_path, "names a node, but none of its parameters", kind != nullptr ? listed(namesOf(kind->params)) : std::string());
    const std::string name = m_path[2];
    const ParamSpec* spec = kind != nullptr ? kind->param(name) : nullptr;
    const Path rest = Path(m_path).subspan(3);
    if (spec == nullptr && name == "kind" && rest.empty())
        return setKind(graph, catalog, *node);
    if (kind == nullptr)
        return refused(ErrorCode::InvalidArgument, m_path, "nothing is known of the kind '" + node->kind + "'", "its parameters can be changed in the file");
    if (spec == nullptr)
        return unknown("parameter", name, namesOf(kind->params));
    auto value = valueFor(*spec, completeParams(*kind, node->params).value(name, Json()), rest);
    if (!value)
        return value.error();
    if (value->is_null() && !spec->inferred && !spec->standard.is_null()) { // a null that means something
        Node changed = *node;
        changed.params[name] = nullptr;
        return replace(graph, std::move(changed));
    }
    auto change = apply(graph, GraphEdit{edit::SetParameter{node->id, name, std::move(*value)}});
    return change ? Status(Done{}) : Status(change.error());
}

Status ValueSetter::setSetting(Json& object, const std::string& section, Path rest)
{
    Names known;
    const ParamSpec* found = nullptr;
    const std::string prefix = section.empty() ? "" : section + ".";
    for (const ParamSpec& spec : trainingParams()) {
        if (!spec.name.starts_with(prefix) || spec.name.find('.', prefix.size()) != std::string::npos)
            continue;
        known.push_back(spec.name.substr(prefix.size()));
        if (known.back() == rest[0])
            found = &spec;
    }
    if (section.empty())
        known.insert(known.end(), {"optimizer", "scheduler", "init", "checkpoint", "early_stopping"});
    if (found == nullptr)
        return unknown("setting", rest[0], known);
    ParamSpec named = *found;
    named.name = rest[0];
    auto value = valueFor(named, object.value(rest[0], Json()), rest.subspan(1));
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

Status ValueSetter::setKindEntry(Json& entry, Path rest, const std::vector<ParamSpec>* (*paramsOf)(const std::string&),
                                 const Names& kinds, std::vector<ParamSpec> besides)
{
    const std::string kind = entry.value("kind", std::string());
    if (rest[0] == "kind") {
        const auto* params = paramsOf(m_raw);
        if (params == nullptr || rest.size() > 1)
            return unknown("kind", m_raw, kinds);
        Names keep = namesOf(*params);
        for (const ParamSpec& spec : besides)
            keep.push_back(spec.name);
        Json changed = {{"kind", m_raw}};
        for (const auto& [name, value] : entry.items())
            if (std::find(keep.begin(), keep.end(), name) != keep.end())
                changed[name] = value;
        entry = std::move(changed);
        return Done{};
    }
    const auto* params = paramsOf(kind);
    if (params == nullptr)
        return refused(ErrorCode::InvalidArgument, m_path, kind.empty() ? "no kind is set yet" : "nothing is known of the kind '" + kind + "'", "set its kind first: " + listed(kinds));
    besides.insert(besides.begin(), params->begin(), params->end());
    const auto spec = std::find_if(besides.begin(), besides.end(), [&](const ParamSpec& s) { return s.name == rest[0]; });
    if (spec == besides.end())
        return unknown("parameter", rest[0], namesOf(besides));
    auto value = valueFor(*spec, completeParams(*params, entry).value(rest[0], Json()), rest.subspan(1));
    if (!value)
        return value.error();
    if (value->is_null())
        entry.erase(rest[0]);
    else
        entry[rest[0]] = std::move(*value);
    return Done{};
}

// An entry of the list of schedulers or initializers.
Status ValueSetter::setEntry(Json& list, Path rest, bool isInit)
{
    const ParamSpec beside = isInit ? ParamSpec{.name = "match", .type = ParamType::Text, .required = true}
                                    : ParamSpec{.name = "interval", .type = ParamType::Choice, .standard = "epoch", .choices = {"epoch", "step"}};
    auto index = indexOf(rest[0]);
    if (index)
        rest = rest.subspan(1);
    else if (!isInit && list.size() <= 1)
        index = 0; // training.scheduler.gamma, as the file spells a single one
    if (!index && list.size() > 1)
        return refused(ErrorCode::InvalidArgument, m_path, "there are " + std::to_string(list.size()) + " of them", "say which by its number, from 0");
    if (!index || *index > list.size() || (*index == list.size() && isInit))
        return refused(ErrorCode::NotFound, m_path, "there is no such entry", "the list has " + std::to_string(list.size()) + ", counted from 0");
    if (*index == list.size())
        list.push_back(Json::object());
    Json& entry = list[*index];
    if (rest.empty()) {
        entry = m_value;
        return Done{};
    }
    if (!entry.is_object())
        entry = Json::object();
    return isInit ? setKindEntry(entry, rest, initializerParams, initializerKinds(), {beside})
                  : setKindEntry(entry, rest, schedulerParams, schedulerKinds(), {beside});
}

Status ValueSetter::setOptimizer(Json& optimizer, Path rest)
{
    return setKindEntry(optimizer, rest, optimizerParams, optimizerKinds(), {});
}

Status ValueSetter::setIn(Json& training, Path rest)
{
    const std::string& key = rest[0];
    const Path inside = rest.subspan(1);
    const bool isSection = key == "optimizer" || key == "scheduler" || key == "init" || key == "checkpoint" || key == "early_stopping";
    if (!isSection)
        return setSetting(training, "", rest);
    Json& section = training[key];
    if (inside.empty()) {
        section = m_value;
        m_wholeSection = true;
        return Done{};
    }
    if (key == "optimizer")
        return setOptimizer(section, inside);
    if (key == "scheduler" || key == "init")
        return setEntry(section, inside, key == "init");
    if (section.is_null())
        section = Json::object();
    return setSetting(section, key, inside);
}

// A problem that was there before, which a new value is not to blame for.
bool stands(const Project& project, const Problem& problem)
{
    std::vector<Problem> before;
    static_cast<void>(trainSpecFromJson(trainSpecJson(project.training, TrainingDetail::Written), before));
    for (Problem& other : checkTraining(project))
        before.push_back(std::move(other));
    return std::find(before.begin(), before.end(), problem) != before.end();
}

Status ValueSetter::setInTraining(Project& project)
{
    const TrainSpec& spec = project.training;
    if (m_path.size() < 2)
        return refused(ErrorCode::InvalidArgument, m_path, "names the whole training part", "name one setting, such as training.epochs");
    Json training = merged(spec.extra, trainSpecJson(spec, TrainingDetail::Full));
    if (Status done = setIn(training, Path(m_path).subspan(1)); !done)
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
    if (m_wholeSection) { // it came in unseen
        for (Problem& problem : checkTraining(changed))
            if (problem.severity == Severity::Error)
                problems.push_back(std::move(problem));
        for (const Problem& problem : problems)
            if (problem.where.starts_with("training/" + m_path[1]) && !stands(project, problem))
                return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, {}};
    }
    project.training = std::move(changed.training);
    return Done{};
}

Status ValueSetter::set(Project& project)
{
    const std::string& part = m_path[0];
    if (part == "data")
        return setInGraph(project.data, dataCatalog());
    if (part == "network")
        return setInGraph(project.network, layerCatalog());
    if (part == "training")
        return setInTraining(project);
    if (part != "name")
        return unknown("setting", part, {"name", "data", "network", "training"});
    if (m_path.size() > 1)
        return refused(ErrorCode::NotFound, m_path, "there is nothing inside the name");
    project.name = m_value.is_string() ? m_value.get<std::string>() : m_raw;
    return Done{};
}

} // namespace

Status setProjectValue(Project& project, std::string_view path, std::string_view value)
{
    Names parts = split(path);
    const auto spelled = [&](Json::error_handler_t handler) { return Json(value).dump(-1, ' ', false, handler); };
    if (spelled(Json::error_handler_t::ignore) != spelled(Json::error_handler_t::replace))
        return refused(ErrorCode::InvalidArgument, parts, "the value is no valid UTF-8 text");
    auto read = readJson(value);
    Json json = read ? std::move(read->value) : Json(value); // a bare word is a text
    return ValueSetter(std::move(parts), value, std::move(json)).set(project);
}

} // namespace athanor
