#include "engine/base/json.h"

#include <xxhash.h>

#include <cmath>
#include <cstdio>
#include <limits>

namespace athanor {

Json jsonNumber(double value)
{
    if (std::isnan(value))
        return "nan";
    if (std::isinf(value))
        return value > 0 ? "inf" : "-inf";
    return value;
}

bool numberFromJson(const Json& json, double& value)
{
    if (json.is_number()) {
        value = json.get<double>();
        return true;
    }
    if (json == "nan")
        value = std::numeric_limits<double>::quiet_NaN();
    else if (json == "inf")
        value = std::numeric_limits<double>::infinity();
    else if (json == "-inf")
        value = -std::numeric_limits<double>::infinity();
    else
        return false;
    return true;
}

std::string contentHash(const void* data, std::size_t size)
{
    const XXH128_hash_t hash = XXH3_128bits(data, size);
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash.high64),
                  static_cast<unsigned long long>(hash.low64));
    return text;
}

} // namespace athanor
