// Any thread. Inside engine/project: JSON text in and out, with places for errors.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace athanor {

struct ReadJson {
    Json value;
    std::vector<std::string>
        twice; ///< keys that one object holds twice ("training/epochs"); the last one counts
};

/// Reads strict JSON. Errors give line and column, counted from 1 in characters. Nesting deeper than 100 is
/// refused, because what follows works recursively.
Result<ReadJson> readJson(std::string_view text);

/// A project's document: keys sorted, what matters in a diff on a line of its own (a node, an edge, a setting).
std::string documentText(const Json& document);

/// Objects merged key by key; where both have a value, `over` counts.
Json merged(Json under, const Json& over);

} // namespace athanor
