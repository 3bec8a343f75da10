#include "engine/train/state_report.h"

#include "engine/script/torch_errors.h"
#include "engine/train/trial.h"

#include <torch/torch.h>

namespace athanor {
namespace {

std::string typeName(torch::ScalarType type)
{
    switch (type) {
    case torch::kFloat:
        return "float32";
    case torch::kDouble:
        return "float64";
    case torch::kHalf:
        return "float16";
    case torch::kBFloat16:
        return "bfloat16";
    case torch::kLong:
        return "int64";
    case torch::kInt:
        return "int32";
    case torch::kByte:
        return "uint8";
    case torch::kBool:
        return "bool";
    default:
        return c10::toString(type);
    }
}

class Lister {
public:
    void add(const std::string& name, const char* part, const torch::Tensor& tensor)
    {
        const auto bytes = static_cast<std::int64_t>(tensor.nbytes());
        m_report.tensors.push_back(
            {name, part, tensor.sizes().vec(), typeName(tensor.scalar_type()), tensor.device().str(), bytes});
        m_report.bytes += bytes;
    }
    StateReport take() { return std::move(m_report); }

private:
    StateReport m_report;
};

StateReport listed(RunParts& parts, bool averages)
{
    Lister lister;
    auto& module = parts.network->module();
    for (const auto& named : module.named_parameters())
        lister.add(named.key(), named.value().requires_grad() ? "parameter" : "frozen", named.value());
    for (const auto& named : module.named_buffers())
        if (named.value().defined())
            lister.add(named.key(), "buffer", named.value());
    for (const auto& slot : parts.parameters->slots())
        lister.add(slot.name, "gradient", slot.gradient);
    const auto device = parts.parameters->values().device();
    for (const auto& [name, tensor] : parts.optimizer->state())
        if (!name.starts_with("step/")) // a count, kept as a plain number
            lister.add(name, "optimizer", tensor.numel() > 1 ? tensor.to(device) : tensor);
    if (averages)
        for (const auto& slot : parts.parameters->slots())
            lister.add(slot.name, "average", slot.parameter);
    return lister.take();
}

} // namespace

Result<StateReport> listState(const Project& project)
{
    auto trial = Trial::open(project, 1, 0);
    if (!trial.ok())
        return trial.error();
    return behindWall("network", [&]() -> Result<StateReport> {
        return listed((*trial)->parts(), project.training.averaging.has_value());
    });
}

} // namespace athanor
