// RAdam, NAdam and Adamax, as torch.optim has them.
#include "engine/train/optimizers/optimizers.h"
#include "engine/train/optimizers/rule_optimizer.h"

#include <torch/torch.h>

#include <cmath>

namespace athanor {
namespace {

/// The running means that all of them keep.
template <typename Terms>
void setBetas(Terms& terms, double beta1, double beta2)
{
    terms.beta1 = static_cast<float>(beta1);
    terms.beta1Complement = static_cast<float>(1 - beta1);
    terms.beta2 = static_cast<float>(beta2);
    terms.beta2Complement = static_cast<float>(1 - beta2);
}

template <typename Terms>
void average(const Terms& terms, const UpdateTensors& tensors)
{
    tensors.state[0].mul_(terms.beta1).add_(tensors.slope, terms.beta1Complement);
    tensors.state[1].mul_(terms.beta2).addcmul_(tensors.slope, tensors.slope, terms.beta2Complement);
}

struct RAdamRule {
    using Terms = RAdamTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/)
    {
        return {"exp_avg", "exp_avg_sq"};
    }

    static Terms terms(const UpdateStep& step)
    {
        const auto [beta1, beta2] = betasParam(step.params);
        const double correction2 = 1 - std::pow(beta2, step.step);
        const double longest = 2 / (1 - beta2) - 1;
        const double length = longest - 2 * step.step * std::pow(beta2, step.step) / correction2;
        Terms terms;
        setDecay(terms, step, flagParam(step.params, "decoupled_weight_decay"));
        setBetas(terms, beta1, beta2);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.correction1 = static_cast<float>(1 - std::pow(beta1, step.step));
        terms.rate = static_cast<float>(step.rate);
        terms.rectified = length > 5;
        terms.correction2Root = static_cast<float>(std::sqrt(correction2));
        if (terms.rectified)
            terms.rectification = static_cast<float>(std::sqrt((length - 4) * (length - 2) * longest /
                                                               ((longest - 4) * (longest - 2) * length)));
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        average(terms, tensors);
        const auto moved = (tensors.state[0] / terms.correction1).mul_(terms.rate);
        if (terms.rectified) {
            const auto adaptive = tensors.state[1].sqrt().add_(terms.eps).reciprocal_().mul_(terms.correction2Root);
            tensors.parameter.sub_(moved * adaptive * terms.rectification);
        } else {
            tensors.parameter.sub_(moved);
        }
    }
};

struct NAdamRule {
    using Terms = NAdamTerms;
    static constexpr const char* kScalar = "mu_product"; ///< kept in float32, as PyTorch does
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/)
    {
        return {"exp_avg", "exp_avg_sq"};
    }

    static Terms terms(const UpdateStep& step)
    {
        const auto [beta1, beta2] = betasParam(step.params);
        const double decay = realParam(step.params, "momentum_decay");
        const double mu = beta1 * (1 - 0.5 * std::pow(0.96, step.step * decay));
        const double next = beta1 * (1 - 0.5 * std::pow(0.96, (step.step + 1) * decay));
        const float product = static_cast<float>(step.scalar) * static_cast<float>(mu);
        const float productNext = product * static_cast<float>(mu) * static_cast<float>(next);
        step.scalar = product;
        Terms terms;
        setDecay(terms, step, flagParam(step.params, "decoupled_weight_decay"));
        setBetas(terms, beta1, beta2);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.correction2 = static_cast<float>(1 - std::pow(beta2, step.step));
        terms.gradientStep = static_cast<float>(-step.rate * (1 - mu) / (1 - static_cast<double>(product)));
        terms.averageStep = static_cast<float>(-step.rate * next / (1 - static_cast<double>(productNext)));
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        average(terms, tensors);
        const auto denominator = tensors.state[1].div(terms.correction2).sqrt_().add_(terms.eps);
        tensors.parameter.addcdiv_(tensors.slope, denominator, terms.gradientStep);
        tensors.parameter.addcdiv_(tensors.state[0], denominator, terms.averageStep);
    }
};

struct AdamaxRule {
    using Terms = AdamaxTerms;
    static constexpr const char* kScalar = "";
    static std::vector<std::string> buffers(const std::vector<OptimizerGroup>& /*groups*/)
    {
        return {"exp_avg", "exp_inf"};
    }

    static Terms terms(const UpdateStep& step)
    {
        const auto [beta1, beta2] = betasParam(step.params);
        Terms terms;
        setDecay(terms, step, false);
        terms.beta1 = static_cast<float>(beta1);
        terms.beta1Complement = static_cast<float>(1 - beta1);
        terms.beta2 = static_cast<float>(beta2);
        terms.eps = static_cast<float>(realParam(step.params, "eps"));
        terms.stepSize = static_cast<float>(step.rate / (1 - std::pow(beta1, step.step)));
        return terms;
    }

    static void apply(const Terms& terms, const UpdateTensors& tensors)
    {
        tensors.state[0].mul_(terms.beta1).add_(tensors.slope, terms.beta1Complement);
        auto largest = tensors.state[1];
        torch::maximum_out(largest, largest.mul(terms.beta2), tensors.slope.abs().add_(terms.eps));
        tensors.parameter.addcdiv_(tensors.state[0], largest, -terms.stepSize);
    }
};

} // namespace

std::unique_ptr<Optimizer> makeRAdam(const KindSpec& /*spec*/, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<RAdamRule>>(parameters, std::move(groups), path);
}

std::unique_ptr<Optimizer> makeNAdam(const KindSpec& /*spec*/, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<NAdamRule>>(parameters, std::move(groups), path);
}

std::unique_ptr<Optimizer> makeAdamax(const KindSpec& /*spec*/, FlatParameters& parameters,
                                      std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<RuleOptimizer<AdamaxRule>>(parameters, std::move(groups), path);
}

} // namespace athanor
