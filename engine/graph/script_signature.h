// Any thread. What a script's `def forward(…)` line says, read without compiling it: ports follow from it while
// the source is still being typed, and in a program without LibTorch.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// A place in a source, counted as people do: lines and columns from 1, in characters. Line 0: no place.
struct SourcePlace {
    int line = 0;
    int column = 0;
    int length = 0; ///< characters within the line; 0: not known
    bool operator==(const SourcePlace&) const = default;
};

/// The place of `length` bytes at `start`; of several lines the first counts.
SourcePlace placeAt(std::string_view source, std::size_t start, std::size_t length);

/// A thing wrong with a source.
struct SourceProblem {
    SourcePlace place;
    std::string message;
    std::string hint;
    bool operator==(const SourceProblem&) const = default;
};
/// "line 3, column 5: message", or the message alone when it has no place.
std::string placedText(const SourceProblem& problem);

enum class ScriptValue {
    Tensor,
    OptionalTensor, ///< its port may stay unconnected: the script gets None
    TensorList,     ///< its port takes any number of edges
};

struct ScriptArgument {
    std::string name;
    ScriptValue value = ScriptValue::Tensor;
};

struct ScriptSignature {
    std::vector<ScriptArgument> arguments; ///< behind self
    /// Tensors that are returned; nothing when there is no `->`, which leaves it to the compiler to find out.
    std::optional<int> results;
    SourcePlace forward;                 ///< the word forward of its definition
    std::vector<SourceProblem> problems; ///< with them, the arguments are those that could be read
};

/// Reads the signature of the function `forward` at the top level. Takes any text.
ScriptSignature readSignature(std::string_view source);

/// Characters in UTF-8 text (code points).
int characterCount(std::string_view text);

} // namespace athanor
