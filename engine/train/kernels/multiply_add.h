// Any thread, torch-free. Where PyTorch's kernels fuse a multiplication with an addition.
#pragma once

#include "engine/train/kernels/dispatch.h"

namespace athanor {

/// a·b + c, rounded once where the processor can.
template <bool kFused>
ATHANOR_KERNEL_BODY float multiplyAdd(float a, float b, float c)
{
    if constexpr (kFused)
        return __builtin_fmaf(a, b, c);
    else
        return a * b + c;
}

} // namespace athanor
