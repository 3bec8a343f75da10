// Any thread. Labels of tables as class numbers.
#pragma once

#include "engine/data/memory_dataset.h"

#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// A label as its class is named: "1", "01" and "1.0" are the same whole number.
std::string className(std::string_view cell);

/// The field of these class names, one per sample, numbered in the order of sortedClassNames.
MemoryField classField(const std::string& field, const std::vector<std::string>& labels);

} // namespace athanor
