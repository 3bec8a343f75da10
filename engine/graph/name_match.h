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

/// Shell-like match of a whole text: '*' any text, '?' one character, all else itself.
bool matchesGlob(std::string_view pattern, std::string_view text);

} // namespace athanor
