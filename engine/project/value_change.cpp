#include "engine/project/value_change.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"
#include "engine/project/json_text.h"

#include <charconv>

namespace athanor {
namespace {

std::vector<std::string> split(std::string_view path)
{
    std::vector<std::string> parts;
    while (true) {
        const auto dot = path.find('.');
        parts.emplace_back(path.substr(0, dot));
        if (dot == std::string_view::npos)
            return parts;
        path.remove_prefix(dot + 1);
    }
}

bool isText(std::string_view bytes)
{
    const auto spelled = [&](Json::error_handler_t handler) {
        return Json(bytes).dump(-1, ' ', false, handler);
    };
    return spelled(Json::error_handler_t::ignore) == spelled(Json::error_handler_t::replace);
}

} // namespace

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (const std::string& name : names)
        text += (text.empty() ? "there are " : ", ") + name;
    return text;
}

std::optional<std::size_t> listIndex(const std::string& text)
{
    std::size_t index = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), index);
    return failed == std::errc() && end == text.data() + text.size() ? std::optional(index) : std::nullopt;
}

Result<ValueChange> ValueChange::parse(std::string_view path, std::string_view value)
{
    ValueChange change{split(path), std::string(value), {}};
    if (!isText(path) || !isText(value))
        return Error{ErrorCode::InvalidArgument, "is no valid UTF-8 text", isText(path) ? change.path[0] : "",
                     "write PATH=VALUE in UTF-8", ""};
    auto read = readJson(value);
    change.value = read ? std::move(read->value) : Json(value); // a bare word is a text
    return change;
}

Error ValueChange::refused(std::string message, std::string hint) const
{
    std::string where;
    for (const std::string& part : path)
        where += (where.empty() ? "" : "/") + part;
    return Error{ErrorCode::InvalidArgument, std::move(message), std::move(where), std::move(hint), {}};
}

Error ValueChange::unknown(const std::string& what, const std::string& name,
                           const std::vector<std::string>& known) const
{
    std::string hint = didYouMean(name, known);
    Error error = refused("there is no " + what + " '" + name + "'", hint.empty() ? listed(known) : hint);
    error.code = ErrorCode::NotFound;
    return error;
}

// The value as `spec` takes it: a text that looks like JSON stays a text where texts are wanted.
Json ValueChange::coerced(const ParamSpec& spec, PathRest inside) const
{
    const bool isList = spec.type == ParamType::TextList;
    const bool wantsText = spec.type == ParamType::Text || spec.type == ParamType::Path || spec.type == ParamType::Source ||
                           spec.type == ParamType::Choice || (isList && !inside.empty());
    if (wantsText && !value.is_string() && !value.is_null())
        return raw;
    if (isList && inside.empty() && value.is_string())
        return Json::array({value});
    return value;
}

Result<Json> ValueChange::put(const Json& what, Json into, PathRest inside) const
{
    if (inside.empty())
        return what;
    Json* child = nullptr;
    if (into.is_array()) {
        const auto index = listIndex(inside[0]);
        if (!index || *index >= into.size())
            return refused("the list has " + std::to_string(into.size()) + " entries, there is no '" +
                               inside[0] + "'",
                           "entries are counted from 0");
        child = &into[*index];
    } else if (into.is_object()) {
        child = &into[inside[0]];
    } else {
        return refused("there is nothing inside this value", "end the path before '" + inside[0] + "'");
    }
    auto changed = put(what, *child, inside.subspan(1));
    if (!changed)
        return changed.error();
    *child = std::move(*changed);
    return into;
}

Result<Json> ValueChange::apply(const ParamSpec& spec, const Json& now, PathRest inside) const
{
    auto changed = put(coerced(spec, inside), now, inside);
    if (!changed)
        return changed.error();
    if (auto problem = checkValue(spec, *changed))
        return refused(spec.name + " " + problem->message, problem->hint);
    return changed;
}

Status setProjectValue(Project& project, std::string_view path, std::string_view value)
{
    const auto change = ValueChange::parse(path, value);
    if (!change)
        return change.error();
    const std::string& part = change->path[0];
    if (part == "data")
        return setGraphValue(project.data, dataCatalog(), *change);
    if (part == "network")
        return setGraphValue(project.network, layerCatalog(), *change);
    if (part == "training")
        return setTrainingValue(project, *change);
    if (part != "name")
        return change->unknown("setting", part, {"name", "data", "network", "training"});
    if (change->path.size() > 1)
        return change->refused("there is nothing inside the name");
    project.name = change->value.is_string() ? change->value.get<std::string>() : change->raw;
    return Done{};
}

} // namespace athanor
