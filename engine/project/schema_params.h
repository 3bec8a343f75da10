// Any thread. Inside engine/project: short ways to write ParamSpecs down.
#pragma once

#include "engine/project/project.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

/// Kinds with their parameters, in the order that lists show them.
using KindParams = std::vector<std::pair<std::string, std::vector<ParamSpec>>>;

inline const std::vector<ParamSpec>* paramsOfKind(const KindParams& kinds, const std::string& kind)
{
    const auto it = std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.first == kind; });
    return it == kinds.end() ? nullptr : &it->second;
}

inline std::vector<std::string> namesOfKinds(const KindParams& kinds)
{
    std::vector<std::string> all;
    for (const auto& [kind, params] : kinds)
        all.push_back(kind);
    return all;
}

inline ParamSpec real(std::string name, Json standard, std::string help, std::optional<double> minimum = {},
                      std::optional<double> maximum = {})
{
    return {.name = std::move(name),
            .type = ParamType::Real,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum};
}

inline ParamSpec boolean(std::string name, bool standard, std::string help)
{
    return {.name = std::move(name), .type = ParamType::Bool, .standard = standard, .help = std::move(help)};
}

inline ParamSpec integer(std::string name, Json standard, std::string help, std::optional<double> minimum = {})
{
    constexpr double kLargest = 2147483647;
    return {.name = std::move(name),
            .type = ParamType::Int,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = kLargest};
}

inline ParamSpec choice(std::string name, std::vector<std::string> choices, Json standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Choice,
            .standard = std::move(standard),
            .help = std::move(help),
            .choices = std::move(choices)};
}

inline ParamSpec text(std::string name, std::string standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Text,
            .standard = std::move(standard),
            .help = std::move(help)};
}

inline ParamSpec required(ParamSpec spec)
{
    spec.required = true;
    spec.standard = nullptr;
    return spec;
}

inline ParamSpec nullable(ParamSpec spec)
{
    spec.allowsNull = true;
    return spec;
}

/// Above the minimum, and not the minimum itself.
inline ParamSpec positive(ParamSpec spec)
{
    spec.minimum = 0;
    spec.minimumExcluded = true;
    return spec;
}

inline ParamSpec belowMaximum(ParamSpec spec)
{
    spec.maximumExcluded = true;
    return spec;
}

/// Can be changed while a run is on.
inline ParamSpec live(ParamSpec spec)
{
    spec.live = true;
    return spec;
}

} // namespace athanor
