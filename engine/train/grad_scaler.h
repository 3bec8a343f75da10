// Session thread, torch-free. The factor of the loss that keeps gradients of low precision from vanishing.
#pragma once

#include "engine/base/json.h"
#include "engine/project/train_spec.h"

#include <cstdint>

namespace athanor {

/// torch.cuda.amp.GradScaler's logic: the loss is multiplied by scale() before the backward pass, the gradients are divided
/// by it afterwards. A step whose gradients overflow is skipped and the scale is taken back; after growth_interval steps
/// without an overflow it grows. Kept in float32, as there.
class GradScaler {
public:
    explicit GradScaler(const GradScalerSpec& spec);

    [[nodiscard]] double scale() const { return static_cast<double>(m_scale); }
    [[nodiscard]] std::int64_t skipped() const { return m_skipped; } ///< steps so far
    /// Overflows at a scale below 1 are none of the scale's making: the gradients themselves are not finite.
    [[nodiscard]] bool explainsOverflow() const { return m_scale >= 1; }

    /// After each step.
    void update(bool overflow);

    [[nodiscard]] Json state() const;
    void restore(const Json& state);

private:
    GradScalerSpec m_spec;
    float m_scale;
    std::int64_t m_grown = 0; ///< steps without an overflow since the scale last changed
    std::int64_t m_skipped = 0;
};

} // namespace athanor
