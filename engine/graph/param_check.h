// Any thread. Checks written values against what a ParamSpec allows.
#pragma once

#include "engine/graph/node_catalog.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// A value as it stands in a message: at most about 40 bytes, cut between characters.
std::string shortText(const Json& value);

/// What is wrong with a value: "must be at least 1, is 0", and what to write instead.
struct ValueProblem {
    std::string message;
    std::string hint;
};

/// nullopt when the value fits the type, the choices, the list size and the range.
std::optional<ValueProblem> checkValue(const ParamSpec& spec, const Json& value);

std::vector<std::string> namesOf(const std::vector<ParamSpec>& specs);

/// The same for a whole set of parameters: unknown names (with the nearest one), missing required ones,
/// values that do not fit. Each problem's `parameter` names its place.
std::vector<ShapeProblem> checkParams(const std::vector<ParamSpec>& specs, const Json& params,
                                      const std::string& kind);

/// The parameters with every path respelled: Path values, and the files of NumpyFile's fields.
Json respelledPaths(const NodeKind& kind, Json params,
                    const std::function<std::string(const std::string&)>& respell);

/// The same value with every number as a double: 1 and 1.0 are one value (for hashes).
Json canonicalNumbers(Json value);

/// True for an integer that fits std::int64_t (1.0 is none).
bool isInteger(const Json& value);

} // namespace athanor
