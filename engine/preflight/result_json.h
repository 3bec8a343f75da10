// Any thread (pure functions). A result of the pre-flight check as JSON that can be read back.
#pragma once

#include "engine/preflight/preflight.h"

namespace athanor {

Json resultJson(const PreflightResult& result);
/// Throws nlohmann's exceptions when the JSON was not made by resultJson.
PreflightResult resultFromJson(const Json& json);

} // namespace athanor
