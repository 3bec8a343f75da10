// Any thread. How large and how deep a script may be: compilers descend into a source, and a stack has an end.
#pragma once

#include "engine/graph/script_signature.h"

#include <optional>
#include <string_view>

namespace athanor {

/// What is beyond all reason: the size of the source, the length of a line (to the end of its parentheses), how
/// deep blocks lie in each other. Far from what people write, and well below what a compiler of 8 MB stack bears.
std::optional<SourceProblem> excessOf(std::string_view source);
/// The same without the size as a whole: for code that a program wrote.
std::optional<SourceProblem> nestingExcessOf(std::string_view source);

} // namespace athanor
