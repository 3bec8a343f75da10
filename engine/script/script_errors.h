// Any thread, torch-free. What LibTorch says of a script, as a problem at its line and column.
#pragma once

#include "engine/graph/script_signature.h"
#include "engine/script/torch_errors.h"

#include <string>
#include <string_view>

namespace athanor {

/// The name that a node's source goes by in LibTorch's messages.
inline constexpr const char* kScriptFile = "script";

/// One text of LibTorch: the compiler's, or the interpreter's with its traceback. What points into another file
/// than kScriptFile gets no place.
SourceProblem problemOfMessage(std::string_view message, std::string_view source);

/// A problem of a script on its way to the nearest wall. `where` is the parameter of the node that it lies in
/// ("source", "parameters", "file"); CompiledNetwork puts the node before it.
class ScriptError : public PlacedError {
public:
    ScriptError(SourceProblem problem, std::string where, std::string details = {});
    [[nodiscard]] const SourceProblem& problem() const { return m_problem; }

private:
    SourceProblem m_problem;
};

} // namespace athanor
