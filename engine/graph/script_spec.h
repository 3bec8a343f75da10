// Any thread. Inside engine/graph and engine/train: what a script node declares beside its source, read from its
// parameters.
#pragma once

#include "engine/base/result.h"
#include "engine/graph/node_catalog.h"
#include "engine/graph/script_signature.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

/// The inferred parameter in which the shape rule leaves the shapes of `parameters` by name: {"weight": [16, 784]}.
inline constexpr const char* kParameterShapes = "parameter_shapes";

/// One entry of `parameters`: a tensor that the source uses as self.<name>.
struct ScriptTensor {
    std::string name;
    std::vector<std::string> shape; ///< each an expression: "16", "hidden", "4*hidden", "x.size(1)"
    std::string init;               ///< empty: the default for its shape (see docs/project-file.md)
    Json initParams = Json::object();
    bool buffer = false; ///< not trained
};

/// One entry of `constants`: a number, or true or false.
struct ScriptConstant {
    std::string name;
    Json value;
};

struct ScriptSpec {
    std::string source;
    ScriptSignature signature;
    std::vector<std::string> outputs; ///< the ports' names
    std::vector<ScriptTensor>
        tensors; ///< in the order of the file, which is the order of their initial draws
    std::vector<ScriptConstant> constants;
    std::vector<ShapeProblem> problems; ///< of the parameters' form and of the signature
};

/// Reads the parameters of a Script or ScriptLoss. Takes any values; what cannot be read is a problem.
ScriptSpec readScriptSpec(const Json& params, bool isLoss);

/// The shape of a declared tensor for these inputs (in the order of the arguments; unconnected optional ones and
/// unknown ones are nullopt, a list of tensors is as long as it is). Extents that are not known yet are kUnknown.
/// An expression that makes no sense is an InvalidArgument.
Result<std::vector<Extent>> tensorShape(const ScriptSpec& spec, const ScriptTensor& tensor,
                                        const std::vector<std::optional<TensorType>>& inputs);

/// Index and number of each argument's tensors among a node's inputs.
std::vector<std::pair<std::size_t, std::size_t>> argumentRanges(const ScriptSignature& signature,
                                                                std::size_t inputs);

} // namespace athanor
