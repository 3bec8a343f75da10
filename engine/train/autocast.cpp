#include "engine/train/autocast.h"

#include <ATen/autocast_mode.h>
#include <torch/version.h>

namespace athanor {
namespace {

// LibTorch 2.x made one pair of functions out of one pair per device, and deprecated the old ones.
void setAutocast(torch::Device device, bool enabled, c10::ScalarType type)
{
#if TORCH_VERSION_MAJOR >= 2
    at::autocast::set_autocast_enabled(device.type(), enabled);
    at::autocast::set_autocast_dtype(device.type(), type);
#else
    if (device.is_cuda()) {
        at::autocast::set_enabled(enabled);
        at::autocast::set_autocast_gpu_dtype(type);
    } else {
        at::autocast::set_cpu_enabled(enabled);
        at::autocast::set_autocast_cpu_dtype(type);
    }
#endif
}

} // namespace

AutocastScope::AutocastScope(Precision precision, torch::Device device)
    : m_active(precision != Precision::Fp32)
    , m_device(device)
{
    if (!m_active)
        return;
    at::autocast::increment_nesting();
    setAutocast(device, true, precision == Precision::Fp16 ? c10::kHalf : c10::kBFloat16);
}

AutocastScope::~AutocastScope()
{
    if (!m_active)
        return;
    setAutocast(m_device, false, c10::kBFloat16);
    if (at::autocast::decrement_nesting() == 0)
        at::autocast::clear_cache(); // weights that were cast are stale after the step
}

} // namespace athanor
