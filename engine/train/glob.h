// Any thread, torch-free. Patterns over state names ("*.weight", "backbone*").
#pragma once

#include <string>

namespace athanor {

/// Shell pattern: `*` (dots included), `?`, `[a-z]`.
bool globMatches(const std::string& pattern, const std::string& name);

} // namespace athanor
