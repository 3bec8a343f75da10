// This file is compiled without contraction of a·b + c (see CMakeLists.txt): multiplyAdd says where PyTorch's
// kernels fuse, and nothing else may.
#include "engine/train/kernels/update_rules.h"

#include "engine/train/kernels/multiply_add.h"

namespace athanor {
namespace {

/// Gradient of element i, weight decay added; the decoupled decay is done to the parameter.
template <bool kFused, typename Terms>
ATHANOR_KERNEL_BODY float slopeAt(const Terms& terms, float* __restrict parameter, const float* __restrict gradient,
                                  std::int64_t i)
{
    const float decayed = parameter[i] * terms.decayFactor;
    parameter[i] = decayed;
    return multiplyAdd<kFused>(decayed, terms.weightDecay, terms.sign * gradient[i]);
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const RAdamTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict average = span.state[0];
    float* __restrict squares = span.state[1];
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        average[i] = multiplyAdd<kFused>(slope, terms.beta1Complement, average[i] * terms.beta1);
        squares[i] = multiplyAdd<kFused>(terms.beta2Complement * slope, slope, squares[i] * terms.beta2);
    }
    if (!terms.rectified) {
        for (std::int64_t i = 0; i < span.size; ++i)
            parameter[i] -= average[i] / terms.correction1 * terms.rate;
        return;
    }
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float adaptive = 1.0F / (__builtin_sqrtf(squares[i]) + terms.eps) * terms.correction2Root;
        parameter[i] -= average[i] / terms.correction1 * terms.rate * adaptive * terms.rectification;
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const NAdamTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict average = span.state[0];
    float* __restrict squares = span.state[1];
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        average[i] = multiplyAdd<kFused>(slope, terms.beta1Complement, average[i] * terms.beta1);
        squares[i] = multiplyAdd<kFused>(terms.beta2Complement * slope, slope, squares[i] * terms.beta2);
        const float denominator = __builtin_sqrtf(squares[i] / terms.correction2) + terms.eps;
        const float ahead = parameter[i] + terms.gradientStep * slope / denominator;
        parameter[i] = ahead + terms.averageStep * average[i] / denominator;
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const AdamaxTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict average = span.state[0];
    float* __restrict largest = span.state[1];
    const float minusStep = -terms.stepSize;
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        average[i] = multiplyAdd<kFused>(slope, terms.beta1Complement, average[i] * terms.beta1);
        const float faded = largest[i] * terms.beta2;
        const float now = __builtin_fabsf(slope) + terms.eps;
        largest[i] = faded < now ? now : faded;
        parameter[i] += minusStep * average[i] / largest[i];
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const AdagradTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict sum = span.state[0];
    const float minusStep = -terms.stepSize;
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        sum[i] = multiplyAdd<kFused>(slope, slope, sum[i]);
        parameter[i] += minusStep * slope / (__builtin_sqrtf(sum[i]) + terms.eps);
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const AdadeltaTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict squares = span.state[0];
    float* __restrict changes = span.state[1];
    const float minusRate = -terms.rate;
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        squares[i] = multiplyAdd<kFused>(terms.rhoComplement * slope, slope, squares[i] * terms.rho);
        const float root = __builtin_sqrtf(squares[i] + terms.eps);
        const float change = __builtin_sqrtf(changes[i] + terms.eps) / root * slope;
        changes[i] = multiplyAdd<kFused>(terms.rhoComplement * change, change, changes[i] * terms.rho);
        parameter[i] = multiplyAdd<kFused>(change, minusRate, parameter[i]);
    }
}

/// Without branches in its loop, one form per combination.
template <bool kFused, bool kCentered, bool kMomentum>
ATHANOR_KERNEL_BODY void rmspropBody(const RmspropTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict squares = span.state[0];
    float* __restrict moved = span.state[1];
    float* __restrict mean = span.state[2];
    const float minusRate = -terms.rate;
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        squares[i] = multiplyAdd<kFused>(terms.alphaComplement * slope, slope, squares[i] * terms.alpha);
        float variance = squares[i];
        if constexpr (kCentered) {
            mean[i] = multiplyAdd<kFused>(slope, terms.alphaComplement, mean[i] * terms.alpha);
            variance = multiplyAdd<kFused>(-mean[i], mean[i], variance);
        }
        const float divisor = __builtin_sqrtf(variance) + terms.eps;
        if constexpr (kMomentum) {
            moved[i] = moved[i] * terms.momentum + slope / divisor;
            parameter[i] = multiplyAdd<kFused>(moved[i], minusRate, parameter[i]);
        } else {
            parameter[i] += minusRate * slope / divisor;
        }
    }
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const RmspropTerms& terms, const UpdateSpan& span)
{
    if (terms.centered && terms.momentum > 0)
        return rmspropBody<kFused, true, true>(terms, span);
    if (terms.centered)
        return rmspropBody<kFused, true, false>(terms, span);
    if (terms.momentum > 0)
        return rmspropBody<kFused, false, true>(terms, span);
    rmspropBody<kFused, false, false>(terms, span);
}

template <bool kFused>
ATHANOR_KERNEL_BODY void body(const LionTerms& terms, const UpdateSpan& span)
{
    float* __restrict parameter = span.parameter;
    float* __restrict average = span.state[0];
    for (std::int64_t i = 0; i < span.size; ++i) {
        const float slope = slopeAt<kFused>(terms, parameter, span.gradient, i);
        const float wish = multiplyAdd<kFused>(slope, terms.beta1Complement, average[i] * terms.beta1);
        const float direction = static_cast<float>(wish > 0) - static_cast<float>(wish < 0);
        parameter[i] -= terms.rate * direction;
        average[i] = multiplyAdd<kFused>(slope, terms.beta2Complement, average[i] * terms.beta2);
    }
}

#if ATHANOR_HAS_AVX2_KERNELS
template <typename Terms>
ATHANOR_AVX2 void runAvx2(const Terms& terms, const UpdateSpan& span)
{
    body<true>(terms, span);
}
#endif

template <typename Terms>
void run(const Terms& terms, const UpdateSpan& span)
{
#if ATHANOR_HAS_AVX2_KERNELS
    if (processorHasAvx2())
        return runAvx2(terms, span);
#endif
    body<false>(terms, span);
}

} // namespace

void updateSpan(const RAdamTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const NAdamTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const AdamaxTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const AdagradTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const AdadeltaTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const RmspropTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}
void updateSpan(const LionTerms& terms, const UpdateSpan& span)
{
    run(terms, span);
}

} // namespace athanor
