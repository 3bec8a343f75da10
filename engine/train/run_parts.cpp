#include "engine/train/run_parts.h"

#include "engine/base/log.h"
#include "engine/train/initialize.h"
#include "engine/script/torch_errors.h"
#include "engine/train/weights/start_weights.h"

#include <torch/torch.h>

#include <algorithm>
#include <mutex>
#include <thread>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace athanor {
namespace {

/// Whether a parameter is what weight decay is meant for: no bias, and not of a normalization.
class MatrixNames {
public:
    explicit MatrixNames(const CompiledNetwork& network)
    {
        for (const auto& node : network.nodes())
            if (node.family == NodeFamily::Normalization) {
                std::string prefix = node.id + ".";
                std::ranges::replace(prefix, '/', '.');
                m_normalizations.push_back(std::move(prefix));
            }
    }
    [[nodiscard]] bool contains(const std::string& name, const torch::Tensor& parameter) const
    {
        const auto isBelow = [&](const std::string& prefix) { return name.starts_with(prefix); };
        return parameter.dim() > 1 && std::ranges::none_of(m_normalizations, isBelow);
    }

private:
    std::vector<std::string> m_normalizations;
};

Status layOutParameters(const Project& project, RunParts& parts)
{
    const MatrixNames matrices(*parts.network);
    const auto groups = optimizerGroups(project.training.optimizer);
    std::vector<NamedParameter> trained;
    for (const auto& named : parts.network->module().named_parameters())
        if (named.value().requires_grad())
            trained.push_back({named.key(), named.value(), groupOf(groups, named.key()),
                               matrices.contains(named.key(), named.value())});
    if (trained.empty())
        return Error{ErrorCode::InvalidArgument, "There is no parameter to train.", "network",
                     "Add a layer with weights, or freeze less."};
    parts.parameters = std::make_unique<FlatParameters>(std::move(trained));
    parts.buffers = std::make_unique<BufferSnapshot>(parts.network->module());
    auto optimizer = makeOptimizer(project.training.optimizer, groups, *parts.parameters);
    if (!optimizer.ok())
        return optimizer.error();
    parts.optimizer = std::move(*optimizer);
    return Done{};
}

Status fillParts(const Project& project, const GraphCheck& check, const RunLength& length, RunParts& parts)
{
    torch::manual_seed(project.training.seed);
    auto network = CompiledNetwork::compile(project.network, check);
    if (!network.ok())
        return network.error();
    parts.network = std::move(*network);
    parts.network->keepInFullPrecision(project.training.autocastExclude);
    auto& module = parts.network->module();
    module.train();
    if (auto status = initializeParameters(module, project.training.init); !status.ok())
        return status;
    const auto weights = loadStartWeights(project, module);
    if (!weights.ok())
        return weights.error();
    if (!weights.value().empty())
        parts.notes.push_back(*weights);
    for (const auto& parameter : module.parameters())
        if (parameter.requires_grad())
            parts.trainable.push_back(parameter);
    freezeParameters(module, project.training.freeze);
    module.to(parts.device);
    if (auto status = layOutParameters(project, parts); !status.ok())
        return status;
    auto schedule = Schedule::make(project.training.schedulers, length);
    if (!schedule.ok())
        return schedule.error();
    parts.schedule = std::move(*schedule);
    return Done{};
}

} // namespace

Result<torch::Device> chooseDevice(const TrainSpec& spec)
{
    const bool hasCuda = torch::cuda::is_available();
    std::string name = spec.device;
    if (name == "auto")
        name = hasCuda ? "cuda" : "cpu";
    if (name.starts_with("cuda")) {
        if (!hasCuda)
            return Error{ErrorCode::Unsupported, "There is no CUDA device, or this LibTorch was built without CUDA.",
                         "training/device", "Use auto or cpu."};
        const auto device = torch::Device(name);
        if (device.has_index() && device.index() >= static_cast<int>(torch::cuda::device_count()))
            return Error{ErrorCode::Unsupported,
                         "There is no " + name + ": this machine has " + std::to_string(torch::cuda::device_count()) +
                             " CUDA devices.",
                         "training/device", "Use cuda:0."};
        return device;
    }
    if (spec.precision == Precision::Fp16)
        return Error{ErrorCode::Unsupported,
                     "fp16 cannot be used on the CPU: its range is too small to train without loss scaling, and "
                     "most of LibTorch's CPU layers do not compute in it.",
                     "training/precision", "Use bf16 or fp32."};
    return torch::Device(torch::kCPU);
}

Status freezeAnew(const Project& project, RunParts& parts)
{
    std::vector<bool> before;
    for (auto& parameter : parts.trainable) {
        before.push_back(parameter.requires_grad());
        parameter.set_requires_grad(true);
    }
    freezeParameters(parts.network->module(), project.training.freeze);
    Status status = layOutParameters(project, parts);
    for (std::size_t i = 0; i < before.size() && !status.ok(); ++i)
        parts.trainable[i].set_requires_grad(before[i]);
    return status;
}

Result<std::unique_ptr<RunParts>> buildRun(const Project& project, const GraphCheck& check, torch::Device device,
                                           const RunLength& length)
{
    return behindWall("network", [&]() -> Result<std::unique_ptr<RunParts>> {
        auto parts = std::make_unique<RunParts>();
        parts->device = device;
        if (auto status = fillParts(project, check, length, *parts); !status.ok())
            return status.error();
        return parts;
    });
}

std::map<std::string, torch::Tensor> stateOf(torch::nn::Module& module)
{
    std::map<std::string, torch::Tensor> state;
    for (const auto& named : module.named_parameters())
        state[named.key()] = named.value().detach();
    for (const auto& named : module.named_buffers())
        if (named.value().defined())
            state[named.key()] = named.value();
    return state;
}

StateTransfer copyState(const std::map<std::string, torch::Tensor>& state, torch::nn::Module& module)
{
    torch::NoGradGuard noGrad;
    StateTransfer transfer;
    for (auto& [name, target] : stateOf(module)) {
        const auto found = state.find(name);
        if (found == state.end()) {
            transfer.missing.push_back(name);
        } else if (found->second.sizes() != target.sizes()) {
            transfer.unfit.push_back(name);
        } else {
            torch::Tensor(target).copy_(found->second);
            ++transfer.copied;
        }
    }
    return transfer;
}

std::map<std::string, torch::Tensor> generatorStates()
{
    std::map<std::string, torch::Tensor> states;
    const auto add = [&](const std::string& name, at::Generator generator) {
        const std::lock_guard lock(generator.mutex());
        states[name] = generator.get_state();
    };
    add("cpu", at::globalContext().defaultGenerator(at::kCPU));
    if (torch::cuda::is_available())
        add("cuda", at::globalContext().defaultGenerator(at::kCUDA));
    return states;
}

void restoreGenerators(const std::map<std::string, torch::Tensor>& states)
{
    for (const auto& [name, state] : states) {
        if (name == "cuda" && !torch::cuda::is_available())
            continue;
        at::Generator generator = at::globalContext().defaultGenerator(name == "cuda" ? at::kCUDA : at::kCPU);
        const std::lock_guard lock(generator.mutex());
        generator.set_state(state);
    }
}

/// glibc returns a freed block of a few megabytes to the system at once, so that each step faults its activations and
/// gradients in anew: a quarter to a third of a small CNN's step. With these settings such blocks stay with the process.
void keepFreedMemory()
{
#ifdef __GLIBC__
    constexpr int kLarge = 1 << 30;
    constexpr int kReserve = 64 << 20;
    static const bool kept = mallopt(M_MMAP_THRESHOLD, kLarge) + mallopt(M_TRIM_THRESHOLD, kLarge) + mallopt(M_TOP_PAD, kReserve) == 3;
    if (!kept)
        spdlog::warn("The C library refused to keep freed memory; steps may be slower.");
#endif
}

TorchSettings::TorchSettings(int threads, bool deterministic)
    : m_threads(at::get_num_threads())
    , m_deterministic(at::globalContext().deterministicAlgorithms())
{
    keepFreedMemory();
    at::set_num_threads(threads);
    at::globalContext().setDeterministicAlgorithms(deterministic, false);
}

TorchSettings::~TorchSettings()
{
    at::globalContext().setDeterministicAlgorithms(m_deterministic, false);
    at::set_num_threads(m_threads);
#ifdef __GLIBC__
    malloc_trim(0); // what the run held goes back to the system
#endif
}

int threadCount(int asked)
{
    constexpr int kMost = 1024; // each is a thread that is made and kept
    return asked > 0 ? std::min(asked, kMost) : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) - 1);
}

} // namespace athanor
