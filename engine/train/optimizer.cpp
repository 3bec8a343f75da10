#include "engine/train/optimizer.h"

#include "engine/graph/name_match.h"
#include "engine/project/project.h"
#include "engine/train/kind_params.h"
#include "engine/train/optimizers/optimizers.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>

namespace athanor {
namespace {

// Adam's kernel goes over its span twice: it must still be in the first cache the second time.
constexpr std::int64_t kSpan = 1024;

} // namespace

std::vector<OptimizerGroup> optimizerGroups(const KindSpec& spec)
{
    const auto* specs = optimizerParams(spec.kind);
    const auto makeGroup = [&](const Json& written, const std::string& match) {
        OptimizerGroup group;
        group.match = match;
        group.params = specs ? completeParams(*specs, written) : written;
        group.rate = realParam(group.params, "lr");
        return group;
    };
    std::vector<OptimizerGroup> groups{makeGroup(spec.params, {})};
    const auto entries = spec.params.find("groups");
    if (entries == spec.params.end())
        return groups;
    for (const auto& entry : *entries) {
        Json merged = spec.params;
        merged.update(entry);
        groups.push_back(makeGroup(merged, textParam(entry, "match")));
    }
    return groups;
}

std::size_t groupOf(const std::vector<OptimizerGroup>& groups, const std::string& name)
{
    for (std::size_t i = 1; i < groups.size(); ++i)
        if (matchesGlob(groups[i].match, name))
            return i;
    return 0;
}

Optimizer::Optimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path, Memory memory)
    : m_parameters(parameters)
    , m_groups(std::move(groups))
    , m_fused(path == UpdatePath::Automatic && parameters.onProcessor())
    , m_memory(std::move(memory))
    , m_scalars(parameters.slots().size(), 1)
    , m_steps(parameters.slots().size(), 0)
{
    makeBuffers();
}

void Optimizer::makeBuffers()
{
    auto names = m_memory.buffers ? m_memory.buffers(m_groups) : std::vector<std::string>{};
    m_buffers.resize(names.size());
    m_bufferNames.resize(names.size());
    for (std::size_t i = 0; i < names.size(); ++i)
        if (!m_buffers[i].defined() && !names[i].empty()) {
            m_bufferNames[i] = std::move(names[i]);
            m_buffers[i] = torch::zeros_like(m_parameters.values());
        }
}

void Optimizer::reconfigure(std::vector<OptimizerGroup> groups)
{
    m_groups = std::move(groups);
    makeBuffers();
}

void Optimizer::setMomentum(double value)
{
    for (auto& group : m_groups) {
        if (group.params.contains("momentum"))
            group.params["momentum"] = value;
        else if (group.params.contains("betas"))
            group.params["betas"][0] = value;
    }
}

const Json& Optimizer::paramsOf(std::size_t slot) const
{
    return m_groups[m_parameters.slots()[slot].group].params;
}

double Optimizer::weightDecayOf(std::size_t slot) const
{
    const Json& params = paramsOf(slot);
    const bool decays = m_parameters.slots()[slot].isMatrix || flagParam(params, "decay_bias_and_norm", true);
    return decays ? realParam(params, "weight_decay") : 0;
}

bool Optimizer::stepEvaluating(double rate, double /*loss*/, const std::function<double()>& /*evaluate*/)
{
    step(std::vector<double>(m_groups.size(), rate));
    return true;
}

torch::Tensor Optimizer::part(const torch::Tensor& flat, std::size_t slot) const
{
    const auto& place = m_parameters.slots()[slot];
    return flat.narrow(0, place.offset, place.size);
}

float* Optimizer::bufferSpan(std::size_t index, std::int64_t offset) const
{
    return hasBuffer(index) ? m_buffers[index].data_ptr<float>() + offset : nullptr;
}

void Optimizer::step(const std::vector<double>& rates)
{
    const auto& slots = m_parameters.slots();
    torch::NoGradGuard noGrad;
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (slots[i].hasGradient)
            prepare(i, ++m_steps[i], rates[slots[i].group]);
    if (m_fused)
        return stepSpans();
    for (std::size_t i = 0; i < slots.size(); ++i)
        if (slots[i].hasGradient)
            updateTensors(i);
}

void Optimizer::stepSpans()
{
    const auto& chunks = m_parameters.chunks();
    const auto& slots = m_parameters.slots();
    at::parallel_for(0, static_cast<std::int64_t>(chunks.size()), 2, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = begin; i < end; ++i)
            if (slots[chunks[i].slot].hasGradient)
                for (std::int64_t done = 0; done < chunks[i].size; done += kSpan)
                    updateSpan(chunks[i].slot, chunks[i].offset + done, std::min(kSpan, chunks[i].size - done));
    });
}

std::map<std::string, torch::Tensor> Optimizer::state() const
{
    std::map<std::string, torch::Tensor> state;
    const auto& slots = m_parameters.slots();
    for (std::size_t i = 0; i < slots.size(); ++i) {
        state["step/" + slots[i].name] = torch::tensor(m_steps[i], torch::kLong);
        if (!m_memory.scalar.empty())
            state[m_memory.scalar + "/" + slots[i].name] = torch::tensor(m_scalars[i], torch::kDouble);
        for (std::size_t b = 0; b < m_buffers.size(); ++b)
            if (m_buffers[b].defined())
                state[m_bufferNames[b] + "/" + slots[i].name] =
                    part(m_buffers[b], i).view(slots[i].parameter.sizes()).to(torch::kCPU, torch::kFloat, false, true);
    }
    return state;
}

Status Optimizer::restore(const std::map<std::string, torch::Tensor>& state)
{
    torch::NoGradGuard noGrad;
    const auto& slots = m_parameters.slots();
    const auto find = [&](const std::string& name, std::int64_t size) -> const torch::Tensor* {
        const auto found = state.find(name);
        return found != state.end() && found->second.numel() == size ? &found->second : nullptr;
    };
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const auto* steps = find("step/" + slots[i].name, 1);
        if (!steps)
            return Error{ErrorCode::NotFound, "The checkpoint has no optimizer state for this parameter.",
                         slots[i].name, "Start a new run from its weights instead of resuming it."};
        m_steps[i] = steps->item<std::int64_t>();
        if (const auto* saved = find(m_memory.scalar + "/" + slots[i].name, 1); saved && !m_memory.scalar.empty())
            m_scalars[i] = saved->item<double>();
        for (std::size_t b = 0; b < m_buffers.size(); ++b) {
            if (!m_buffers[b].defined())
                continue;
            const auto* saved = find(m_bufferNames[b] + "/" + slots[i].name, slots[i].size);
            if (!saved)
                return Error{ErrorCode::NotFound,
                             "The checkpoint's optimizer has no " + m_bufferNames[b] + " of this parameter.",
                             slots[i].name, "Resume with the optimizer that wrote the checkpoint."};
            part(m_buffers[b], i).copy_(saved->flatten());
        }
    }
    return Done{};
}

Result<std::unique_ptr<Optimizer>> makeOptimizer(const KindSpec& spec, std::vector<OptimizerGroup> groups,
                                                 FlatParameters& parameters, UpdatePath path)
{
    using Maker = std::unique_ptr<Optimizer> (*)(const KindSpec&, FlatParameters&, std::vector<OptimizerGroup>, UpdatePath);
    static const std::map<std::string, Maker> makers{
        {"SGD", makeSgd},         {"Adam", makeAdam},         {"AdamW", makeAdam},     {"RAdam", makeRAdam},
        {"NAdam", makeNAdam},     {"Adamax", makeAdamax},     {"Adagrad", makeAdagrad}, {"Adadelta", makeAdadelta},
        {"RMSprop", makeRmsprop}, {"Lion", makeLion},         {"LBFGS", makeLbfgs},
    };
    const auto maker = makers.find(spec.kind);
    if (maker == makers.end())
        return Error{ErrorCode::InvalidArgument, "There is no optimizer called " + spec.kind + ".",
                     "training/optimizer/kind", "SGD and AdamW are the usual ones."};
    return maker->second(spec, parameters, std::move(groups), path);
}

} // namespace athanor
