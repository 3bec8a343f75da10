// Any thread. A trap of dilated pooling that shapes and running layers must both know.
#pragma once

#include <cstdint>

namespace athanor {

/// True when a window's points, `dilation` apart, step over the whole of an input that is shorter than that and
/// lie in the padding alone. LibTorch's maximum pooling would then read and write outside of the tensor. All in
/// elements along one axis; `outputs` is the number of windows.
inline bool windowMissesInput(std::int64_t input, std::int64_t outputs, std::int64_t stride, std::int64_t padding,
                              std::int64_t dilation)
{
    constexpr std::int64_t kMostWindows = 4096; // nobody pads with more
    if (input >= dilation || padding == 0)
        return false;
    for (std::int64_t window = 0; window < outputs && window * stride < padding; ++window) {
        const std::int64_t before = padding - window * stride;
        const std::int64_t first = (dilation - before % dilation) % dilation;
        if (first >= input || window == kMostWindows)
            return true;
    }
    return false;
}

} // namespace athanor
