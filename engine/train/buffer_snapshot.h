// Session thread. What a forward pass changes besides gradients: the buffers (BatchNorm's running statistics),
// kept so that a withheld step leaves no trace.
#pragma once

#include "engine/train/compiled_network.h"

#include <vector>

namespace athanor {

class BufferSnapshot {
public:
    /// Lays the module's buffers into one flat tensor per element type, so that keeping them is one copy each.
    explicit BufferSnapshot(torch::nn::Module& module);

    void take();
    void restore();

private:
    struct Flat {
        torch::Tensor values; ///< the buffers are views of it
        torch::Tensor kept;
    };
    std::vector<Flat> m_flats;
};

} // namespace athanor
