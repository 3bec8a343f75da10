// Session thread. Inside engine/train: an optimizer whose rule treats every element alike.
#pragma once

#include "engine/train/kernels/update_rules.h"
#include "engine/train/kind_params.h"
#include "engine/train/optimizer.h"

#include <utility>
#include <vector>

namespace athanor {

/// What a rule needs to know for one update of one parameter.
struct UpdateStep {
    const Json& params; ///< of its group
    double step = 1;    ///< number of the update: 1, 2, …
    double rate = 0;
    double weightDecay = 0;
    double& scalar; ///< the rule's number of this parameter
};

/// A parameter as tensors: decays are done, `slope` is its gradient with the coupled one.
struct UpdateTensors {
    torch::Tensor parameter;
    torch::Tensor slope;
    std::vector<torch::Tensor> state; ///< undefined where the group needs none
};

/// beta1 and beta2.
inline std::pair<double, double> betasParam(const Json& params, double first = 0.9, double second = 0.999)
{
    const auto found = params.find("betas");
    if (found == params.end() || !found->is_array() || found->size() != 2)
        return {first, second};
    return {(*found)[0].get<double>(), (*found)[1].get<double>()};
}

/// The gradient's sign and the decay that is added to it, or done to the parameter.
inline void setDecay(DecayTerms& terms, const UpdateStep& step, bool decoupled)
{
    terms.sign = flagParam(step.params, "maximize") ? -1.0F : 1.0F;
    terms.weightDecay = decoupled ? 0.0F : static_cast<float>(step.weightDecay);
    terms.decayFactor = decoupled ? static_cast<float>(1 - step.rate * step.weightDecay) : 1.0F;
}

/// `Rule` has Terms, `kScalar` (or ""), `buffers(groups)`, `terms(UpdateStep)`, `apply(Terms, UpdateTensors)`; the
/// kernel is updateSpan(Terms, UpdateSpan).
template <typename Rule>
class RuleOptimizer : public Optimizer {
public:
    RuleOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path)
        : Optimizer(parameters, std::move(groups), path, {Rule::buffers, Rule::kScalar})
        , m_terms(parameters.slots().size())
    {
    }

protected:
    void prepare(std::size_t slot, std::int64_t step, double rate) override
    {
        m_terms[slot] =
            Rule::terms({paramsOf(slot), static_cast<double>(step), rate, weightDecayOf(slot), scalar(slot)});
    }

    void updateSpan(std::size_t slot, std::int64_t offset, std::int64_t size) override
    {
        athanor::updateSpan(m_terms[slot], {m_parameters.values().data_ptr<float>() + offset,
                                            m_parameters.gradients().data_ptr<float>() + offset,
                                            {bufferSpan(0, offset), bufferSpan(1, offset), bufferSpan(2, offset)},
                                            size});
    }

    void updateTensors(std::size_t slot) override
    {
        const DecayTerms& decay = m_terms[slot];
        UpdateTensors tensors{part(m_parameters.values(), slot), part(m_parameters.gradients(), slot), {}};
        if (decay.sign < 0)
            tensors.slope = -tensors.slope;
        if (decay.decayFactor != 1)
            tensors.parameter.mul_(decay.decayFactor);
        if (decay.weightDecay != 0)
            tensors.slope = tensors.slope.add(tensors.parameter, decay.weightDecay);
        for (std::size_t i = 0; i < 3; ++i)
            tensors.state.push_back(hasBuffer(i) ? part(buffer(i), slot) : torch::Tensor());
        Rule::apply(m_terms[slot], tensors);
    }

private:
    std::vector<typename Rule::Terms> m_terms;
};

} // namespace athanor
