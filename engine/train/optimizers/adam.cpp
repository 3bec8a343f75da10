#include "engine/train/optimizers/optimizers.h"

#include "engine/train/kernels/optimizer_kernels.h"
#include "engine/train/optimizers/rule_optimizer.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

/// Adam adds the weight decay to the gradient, AdamW takes it off the parameter.
enum class WeightDecay { Coupled, Decoupled };

class AdamOptimizer final : public Optimizer {
public:
    AdamOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path,
                  WeightDecay decay)
        : Optimizer(parameters, std::move(groups), path, {buffersOf, {}})
        , m_decay(decay)
        , m_terms(parameters.slots().size())
    {
    }

protected:
    void prepare(std::size_t slot, std::int64_t step, double rate) override
    {
        const Json& params = paramsOf(slot);
        const auto [beta1, beta2] = betasParam(params);
        const double decay = weightDecayOf(slot);
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

    WeightDecay m_decay;
    std::vector<AdamTerms> m_terms;
};

} // namespace

std::unique_ptr<Optimizer> makeAdam(const KindSpec& spec, FlatParameters& parameters,
                                    std::vector<OptimizerGroup> groups, UpdatePath path)
{
    const auto decay = spec.kind == "AdamW" ? WeightDecay::Decoupled : WeightDecay::Coupled;
    return std::make_unique<AdamOptimizer>(parameters, std::move(groups), path, decay);
}

} // namespace athanor
