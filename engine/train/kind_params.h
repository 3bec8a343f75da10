// Any thread, torch-free. Reading complete parameters (of nodes, optimizers, …) by name.
#pragma once

#include "engine/base/json.h"

#include <cstdint>
#include <string>

namespace athanor {

// Each gives `otherwise` when the parameter is missing, null or of another type, which checks have reported.
double realParam(const Json& params, const char* name, double otherwise = 0);
std::int64_t intParam(const Json& params, const char* name, std::int64_t otherwise = 0);
bool flagParam(const Json& params, const char* name, bool otherwise = false);
std::string textParam(const Json& params, const char* name, const std::string& otherwise = {});

} // namespace athanor
