// L-BFGS, as torch.optim.LBFGS has it: one state over all parameters.
#include "engine/train/optimizers/line_search.h"
#include "engine/train/optimizers/optimizers.h"

#include "engine/train/kind_params.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>

namespace athanor {
namespace {

using torch::Tensor;

/// Thrown from within an evaluation: the step is given up.
struct NotFinite : std::exception {};

/// A past iteration: how far the parameters went, and how the gradient changed.
struct Past {
    Tensor gradientChange;
    Tensor move;
    float inverse = 0; ///< 1 / their product
};

class LbfgsOptimizer final : public Optimizer {
public:
    LbfgsOptimizer(FlatParameters& parameters, std::vector<OptimizerGroup> groups, UpdatePath path)
        : Optimizer(parameters, std::move(groups), path, {})
    {
    }

    [[nodiscard]] bool evaluates() const override { return true; }

    bool stepEvaluating(double rate, double loss, const std::function<double()>& evaluate) override
    {
        torch::NoGradGuard noGrad;
        const Curvature before = m_curvature;
        const Tensor values = m_parameters.values().clone();
        try {
            iterate(rate, loss, evaluate);
            if (!std::isfinite(m_parameters.values().sum().item<double>()))
                throw NotFinite();
            return true;
        } catch (const NotFinite&) {
            m_curvature = before;
            m_parameters.values().copy_(values);
            return false;
        }
    }

    [[nodiscard]] std::map<std::string, Tensor> state() const override;
    Status restore(const std::map<std::string, Tensor>& state) override;

private:
    /// All that goes from step to step. Its tensors are replaced, never changed, so that a copy stays as it is.
    struct Curvature {
        std::int64_t iterations = 0;
        Tensor direction;
        float length = 0;
        float scale = 1; ///< of the inverse Hessian's first guess
        Tensor gradient;  ///< of the iteration before
        std::deque<Past> past;
    };

    struct Limits {
        std::int64_t iterations = 20;
        std::int64_t evaluations = 25;
        double gradient = 1e-7;
        double change = 1e-9;
        std::size_t history = 100;
        bool searches = false;
    };

    [[nodiscard]] Limits limits() const;
    [[nodiscard]] Tensor flatGradient() const;
    void move(const Tensor& direction, float length);
    [[nodiscard]] Tensor newDirection(const Tensor& gradient, std::size_t history);
    void iterate(double rate, double loss, const std::function<double()>& evaluate);
    [[nodiscard]] LinePoint search(const LinePoint& start, float length, const std::function<double()>& evaluate,
                                   std::int64_t& evaluations);
    [[nodiscard]] LinePoint evaluated(const std::function<double()>& evaluate, float length) const;

    Curvature m_curvature;
};

// In float32, as PyTorch's tensors of one number: small differences grow from step to step.
float innerProduct(const Tensor& a, const Tensor& b)
{
    return a.dot(b).item<float>();
}

float largest(const Tensor& tensor)
{
    return tensor.abs().max().item<float>();
}

LbfgsOptimizer::Limits LbfgsOptimizer::limits() const
{
    const Json& params = groups().front().params;
    Limits limits;
    limits.iterations = intParam(params, "max_iter", 20);
    limits.evaluations = intParam(params, "max_eval", limits.iterations * 5 / 4);
    limits.gradient = realParam(params, "tolerance_grad", 1e-7);
    limits.change = realParam(params, "tolerance_change", 1e-9);
    limits.history = static_cast<std::size_t>(intParam(params, "history_size", 100));
    limits.searches = textParam(params, "line_search_fn") == "strong_wolfe";
    return limits;
}

/// Without the gaps between parameters, so that sums are taken in PyTorch's order.
Tensor LbfgsOptimizer::flatGradient() const
{
    std::vector<Tensor> parts;
    for (std::size_t i = 0; i < m_parameters.slots().size(); ++i)
        parts.push_back(part(m_parameters.gradients(), i));
    return torch::cat(parts);
}

void LbfgsOptimizer::move(const Tensor& direction, float length)
{
    std::int64_t offset = 0;
    for (std::size_t i = 0; i < m_parameters.slots().size(); ++i) {
        const auto size = m_parameters.slots()[i].size;
        part(m_parameters.values(), i).add_(direction.narrow(0, offset, size), length);
        offset += size;
    }
}

/// The gradient times the approximate inverse Hessian, downhill.
Tensor LbfgsOptimizer::newDirection(const Tensor& gradient, std::size_t history)
{
    if (m_curvature.iterations == 1)
        return gradient.neg();
    Past newest{gradient.sub(m_curvature.gradient), m_curvature.direction.mul(m_curvature.length), 0};
    const float product = innerProduct(newest.gradientChange, newest.move);
    auto& past = m_curvature.past;
    if (product > 1e-10F) {
        if (past.size() >= history)
            past.pop_front();
        newest.inverse = 1 / product;
        m_curvature.scale = product / innerProduct(newest.gradientChange, newest.gradientChange);
        past.push_back(std::move(newest));
    }
    Tensor direction = gradient.neg();
    std::vector<float> shares(past.size());
    for (std::size_t i = past.size(); i-- > 0;) {
        shares[i] = innerProduct(past[i].move, direction) * past[i].inverse;
        direction.add_(past[i].gradientChange, -shares[i]);
    }
    direction.mul_(m_curvature.scale);
    for (std::size_t i = 0; i < past.size(); ++i) {
        const float back = innerProduct(past[i].gradientChange, direction) * past[i].inverse;
        direction.add_(past[i].move, shares[i] - back);
    }
    return direction;
}

LinePoint LbfgsOptimizer::evaluated(const std::function<double()>& evaluate, float length) const
{
    LinePoint point;
    point.length = length;
    point.loss = evaluate();
    point.gradient = flatGradient();
    if (!std::isfinite(point.loss) || !std::isfinite(point.gradient.sum().item<double>()))
        throw NotFinite();
    point.slope = innerProduct(point.gradient, m_curvature.direction);
    return point;
}

LinePoint LbfgsOptimizer::search(const LinePoint& start, float length, const std::function<double()>& evaluate,
                                 std::int64_t& evaluations)
{
    const Tensor values = m_parameters.values().clone();
    const auto at = [&](float distance) {
        move(m_curvature.direction, distance);
        ++evaluations;
        LinePoint point = evaluated(evaluate, distance);
        m_parameters.values().copy_(values);
        return point;
    };
    LinePoint found = searchLine(start, length, largest(m_curvature.direction), at);
    move(m_curvature.direction, found.length);
    return found;
}

void LbfgsOptimizer::iterate(double rate, double loss, const std::function<double()>& evaluate)
{
    const Limits limits = this->limits();
    std::int64_t evaluations = 1;
    LinePoint here{0, loss, flatGradient(), 0};
    if (largest(here.gradient) <= limits.gradient)
        return;
    for (std::int64_t done = 1; done <= limits.iterations; ++done) {
        ++m_curvature.iterations;
        m_curvature.direction = newDirection(here.gradient, limits.history);
        m_curvature.gradient = here.gradient;
        const double lossBefore = here.loss;
        m_curvature.length = static_cast<float>(rate);
        if (m_curvature.iterations == 1)
            m_curvature.length *= std::min(1.0F, 1 / here.gradient.abs().sum().item<float>());
        here.length = 0;
        here.slope = innerProduct(here.gradient, m_curvature.direction);
        if (here.slope > static_cast<float>(-limits.change))
            break;
        if (limits.searches) {
            here = search(here, m_curvature.length, evaluate, evaluations);
            m_curvature.length = here.length;
        } else {
            move(m_curvature.direction, m_curvature.length);
            if (done == limits.iterations)
                break; // nothing more is decided by the loss there
            here = evaluated(evaluate, m_curvature.length);
            ++evaluations;
        }
        if (evaluations >= limits.evaluations || largest(here.gradient) <= limits.gradient ||
            largest(m_curvature.direction) * std::abs(m_curvature.length) <= limits.change ||
            std::abs(here.loss - lossBefore) < limits.change)
            break;
    }
}

std::map<std::string, Tensor> LbfgsOptimizer::state() const
{
    std::map<std::string, Tensor> state;
    const auto number = [](float value) { return torch::tensor(value, torch::kDouble); };
    state["lbfgs/n_iter"] = torch::tensor(m_curvature.iterations, torch::kLong);
    if (m_curvature.iterations == 0)
        return state;
    state["lbfgs/d"] = m_curvature.direction.cpu();
    state["lbfgs/t"] = number(m_curvature.length);
    state["lbfgs/H_diag"] = number(m_curvature.scale);
    state["lbfgs/prev_flat_grad"] = m_curvature.gradient.cpu();
    for (std::size_t i = 0; i < m_curvature.past.size(); ++i) {
        const std::string index = std::to_string(i);
        state["lbfgs/old_dirs/" + index] = m_curvature.past[i].gradientChange.cpu();
        state["lbfgs/old_stps/" + index] = m_curvature.past[i].move.cpu();
        state["lbfgs/ro/" + index] = number(m_curvature.past[i].inverse);
    }
    return state;
}

Status LbfgsOptimizer::restore(const std::map<std::string, Tensor>& state)
{
    const Error missing{ErrorCode::NotFound, "The checkpoint has no state of LBFGS for these parameters.", "lbfgs",
                        "Start a new run from its weights instead of resuming it."};
    const auto size = flatGradient().numel();
    const auto take = [&](const std::string& name, std::int64_t numbers) -> Tensor {
        const auto found = state.find("lbfgs/" + name);
        return found != state.end() && found->second.numel() == numbers ? found->second : Tensor();
    };
    const Tensor iterations = take("n_iter", 1);
    if (!iterations.defined())
        return missing;
    Curvature memory;
    memory.iterations = iterations.item<std::int64_t>();
    const auto device = m_parameters.values().device();
    if (memory.iterations > 0) {
        const Tensor direction = take("d", size), length = take("t", 1), scale = take("H_diag", 1);
        const Tensor gradient = take("prev_flat_grad", size);
        if (!direction.defined() || !length.defined() || !scale.defined() || !gradient.defined())
            return missing;
        memory.direction = direction.to(device);
        memory.length = length.item<float>();
        memory.scale = scale.item<float>();
        memory.gradient = gradient.to(device);
    }
    for (std::size_t i = 0; take("ro/" + std::to_string(i), 1).defined(); ++i) {
        const Tensor change = take("old_dirs/" + std::to_string(i), size), move = take("old_stps/" + std::to_string(i), size);
        if (!change.defined() || !move.defined())
            return missing;
        memory.past.push_back({change.to(device), move.to(device), take("ro/" + std::to_string(i), 1).item<float>()});
    }
    m_curvature = std::move(memory);
    return Done{};
}

} // namespace

std::unique_ptr<Optimizer> makeLbfgs(const KindSpec& /*spec*/, FlatParameters& parameters,
                                     std::vector<OptimizerGroup> groups, UpdatePath path)
{
    return std::make_unique<LbfgsOptimizer>(parameters, std::move(groups), path);
}

} // namespace athanor
