// Any thread. Inside engine/graph: the small arithmetic that a declared tensor's shape is written in.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/shape.h"

#include <functional>
#include <string>
#include <string_view>

namespace athanor {

/// What names stand for.
struct ExtentNames {
    /// A constant: "hidden".
    std::function<Result<Extent>(const std::string& name)> constant;
    /// An extent of an argument: x.size(axis); a negative axis counts from the end.
    std::function<Result<Extent>(const std::string& argument, std::int64_t axis)> size;
};

/// Whole numbers, constants, x.size(1), + - * // and parentheses, as Python computes them. kUnknown when a part
/// of it is; an InvalidArgument for everything else, results below 0 and above 2^31 - 1 included.
Result<Extent> evaluateExtent(std::string_view expression, const ExtentNames& names);

} // namespace athanor
