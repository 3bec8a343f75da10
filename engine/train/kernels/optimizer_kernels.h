// Any thread, torch-free. Update rules of the optimizers over spans of floats, in PyTorch's order of
// operations: on a processor with FMA the results are PyTorch's bit for bit.
#pragma once

#include <cstdint>

namespace athanor {

/// SGD with PyTorch's names. The first update of a parameter copies its gradient into the buffer.
struct SgdTerms {
    float rate = 0;
    float momentum = 0;
    float dampeningComplement = 1; ///< 1 − dampening
    float weightDecay = 0;
    bool nesterov = false;
    bool maximize = false;
    bool firstUpdate = false;
};

/// Adam and AdamW, the bias corrections of the parameter's step folded in.
struct AdamTerms {
    float beta1 = 0;
    float beta1Complement = 0; ///< 1 − beta1
    float beta2 = 0;
    float beta2Complement = 0;
    float eps = 0;
    float stepSize = 0;        ///< lr / (1 − beta1^step)
    float correction2Root = 1; ///< √(1 − beta2^step)
    float weightDecay = 0;     ///< added to the gradient (Adam)
    float decayFactor = 1;     ///< multiplies the parameter first (AdamW): 1 − lr · weight_decay
    bool amsgrad = false;
    bool maximize = false;
};

/// `buffer` may be null when momentum is 0.
void sgdUpdate(const SgdTerms& terms, float* parameter, const float* gradient, float* buffer, std::int64_t size);

/// `largest` (max_exp_avg_sq) may be null without amsgrad.
void adamUpdate(const AdamTerms& terms, float* parameter, const float* gradient, float* average,
                float* squareAverage, float* largest, std::int64_t size);

} // namespace athanor
