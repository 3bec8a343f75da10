// The thread that computes. Mixed precision for a scope.
#pragma once

#include "engine/data/batch.h"
#include "engine/project/train_spec.h"

namespace athanor {

/// Within the scope, operations that profit compute in bf16 or fp16; fp32 changes nothing. Parameters and
/// gradients stay float32.
class AutocastScope {
public:
    AutocastScope(Precision precision, torch::Device device);
    ~AutocastScope();
    AutocastScope(const AutocastScope&) = delete;
    AutocastScope& operator=(const AutocastScope&) = delete;

private:
    bool m_active;
    torch::Device m_device;
};

/// Within the scope, no operation is converted, when `wanted`; outside of an AutocastScope it does nothing.
class AutocastPause {
public:
    explicit AutocastPause(bool wanted);
    ~AutocastPause();
    AutocastPause(const AutocastPause&) = delete;
    AutocastPause& operator=(const AutocastPause&) = delete;
    /// Whether there was something to pause.
    [[nodiscard]] bool active() const { return m_cpu || m_cuda; }

private:
    bool m_cpu = false;
    bool m_cuda = false;
};

} // namespace athanor
