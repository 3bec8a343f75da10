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

/// Whether it is on, and off with it when wanted.
bool switchAutocast(c10::DeviceType device, bool enabled)
{
#if TORCH_VERSION_MAJOR >= 2
    const bool before = at::autocast::is_autocast_enabled(device);
    at::autocast::set_autocast_enabled(device, enabled);
#else
    const bool before = device == c10::kCUDA ? at::autocast::is_enabled() : at::autocast::is_cpu_enabled();
    device == c10::kCUDA ? at::autocast::set_enabled(enabled) : at::autocast::set_cpu_enabled(enabled);
#endif
    return before;
}

} // namespace

AutocastPause::AutocastPause(bool wanted)
{
    if (!wanted)
        return;
    m_cpu = switchAutocast(c10::kCPU, false);
    m_cuda = switchAutocast(c10::kCUDA, false);
}

AutocastPause::~AutocastPause()
{
    if (m_cpu)
        switchAutocast(c10::kCPU, true);
    if (m_cuda)
        switchAutocast(c10::kCUDA, true);
}

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
