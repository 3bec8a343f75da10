// Any thread (pure functions). Parameter values as text that a person edits, and back.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/node_catalog.h"

#include <QString>

namespace athanor {

/// What stands in an edit field: 0.001, 1e-5, "3", "3, 5", "a, b"; empty for null.
QString valueText(const Json& value);

/// The reverse, by the parameter's type, with its range checked. Numbers take 1e-3; lists take commas,
/// spaces or ×, with or without brackets; an empty text is null where that is allowed. Errors say what to write.
Result<Json> parseValue(const ParamSpec& spec, const QString& text);

/// Type, range and default in words, for tooltips: "whole number, at least 1; default 1".
QString rangeText(const ParamSpec& spec);

} // namespace athanor
