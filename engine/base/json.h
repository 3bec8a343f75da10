// Any thread. The project's JSON type and the spelling of non-finite numbers in it.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace athanor {

using Json = nlohmann::json; ///< objects keep their keys sorted

/// A number for JSON output: finite values as numbers, the others as "nan", "inf", "-inf".
Json jsonNumber(double value);

/// The reverse: a number or one of the three strings; false for anything else.
bool numberFromJson(const Json& json, double& value);

/// 128-bit content hash (XXH3) of bytes as 32 hex digits; for fingerprints, not for security.
std::string contentHash(const void* data, std::size_t size);

} // namespace athanor
