#include "engine/train/optimizers/optimizers.h"

#include "engine/train/kernels/optimizer_kernels.h"
#include "engine/train/kind_params.h"

#include <torch/torch.h>

#include <algorithm>

namespace athanor {
namespace {

class SgdOptimizer final : public Optimizer {
public:
    SgdOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path)
        : Optimizer(parameters, std::move(groups), path, {buffersOf, {}})
        , m_terms(parameters.slots().size())
    {
    }

protected:
    void prepare(std::size_t slot, std::int64_t step, double rate) override
    {
        const Json& params = paramsOf(slot);
        SgdTerms& terms = m_terms[slot];
        terms.rate = static_cast<float>(rate);
        terms.momentum = static_cast<float>(realParam(params, "momentum"));
        terms.dampeningComplement = static_cast<float>(1 - realParam(params, "dampening"));
        terms.weightDecay = static_cast<float>(weightDecayOf(slot));
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
        return {std::ranges::any_of(groups, hasMomentum) ? "momentum_buffer" : ""};
    }

    std::vector<SgdTerms> m_terms;
};

} // namespace

std::unique_ptr<Optimizer> makeSgd(const KindSpec& /*spec*/, FlatParameters& parameters,
                                   std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<SgdOptimizer>(parameters, std::move(groups), path);
}

} // namespace athanor
