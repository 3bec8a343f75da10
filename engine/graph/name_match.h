// Any thread. Names that a person may have meant.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// The candidate nearest to `name` by spelling, capital letters and underscores aside; empty when none is
/// near enough to be what was meant.
std::string nearestName(std::string_view name, const std::vector<std::string>& candidates);

/// "did you mean 'kernel_size'?", or empty when nothing is near.
std::string didYouMean(std::string_view name, const std::vector<std::string>& candidates);

/// Shell pattern against a whole text: `*` (dots included), `?`, `[a-z]`.
bool matchesGlob(const std::string& pattern, const std::string& text);

} // namespace athanor
