// Any thread, torch-free. Update rules of the optimizers beside SGD and Adam over spans of floats, in PyTorch's order
// of operations.
#pragma once

#include <cstdint>

namespace athanor {

/// A piece of a parameter with its gradient and the state that its rule keeps, in the order of its buffers.
struct UpdateSpan {
    float* parameter = nullptr;
    const float* gradient = nullptr;
    float* state[3] = {nullptr, nullptr, nullptr};
    std::int64_t size = 0;
};

/// What every rule does to parameter and gradient first.
struct DecayTerms {
    float sign = 1;        ///< −1: uphill
    float weightDecay = 0; ///< this times the parameter is added to its gradient
    float decayFactor = 1; ///< multiplies the parameter: 1 − lr · weight_decay, decoupled
};

/// State: exp_avg, exp_avg_sq.
struct RAdamTerms : DecayTerms {
    float beta1 = 0, beta1Complement = 0;
    float beta2 = 0, beta2Complement = 0;
    float eps = 0;
    float correction1 = 1; ///< 1 − beta1^step
    float rate = 0;
    bool rectified = false; ///< the variance is known well enough to divide by it
    float correction2Root = 1;
    float rectification = 1;
};

/// State: exp_avg, exp_avg_sq.
struct NAdamTerms : DecayTerms {
    float beta1 = 0, beta1Complement = 0;
    float beta2 = 0, beta2Complement = 0;
    float eps = 0;
    float correction2 = 1;   ///< 1 − beta2^step
    float gradientStep = 0;  ///< −lr (1 − µ) / (1 − Πµ)
    float averageStep = 0;   ///< −lr µ' / (1 − Πµ')
};

/// State: exp_avg, exp_inf.
struct AdamaxTerms : DecayTerms {
    float beta1 = 0, beta1Complement = 0;
    float beta2 = 0;
    float eps = 0;
    float stepSize = 0; ///< lr / (1 − beta1^step)
};

/// State: sum.
struct AdagradTerms : DecayTerms {
    float eps = 0;
    float stepSize = 0; ///< lr / (1 + (step − 1) lr_decay)
};

/// State: square_avg, acc_delta.
struct AdadeltaTerms : DecayTerms {
    float rho = 0, rhoComplement = 0;
    float eps = 0;
    float rate = 0;
};

/// State: square_avg, momentum_buffer (null without momentum), grad_avg (null when not centered).
struct RmspropTerms : DecayTerms {
    float alpha = 0, alphaComplement = 0;
    float eps = 0;
    float momentum = 0;
    float rate = 0;
    bool centered = false;
};

/// State: exp_avg.
struct LionTerms : DecayTerms {
    float beta1 = 0, beta1Complement = 0;
    float beta2 = 0, beta2Complement = 0;
    float rate = 0;
};

void updateSpan(const RAdamTerms& terms, const UpdateSpan& span);
void updateSpan(const NAdamTerms& terms, const UpdateSpan& span);
void updateSpan(const AdamaxTerms& terms, const UpdateSpan& span);
void updateSpan(const AdagradTerms& terms, const UpdateSpan& span);
void updateSpan(const AdadeltaTerms& terms, const UpdateSpan& span);
void updateSpan(const RmspropTerms& terms, const UpdateSpan& span);
void updateSpan(const LionTerms& terms, const UpdateSpan& span);

} // namespace athanor
