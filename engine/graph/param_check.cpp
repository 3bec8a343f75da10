#include "engine/graph/param_check.h"

#include "engine/graph/name_match.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

std::string numberText(double number)
{
    return Json(number == std::floor(number) && std::abs(number) < 1e15
                    ? Json(static_cast<std::int64_t>(number))
                    : Json(number))
        .dump();
}

// Only the bound that matters: a common ceiling against overflow is not worth a word to who wrote 0.
std::string rangeText(const ParamSpec& spec, double number)
{
    constexpr double kCommonCeiling = 1e6;
    const bool sayHigh =
        spec.maximum && (number > *spec.maximum || *spec.maximum < kCommonCeiling || !spec.minimum);
    const std::string low = spec.minimum ? numberText(*spec.minimum) : "";
    const std::string high = sayHigh ? numberText(*spec.maximum) : "";
    if (!spec.minimum)
        return sayHigh ? "at most " + high : "finite";
    if (!sayHigh)
        return (spec.minimumExcluded ? "above " : "at least ") + low;
    if (!spec.minimumExcluded && !spec.maximumExcluded)
        return "between " + low + " and " + high;
    return (spec.minimumExcluded ? "above " : "at least ") + low +
           (spec.maximumExcluded ? " and below " : " and at most ") + high;
}

bool inRange(const ParamSpec& spec, double number)
{
    if (!std::isfinite(number))
        return false;
    if (spec.minimum && (spec.minimumExcluded ? number <= *spec.minimum : number < *spec.minimum))
        return false;
    return !spec.maximum || (spec.maximumExcluded ? number < *spec.maximum : number <= *spec.maximum);
}

std::string joined(const std::vector<std::string>& words)
{
    std::string text;
    for (const std::string& word : words)
        text += (text.empty() ? "" : ", ") + word;
    return text;
}

ValueProblem wrongType(const ParamSpec& spec, const Json& value, const std::string& wanted)
{
    std::string hint;
    if (value.is_number_float() && spec.type != ParamType::Text && wanted.find("whole") != std::string::npos)
        hint = "write it without a decimal point";
    else if (value.is_string() && wanted.find("number") != std::string::npos)
        hint = "write the number without quotes";
    return {"must be " + wanted + ", is " + shortText(value), std::move(hint)};
}

std::optional<ValueProblem> checkNumber(const ParamSpec& spec, const Json& value, bool whole)
{
    if (whole ? !isInteger(value) : !value.is_number())
        return wrongType(spec, value, whole ? "a whole number" : "a number");
    const auto number = value.get<double>();
    if (!inRange(spec, number))
        return ValueProblem{"must be " + rangeText(spec, number) + ", is " + shortText(value), {}};
    return std::nullopt;
}

std::optional<ValueProblem> checkListSize(const ParamSpec& spec, const Json& list)
{
    const auto size = static_cast<int>(list.size());
    const bool oneForAll = spec.type == ParamType::IntOrList && size == 1;
    if (spec.listSize > 0 && size != spec.listSize && !oneForAll)
        return ValueProblem{
            "must have " + std::to_string(spec.listSize) + " entries, has " + std::to_string(size), {}};
    if (size == 0)
        return ValueProblem{"must not be an empty list", {}};
    return std::nullopt;
}

std::optional<ValueProblem> checkNumberList(const ParamSpec& spec, const Json& list, bool whole)
{
    if (auto problem = checkListSize(spec, list))
        return problem;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (auto problem = checkNumber(spec, list[i], whole)) {
            problem->message = "entry " + std::to_string(i + 1) + " " + problem->message;
            return problem;
        }
    return std::nullopt;
}

std::optional<ValueProblem> checkChoice(const ParamSpec& spec, const Json& value)
{
    const auto& choices = spec.choices;
    if (!value.is_string())
        return wrongType(spec, value, "one of " + joined(choices));
    const auto text = value.get<std::string>();
    if (std::find(choices.begin(), choices.end(), text) != choices.end())
        return std::nullopt;
    return ValueProblem{"must be one of " + joined(choices) + ", is " + shortText(value),
                        didYouMean(text, choices)};
}

std::optional<ValueProblem> checkTextList(const ParamSpec& spec, const Json& value)
{
    if (!value.is_array())
        return wrongType(spec, value, "a list of texts");
    for (std::size_t i = 0; i < value.size(); ++i) {
        std::optional<ValueProblem> problem;
        if (!value[i].is_string())
            problem = wrongType(spec, value[i], "a text");
        else if (!spec.choices.empty())
            problem = checkChoice(spec, value[i]);
        if (problem) {
            problem->message = "entry " + std::to_string(i + 1) + " " + problem->message;
            return problem;
        }
    }
    return std::nullopt;
}

std::optional<ValueProblem> checkIntOrList(const ParamSpec& spec, const Json& value)
{
    if (value.is_array())
        return checkNumberList(spec, value, true);
    if (value.is_string() && !spec.choices.empty())
        return checkChoice(spec, value);
    if (!isInteger(value) && !spec.choices.empty())
        return wrongType(spec, value, "a whole number, a list of them, or one of " + joined(spec.choices));
    if (!isInteger(value))
        return wrongType(spec, value, "a whole number or a list of them");
    return checkNumber(spec, value, true);
}

} // namespace

std::string shortText(const Json& value)
{
    std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::size_t cut = 40;
    if (text.size() <= cut)
        return text;
    while (cut > 0 &&
           (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) // never within a UTF-8 character
        --cut;
    return text.substr(0, cut) + "…";
}

bool isInteger(const Json& value)
{
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>() <=
               static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return value.is_number_integer();
}

std::optional<ValueProblem> checkValue(const ParamSpec& spec, const Json& value)
{
    if (value.is_null()) {
        if (spec.allowsNull || spec.inferred)
            return std::nullopt;
        return ValueProblem{"must not be null", spec.required ? "" : "leave it out to get the default"};
    }
    switch (spec.type) {
    case ParamType::Bool:
        return value.is_boolean() ? std::nullopt : std::optional(wrongType(spec, value, "true or false"));
    case ParamType::Int:
        return checkNumber(spec, value, true);
    case ParamType::Real:
        return checkNumber(spec, value, false);
    case ParamType::Text:
        return value.is_string() ? std::nullopt : std::optional(wrongType(spec, value, "a text"));
    case ParamType::Source:
        return value.is_string() ? std::nullopt : std::optional(wrongType(spec, value, "a text"));
    case ParamType::Path:
        if (!value.is_string())
            return wrongType(spec, value, "a path");
        return value.get<std::string>().empty()
                   ? std::optional(ValueProblem{"must name a file or folder", {}})
                   : std::nullopt;
    case ParamType::Choice:
        return checkChoice(spec, value);
    case ParamType::IntOrList:
        return checkIntOrList(spec, value);
    case ParamType::IntList:
        return value.is_array() ? checkNumberList(spec, value, true)
                                : std::optional(wrongType(spec, value, "a list of whole numbers"));
    case ParamType::RealList:
        return value.is_array() ? checkNumberList(spec, value, false) : checkNumber(spec, value, false);
    case ParamType::TextList:
        return checkTextList(spec, value);
    case ParamType::IntOrText:
        if (value.is_string())
            return spec.choices.empty() ? std::nullopt : checkChoice(spec, value);
        return isInteger(value)
                   ? checkNumber(spec, value, true)
                   : std::optional(wrongType(spec, value,
                                             "a whole number or a " +
                                                 std::string(spec.choices.empty() ? "name" : "word")));
    case ParamType::Any:
        return std::nullopt;
    }
    return std::nullopt;
}

std::vector<std::string> namesOf(const std::vector<ParamSpec>& specs)
{
    std::vector<std::string> names;
    for (const ParamSpec& spec : specs)
        names.push_back(spec.name);
    return names;
}

std::vector<ShapeProblem> checkParams(const std::vector<ParamSpec>& specs, const Json& params,
                                      const std::string& kind)
{
    std::vector<ShapeProblem> problems;
    for (const auto& [name, value] : params.items()) {
        const auto spec =
            std::find_if(specs.begin(), specs.end(), [&](const auto& s) { return s.name == name; });
        if (spec == specs.end())
            problems.push_back(
                {name, kind + " has no parameter '" + name + "'", didYouMean(name, namesOf(specs))});
        else if (auto problem = checkValue(*spec, value))
            problems.push_back({name, name + " " + problem->message, std::move(problem->hint)});
    }
    for (const ParamSpec& spec : specs)
        if (spec.required && !params.contains(spec.name))
            problems.push_back({spec.name, kind + " needs " + spec.name, spec.help});
    return problems;
}

Json canonicalNumbers(Json value)
{
    if (value.is_number())
        return value.get<double>();
    if (value.is_structured())
        for (Json& item : value)
            item = canonicalNumbers(std::move(item));
    return value;
}

Json respelledPaths(const NodeKind& kind, Json params,
                    const std::function<std::string(const std::string&)>& respell)
{
    const auto change = [&](Json& value) {
        if (value.is_string() && !value.get_ref<const std::string&>().empty())
            value = respell(value.get<std::string>());
    };
    for (const ParamSpec& spec : kind.params) {
        const auto it = params.find(spec.name);
        if (it == params.end())
            continue;
        if (spec.type == ParamType::Path)
            change(*it);
        else if (kind.kind == "NumpyFile" && spec.name == "fields" && it->is_object())
            for (Json& file : *it)
                change(file);
    }
    return params;
}

} // namespace athanor
