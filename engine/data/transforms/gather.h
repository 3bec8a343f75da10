// Any thread. Images made of another's pixels, moved but not changed.
#pragma once

#include "engine/data/transforms/resize.h"

#include <string>

namespace athanor {

/// For each output row or column the input's one, or kOutside.
inline constexpr std::int64_t kOutside = -1;
using IndexMap = std::vector<std::int64_t>;

/// Takes pixels from the input; those outside get their channel's entry of `fill` (rounded down for bytes).
void gatherImage(const Value& input, const IndexMap& rows, const IndexMap& columns,
                 const std::vector<float>& fill, Value& output);

enum class Padding { Constant, Edge, Reflect, Symmetric };
Padding paddingNamed(const std::string& name);

/// Places first … first + count − 1 of an axis of that length, which what lies beyond it is padded to.
IndexMap indexMap(std::int64_t first, std::int64_t count, std::int64_t length, Padding padding);

/// A part of an image, all of it inside.
void cropImage(const Value& input, std::int64_t top, std::int64_t left, ImageSize size, Value& output);

} // namespace athanor
