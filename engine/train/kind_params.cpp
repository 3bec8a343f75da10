#include "engine/train/kind_params.h"

namespace athanor {

double realParam(const Json& params, const char* name, double otherwise)
{
    const auto found = params.find(name);
    double value = otherwise;
    if (found != params.end() && !numberFromJson(*found, value))
        value = otherwise;
    return value;
}

std::int64_t intParam(const Json& params, const char* name, std::int64_t otherwise)
{
    const auto found = params.find(name);
    return found != params.end() && found->is_number() ? found->get<std::int64_t>() : otherwise;
}

bool flagParam(const Json& params, const char* name, bool otherwise)
{
    const auto found = params.find(name);
    return found != params.end() && found->is_boolean() ? found->get<bool>() : otherwise;
}

std::string textParam(const Json& params, const char* name, const std::string& otherwise)
{
    const auto found = params.find(name);
    return found != params.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

} // namespace athanor
