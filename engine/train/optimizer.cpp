#include "engine/train/optimizer.h"

#include "engine/graph/name_match.h"
#include "engine/project/project.h"
#include "engine/train/kernels/optimizer_kernels.h"
#include "engine/train/kind_params.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {
namespace {

// Adam's kernel goes over its span twice: it must still be in the first cache the second time.
constexpr std::int64_t kSpan = 1024;

class SgdOptimizer final : public Optimizer {
public:
    SgdOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path)
        : Optimizer(parameters, groups, path, buffersOf(groups))
        , m_terms(parameters.slots().size())
    {
    }

protected:
    void prepare(std::size_t slot, std::int64_t step, double rate) override
    {
        const Json& params = groups()[m_parameters.slots()[slot].group].params;
        SgdTerms& terms = m_terms[slot];
        terms.rate = static_cast<float>(rate);
        terms.momentum = static_cast<float>(realParam(params, "momentum"));
        terms.dampeningComplement = static_cast<float>(1 - realParam(params, "dampening"));
        terms.weightDecay = static_cast<float>(realParam(params, "weight_decay"));
        terms.nesterov = flagParam(params, "nesterov");
        terms.maximize = flagParam(params, "maximize");
        terms.firstUpdate = step == 1;
    }

    void updateSpan(std::size_t slot, std::int64_t offset, std::int64_t size) override
    {
        sgdUpdate(m_terms[slot], m_parameters.values().data_ptr<float>() + offset,
                  m_parameters.gradients().data_ptr<float>() + offset, bufferSpan(0, offset), size);
    }

    void updateTensors(std::size_t slot) override
    {
        const SgdTerms& terms = m_terms[slot];
        auto parameter = part(m_parameters.values(), slot);
        auto direction = part(m_parameters.gradients(), slot);
        if (terms.maximize)
            direction = -direction;
        if (terms.weightDecay != 0)
            direction = direction.add(parameter, terms.weightDecay);
        if (terms.momentum != 0) {
            auto moved = part(buffer(0), slot);
            if (terms.firstUpdate)
                moved.copy_(direction);
            else
                moved.mul_(terms.momentum).add_(direction, terms.dampeningComplement);
            direction = terms.nesterov ? direction.add(moved, terms.momentum) : moved;
        }
        parameter.add_(direction, -terms.rate);
    }

private:
    static std::vector<std::string> buffersOf(const std::vector<OptimizerGroup>& groups)
    {
        const auto hasMomentum = [](const OptimizerGroup& group) { return realParam(group.params, "momentum") != 0; };
        return std::ranges::any_of(groups, hasMomentum) ? std::vector<std::string>{"momentum_buffer"}
                                                        : std::vector<std::string>{};
    }

    std::vector<SgdTerms> m_terms;
};

/// Adam adds the weight decay to the gradient, AdamW takes it off the parameter.
enum class WeightDecay { Coupled, Decoupled };

class AdamOptimizer final : public Optimizer {
public:
    AdamOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path,
                  WeightDecay decay)
        : Optimizer(parameters, groups, path, buffersOf(groups))
        , m_decay(decay)
        , m_terms(parameters.slots().size())
    {
    }

protected:
    void prepare(std::size_t slot, std::int64_t step, double rate) override
    {
        const Json& params = groups()[m_parameters.slots()[slot].group].params;
        const auto [beta1, beta2] = betas(params);
        const double decay = realParam(params, "weight_decay");
        AdamTerms& terms = m_terms[slot];
        terms.beta1 = static_cast<float>(beta1);
        terms.beta1Complement = static_cast<float>(1 - beta1);
        terms.beta2 = static_cast<float>(beta2);
        terms.beta2Complement = static_cast<float>(1 - beta2);
        terms.eps = static_cast<float>(realParam(params, "eps"));
        terms.stepSize = static_cast<float>(rate / (1 - std::pow(beta1, step)));
        terms.correction2Root = static_cast<float>(std::sqrt(1 - std::pow(beta2, step)));
        terms.weightDecay = m_decay == WeightDecay::Coupled ? static_cast<float>(decay) : 0.0F;
        terms.decayFactor = m_decay == WeightDecay::Decoupled ? static_cast<float>(1 - rate * decay) : 1.0F;
        terms.amsgrad = flagParam(params, "amsgrad");
        terms.maximize = flagParam(params, "maximize");
    }

    void updateSpan(std::size_t slot, std::int64_t offset, std::int64_t size) override
    {
        adamUpdate(m_terms[slot], m_parameters.values().data_ptr<float>() + offset,
                   m_parameters.gradients().data_ptr<float>() + offset, bufferSpan(0, offset),
                   bufferSpan(1, offset), bufferSpan(2, offset), size);
    }

    void updateTensors(std::size_t slot) override
    {
        const AdamTerms& terms = m_terms[slot];
        auto parameter = part(m_parameters.values(), slot);
        auto slope = part(m_parameters.gradients(), slot);
        auto average = part(buffer(0), slot);
        auto squareAverage = part(buffer(1), slot);
        if (terms.maximize)
            slope = -slope;
        if (terms.decayFactor != 1)
            parameter.mul_(terms.decayFactor);
        if (terms.weightDecay != 0)
            slope = slope.add(parameter, terms.weightDecay);
        average.mul_(terms.beta1).add_(slope, terms.beta1Complement);
        squareAverage.mul_(terms.beta2).addcmul_(slope, slope, terms.beta2Complement);
        auto root = squareAverage;
        if (terms.amsgrad) {
            root = part(buffer(2), slot);
            torch::maximum_out(root, root, squareAverage);
        }
        const auto denominator = (root.sqrt() / terms.correction2Root).add_(terms.eps);
        parameter.addcdiv_(average, denominator, -terms.stepSize);
    }

private:
    static std::vector<std::string> buffersOf(const std::vector<OptimizerGroup>& groups)
    {
        std::vector<std::string> names{"exp_avg", "exp_avg_sq"};
        if (std::ranges::any_of(groups, [](const auto& group) { return flagParam(group.params, "amsgrad"); }))
            names.emplace_back("max_exp_avg_sq");
        return names;
    }

    static std::array<double, 2> betas(const Json& params)
    {
        const auto found = params.find("betas");
        if (found == params.end() || !found->is_array() || found->size() != 2)
            return {0.9, 0.999};
        return {(*found)[0].get<double>(), (*found)[1].get<double>()};
    }

    WeightDecay m_decay;
    std::vector<AdamTerms> m_terms;
};

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

Optimizer::Optimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path,
                     std::vector<std::string> buffers)
    : m_parameters(parameters)
    , m_groups(std::move(groups))
    , m_fused(path == UpdatePath::Automatic && parameters.onProcessor())
    , m_bufferNames(std::move(buffers))
    , m_steps(parameters.slots().size(), 0)
{
    for (std::size_t i = 0; i < m_bufferNames.size(); ++i)
        m_buffers.push_back(torch::zeros_like(parameters.values()));
}

torch::Tensor Optimizer::part(const torch::Tensor& flat, std::size_t slot) const
{
    const auto& place = m_parameters.slots()[slot];
    return flat.narrow(0, place.offset, place.size);
}

float* Optimizer::bufferSpan(std::size_t index, std::int64_t offset) const
{
    return index < m_buffers.size() ? m_buffers[index].data_ptr<float>() + offset : nullptr;
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
        for (std::size_t b = 0; b < m_buffers.size(); ++b)
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
        for (std::size_t b = 0; b < m_buffers.size(); ++b) {
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
    std::unique_ptr<Optimizer> optimizer;
    if (spec.kind == "SGD")
        optimizer = std::make_unique<SgdOptimizer>(parameters, std::move(groups), path);
    else if (spec.kind == "Adam")
        optimizer = std::make_unique<AdamOptimizer>(parameters, std::move(groups), path, WeightDecay::Coupled);
    else if (spec.kind == "AdamW")
        optimizer = std::make_unique<AdamOptimizer>(parameters, std::move(groups), path, WeightDecay::Decoupled);
    else
        return Error{ErrorCode::InvalidArgument, "There is no optimizer called " + spec.kind + ".",
                     "training/optimizer/kind", "SGD, Adam and AdamW are there."};
    return optimizer;
}

} // namespace athanor
