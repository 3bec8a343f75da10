// Any thread. Inside engine/graph: what the shape rules of layers over sequences N×T×features share.
#pragma once

#include "engine/graph/shape_rules.h"

#include <string>

namespace athanor {

/// A sequence of vectors as far as it is known; an unknown input has unknown extents.
struct SequenceShape {
    Extent steps = kUnknown;
    Extent features = kUnknown;
};

/// Input `index`, which stands at port `port`, as a sequence of vectors; with a problem when it is none.
SequenceShape sequenceAt(ShapeRule& rule, std::size_t index, const std::string& port);

/// A mask N×T, numbers or indices; nothing at the port is fine.
void checkMask(ShapeRule& rule, std::size_t index, const std::string& port, Extent steps);

/// The batch is the first axis of everything here, so batch_first may not be false.
void needBatchFirst(ShapeRule& rule);

/// Whether a whole-number parameter divides the features; with a problem when it does not.
void checkHeads(ShapeRule& rule, const std::string& name, Extent features);

} // namespace athanor
