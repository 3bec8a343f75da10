// Adagrad, Adadelta and RMSprop, as torch.optim has them; Lion (Chen et al. 2023).
#include "engine/train/optimizers/optimizers.h"
#include "engine/train/optimizers/rule_optimizer.h"

#include <torch/torch.h>

#include <algorithm>

namespace athanor {
namespace {

struct AdagradRule {
    using Terms = AdagradTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/) { return {"sum"}; }

    static Terms terms(const UpdateStep& step)
    {
        Terms terms;
        setDecay(terms, step, false);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.stepSize = static_cast<float>(step.rate / (1 + (step.step - 1) * realParam(step.params, "lr_decay")));
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        tensors.state[0].addcmul_(tensors.slope, tensors.slope, 1);
        tensors.parameter.addcdiv_(tensors.slope, tensors.state[0].sqrt().add_(terms.eps), -terms.stepSize);
    }
};

/// Its sums start where the groups say.
class AdagradOptimizer final : public RuleOptimizer<AdagradRule> {
public:
    AdagradOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path)
        : RuleOptimizer(parameters, std::move(groups), path)
    {
        torch::NoGradGuard noGrad;
        for (std::size_t slot = 0; slot < parameters.slots().size(); ++slot)
            part(buffer(0), slot).fill_(realParam(paramsOf(slot), "initial_accumulator_value"));
    }
};

struct AdadeltaRule {
    using Terms = AdadeltaTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/)
    {
        return {"square_avg", "acc_delta"};
    }

    static Terms terms(const UpdateStep& step)
    {
        const double rho = realParam(step.params, "rho");
        Terms terms;
        setDecay(terms, step, false);
        terms.rho = static_cast<float>(rho);
        terms.rhoComplement = static_cast<float>(1 - rho);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.rate = static_cast<float>(step.rate);
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        tensors.state[0].mul_(terms.rho).addcmul_(tensors.slope, tensors.slope, terms.rhoComplement);
        const auto root = tensors.state[0].add(terms.eps).sqrt_();
        const auto change = tensors.state[1].add(terms.eps).sqrt_().div_(root).mul_(tensors.slope);
        tensors.state[1].mul_(terms.rho).addcmul_(change, change, terms.rhoComplement);
        tensors.parameter.add_(change, -terms.rate);
    }
};

struct RmspropRule {
    using Terms = RmspropTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& groups)
    {
        const auto moves = [](const OptimizerGroup& group) { return realParam(group.params, "momentum") > 0; };
        const auto centers = [](const OptimizerGroup& group) { return flagParam(group.params, "centered"); };
        return {"square_avg", std::ranges::any_of(groups, moves) ? "momentum_buffer" : "",
                std::ranges::any_of(groups, centers) ? "grad_avg" : ""};
    }

    static Terms terms(const UpdateStep& step)
    {
        const double alpha = realParam(step.params, "alpha");
        Terms terms;
        setDecay(terms, step, false);
        terms.alpha = static_cast<float>(alpha);
        terms.alphaComplement = static_cast<float>(1 - alpha);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.momentum = static_cast<float>(realParam(step.params, "momentum"));
        terms.rate = static_cast<float>(step.rate);
        terms.centered = flagParam(step.params, "centered");
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        tensors.state[0].mul_(terms.alpha).addcmul_(tensors.slope, tensors.slope, terms.alphaComplement);
        auto variance = tensors.state[0];
        if (terms.centered) {
            tensors.state[2].mul_(terms.alpha).add_(tensors.slope, terms.alphaComplement);
            variance = variance.addcmul(tensors.state[2], tensors.state[2], -1);
        }
        const auto divisor = variance.sqrt().add_(terms.eps);
        if (terms.momentum > 0) {
            tensors.state[1].mul_(terms.momentum).addcdiv_(tensors.slope, divisor);
            tensors.parameter.add_(tensors.state[1], -terms.rate);
        } else {
            tensors.parameter.addcdiv_(tensors.slope, divisor, -terms.rate);
        }
    }
};

struct LionRule {
    using Terms = LionTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/) { return {"exp_avg"}; }

    static Terms terms(const UpdateStep& step)
    {
        const auto [beta1, beta2] = betasParam(step.params, 0.9, 0.99);
        Terms terms;
        setDecay(terms, step, true);
        terms.beta1 = static_cast<float>(beta1);
        terms.beta1Complement = static_cast<float>(1 - beta1);
        terms.beta2 = static_cast<float>(beta2);
        terms.beta2Complement = static_cast<float>(1 - beta2);
        terms.rate = static_cast<float>(step.rate);
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        const auto wish = tensors.state[0].mul(terms.beta1).add_(tensors.slope, terms.beta1Complement);
        tensors.parameter.add_(wish.sign_(), -terms.rate);
        tensors.state[0].mul_(terms.beta2).add_(tensors.slope, terms.beta2Complement);
    }
};

} // namespace

std::unique_ptr<Optimizer> makeAdagrad(const KindSpec& /*spec*/, FlatParameters& parameters,
                                       std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<AdagradOptimizer>(parameters, std::move(groups), path);
}

std::unique_ptr<Optimizer> makeAdadelta(const KindSpec& /*spec*/, FlatParameters& parameters,
                                        std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<AdadeltaRule>>(parameters, std::move(groups), path);
}

std::unique_ptr<Optimizer> makeRmsprop(const KindSpec& /*spec*/, FlatParameters& parameters,
                                       std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<RmspropRule>>(parameters, std::move(groups), path);
}

std::unique_ptr<Optimizer> makeLion(const KindSpec& /*spec*/, FlatParameters& parameters,
                                    std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<LionRule>>(parameters, std::move(groups), path);
}

} // namespace athanor
