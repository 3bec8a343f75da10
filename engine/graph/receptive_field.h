// Any thread (pure functions). Which part of the input an element of a layer's output sees.
#pragma once

#include "engine/graph/graph_check.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

/// Along one axis of the network's input, in its elements (pixels, tokens). After Araujo, Norris and Sim,
/// "Computing Receptive Fields of Convolutional Neural Networks", Distill 2019, doi 10.23915/distill.00021.
struct FieldAxis {
    double size = 1;    ///< how many elements are seen; may be more than there are, when padding counts
    double jump = 1;    ///< distance in the input between neighbouring elements of the output (effective stride)
    double start = 0;   ///< centre of what the first element sees; 0 is the first element of the input
    bool whole = false; ///< the layer sees the whole axis, and the numbers above mean nothing
    bool operator==(const FieldAxis&) const = default;
};

struct ReceptiveField {
    std::vector<FieldAxis> axes; ///< of the input, behind batch and channels: {height, width}
    bool aligned = true;         ///< false: paths of different stride or offset meet here
    /// "5×5", "all"; "all × 3" when an axis is seen whole; sizes rounded up.
    [[nodiscard]] std::string text() const;
    bool operator==(const ReceptiveField&) const = default;
};

/// By node of the flat graph. Where several paths meet the largest field counts. Normalization layers count as
/// if they saw their own element only, as in evaluation. Not among them: nodes of which nothing can be said (an
/// unknown shape, a script, a reshaped image), nodes that see no axis (tables of features) and losses.
std::map<NodeId, ReceptiveField> receptiveFields(const Graph& flatNetwork, const GraphCheck& check);

} // namespace athanor
