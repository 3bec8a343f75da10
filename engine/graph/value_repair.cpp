#include "engine/graph/value_repair.h"

#include "engine/graph/name_match.h"
#include "engine/graph/param_check.h"

#include <cmath>

namespace athanor {
namespace {

std::optional<Json> numberIn(const std::string& text, bool whole)
{
    const Json parsed = Json::parse(text, nullptr, false);
    return parsed.is_number() && (!whole || isInteger(parsed)) ? std::optional(parsed) : std::nullopt;
}

// The value inside of the range that lies nearest; nullopt when there is none to name.
std::optional<Json> nearestNumber(const ParamSpec& spec, const Json& value, bool whole)
{
    if (value.is_string())
        return numberIn(value.get<std::string>(), whole);
    if (!value.is_number())
        return std::nullopt;
    double number = value.get<double>();
    if (!std::isfinite(number))
        return std::nullopt;
    if (whole)
        number = std::round(number);
    const double step = whole ? 1 : 0;
    if (spec.minimum && number <= *spec.minimum)
        number = *spec.minimum + (spec.minimumExcluded ? step : 0);
    if (spec.maximum && number >= *spec.maximum)
        number = *spec.maximum - (spec.maximumExcluded ? step : 0);
    return whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
}

std::optional<Json> nearest(const ParamSpec& spec, const Json& value)
{
    switch (spec.type) {
    case ParamType::Int:
        return nearestNumber(spec, value, true);
    case ParamType::Real:
        return nearestNumber(spec, value, false);
    case ParamType::IntOrList:
    case ParamType::IntList:
    case ParamType::RealList: {
        const bool whole = spec.type != ParamType::RealList;
        if (!value.is_array())
            return nearestNumber(spec, value, whole);
        Json list = Json::array();
        for (const Json& entry : value)
            list.push_back(nearestNumber(spec, entry, whole).value_or(entry));
        return list;
    }
    case ParamType::Choice: {
        const std::string near = value.is_string() ? nearestName(value.get<std::string>(), spec.choices) : "";
        return near.empty() ? std::nullopt : std::optional<Json>(near);
    }
    case ParamType::Bool:
        if (value.is_number())
            return Json(value != 0);
        return value == "true" || value == "True"     ? std::optional<Json>(true)
               : value == "false" || value == "False" ? std::optional<Json>(false)
                                                      : std::nullopt;
    default:
        return std::nullopt;
    }
}

} // namespace

std::optional<Json> nearestValue(const ParamSpec& spec, const Json& value)
{
    std::optional<Json> repaired = nearest(spec, value);
    return repaired && !checkValue(spec, *repaired) ? repaired : std::nullopt;
}

} // namespace athanor
