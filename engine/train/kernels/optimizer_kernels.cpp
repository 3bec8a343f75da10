// This file is compiled without contraction of a·b + c (see CMakeLists.txt): multiplyAdd says where PyTorch's
// kernels fuse, and nothing else may.
#include "engine/train/kernels/optimizer_kernels.h"

#include "engine/train/kernels/multiply_add.h"

#include <cmath>

namespace athanor {
namespace {

template <bool kFused>
ATHANOR_KERNEL_BODY void sgdBody(const SgdTerms& terms, float* __restrict parameter,
                                 const float* __restrict gradient, float* __restrict buffer, std::int64_t size)
{
    const float sign = terms.maximize ? -1.0F : 1.0F;
    const float minusRate = -terms.rate;
    if (terms.momentum == 0) {
        for (std::int64_t i = 0; i < size; ++i) {
            const float direction = multiplyAdd<kFused>(parameter[i], terms.weightDecay, sign * gradient[i]);
            parameter[i] = multiplyAdd<kFused>(direction, minusRate, parameter[i]);
        }
        return;
    }
    const float kept = terms.firstUpdate ? 0.0F : terms.momentum;
    const float added = terms.firstUpdate ? 1.0F : terms.dampeningComplement;
    const float lookAhead = terms.nesterov ? terms.momentum : 0.0F;
    for (std::int64_t i = 0; i < size; ++i) {
        const float direction = multiplyAdd<kFused>(parameter[i], terms.weightDecay, sign * gradient[i]);
        const float moved = multiplyAdd<kFused>(direction, added, buffer[i] * kept);
        buffer[i] = moved;
        const float nesterov = multiplyAdd<kFused>(moved, lookAhead, direction);
        parameter[i] = multiplyAdd<kFused>(terms.nesterov ? nesterov : moved, minusRate, parameter[i]);
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void adamBody(const AdamTerms& terms, float* __restrict parameter,
                                  const float* __restrict gradient, float* __restrict average,
                                  float* __restrict squareAverage, float* __restrict largest, std::int64_t size)
{
    const float sign = terms.maximize ? -1.0F : 1.0F;
    const float minusStep = -terms.stepSize;
    // The square that the root is taken of goes through memory, so that one loop serves both forms.
    float* root = terms.amsgrad ? largest : squareAverage;
    for (std::int64_t i = 0; i < size; ++i) {
        const float decayed = parameter[i] * terms.decayFactor;
        const float slope = multiplyAdd<kFused>(decayed, terms.weightDecay, sign * gradient[i]);
        average[i] = multiplyAdd<kFused>(slope, terms.beta1Complement, average[i] * terms.beta1);
        squareAverage[i] =
            multiplyAdd<kFused>(terms.beta2Complement * slope, slope, squareAverage[i] * terms.beta2);
        parameter[i] = decayed;
    }
    if (terms.amsgrad)
        for (std::int64_t i = 0; i < size; ++i)
            largest[i] = largest[i] < squareAverage[i] ? squareAverage[i] : largest[i];
    for (std::int64_t i = 0; i < size; ++i) {
        const float denominator = __builtin_sqrtf(root[i]) / terms.correction2Root + terms.eps;
        parameter[i] = parameter[i] + minusStep * average[i] / denominator;
    }
}

#if ATHANOR_HAS_AVX2_KERNELS
ATHANOR_AVX2 void sgdAvx2(const SgdTerms& terms, float* parameter, const float* gradient, float* buffer,
                          std::int64_t size)
{
    sgdBody<true>(terms, parameter, gradient, buffer, size);
}
ATHANOR_AVX2 void adamAvx2(const AdamTerms& terms, float* parameter, const float* gradient, float* average,
                           float* squareAverage, float* largest, std::int64_t size)
{
    adamBody<true>(terms, parameter, gradient, average, squareAverage, largest, size);
}
#endif

} // namespace

void sgdUpdate(const SgdTerms& terms, float* parameter, const float* gradient, float* buffer, std::int64_t size)
{
#if ATHANOR_HAS_AVX2_KERNELS
    if (processorHasAvx2())
        return sgdAvx2(terms, parameter, gradient, buffer, size);
#endif
    sgdBody<false>(terms, parameter, gradient, buffer, size);
}

void adamUpdate(const AdamTerms& terms, float* parameter, const float* gradient, float* average,
                float* squareAverage, float* largest, std::int64_t size)
{
#if ATHANOR_HAS_AVX2_KERNELS
    if (processorHasAvx2())
        return adamAvx2(terms, parameter, gradient, average, squareAverage, largest, size);
#endif
    adamBody<false>(terms, parameter, gradient, average, squareAverage, largest, size);
}

} // namespace athanor
