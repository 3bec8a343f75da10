// Any thread (pure functions). Values that a person may have meant.
#pragma once

#include "engine/graph/node_catalog.h"

#include <optional>

namespace athanor {

/// The sound value nearest to one that checkValue() refuses: a number at the end of its range that was passed,
/// a number that was written as a text, the choice nearest by spelling. nullopt when none can be told.
std::optional<Json> nearestValue(const ParamSpec& spec, const Json& value);

} // namespace athanor
