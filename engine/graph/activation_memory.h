// Any thread (pure functions). What a training step keeps in memory between forward and backward.
#pragma once

#include "engine/graph/graph_check.h"

#include <cstdint>
#include <map>

namespace athanor {

struct ActivationMemory {
    std::map<NodeId, std::int64_t> bytes; ///< per sample, by node of the flat graph; unknown shapes are left out
    std::int64_t total = 0;               ///< per sample
};

/// Tensors that autograd saves for the backward pass, in fp32 and without checkpointing: a node's output counts
/// once, at the node, when it or a node that takes it needs it (PyTorch 1.13: a convolution keeps its input, ReLU
/// its output, MaxPool also int64 indices, Dropout its noise); views such as Flatten cost nothing. Parameters,
/// gradients, running statistics and a layer's scratch memory are not counted; of recurrent and attention layers
/// and scripts it is an estimate. Nothing is kept before the first layer with parameters.
ActivationMemory activationMemory(const Graph& flatNetwork, const GraphCheck& check);

} // namespace athanor
