// Any thread. Inside engine/graph: how each kind of layer changes what is seen of the input.
#pragma once

#include "engine/graph/receptive_field.h"

namespace athanor {

/// One axis of the input, as it is seen along one axis of a tensor.
struct AxisTrace {
    std::size_t axis = 0; ///< of the input, counted behind batch and channels
    FieldAxis field;
};

struct FieldState {
    /// Per axis of the tensor, the batch first; none for channels, several where axes were merged (Flatten).
    std::vector<std::vector<AxisTrace>> dims;
    bool aligned = true;
};

struct FieldNode {
    const std::string& kind;
    const Json& params;       ///< complete
    const TensorType& output; ///< of its first port
    const std::vector<std::optional<FieldState>>& inputs; ///< in the order of the edges
    const std::vector<std::optional<TensorType>>& types;  ///< the same
};

/// What the node's output sees; nullopt: it cannot be told.
std::optional<FieldState> fieldState(const FieldNode& node);

/// The larger of two fields; a whole one is the largest.
const FieldAxis& larger(const FieldAxis& a, const FieldAxis& b);

} // namespace athanor
