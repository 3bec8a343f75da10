#include "engine/train/scheduler_rates.h"

#include "engine/project/project.h"
#include "engine/train/kind_params.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace athanor {
namespace {

/// Milestones that are reached; one that is listed twice counts twice, as in PyTorch.
std::int64_t milestonesReached(const Json& params, std::int64_t done)
{
    std::int64_t reached = 0;
    const auto found = params.find("milestones");
    if (found != params.end() && found->is_array())
        for (const auto& milestone : *found)
            reached += milestone.get<std::int64_t>() <= done ? 1 : 0;
    return reached;
}

double gammaOf(const Json& params)
{
    return realParam(params, "gamma", 0.1);
}

double stepRate(const Json& params, double base, const ScheduleMoment& at)
{
    return base * std::pow(gammaOf(params), at.done / std::max<std::int64_t>(1, intParam(params, "step_size", 1)));
}

double multiStepRate(const Json& params, double base, const ScheduleMoment& at)
{
    return base * std::pow(gammaOf(params), milestonesReached(params, at.done));
}

double exponentialRate(const Json& params, double base, const ScheduleMoment& at)
{
    return base * std::pow(gammaOf(params), at.done);
}

double linearRate(const Json& params, double base, const ScheduleMoment& at)
{
    const double start = realParam(params, "start_factor", 1.0 / 3);
    const double end = realParam(params, "end_factor", 1);
    const auto length = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "total_iters", 5)));
    return base * (start + (end - start) * std::min(length, static_cast<double>(at.done)) / length);
}

double constantRate(const Json& params, double base, const ScheduleMoment& at)
{
    return at.done < intParam(params, "total_iters", 5) ? base * realParam(params, "factor", 1.0 / 3) : base;
}

double polynomialRate(const Json& params, double base, const ScheduleMoment& at)
{
    const auto length = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "total_iters", 5)));
    const double left = 1 - std::min(length, static_cast<double>(at.done)) / length;
    return base * std::pow(left, realParam(params, "power", 1));
}

double cosineBetween(double least, double most, double share)
{
    return least + (most - least) * (1 + std::cos(std::numbers::pi * share)) / 2;
}

double cosineRate(const Json& params, double base, const ScheduleMoment& at)
{
    const auto half = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "T_max", 1)));
    return cosineBetween(realParam(params, "eta_min", 0), base, static_cast<double>(at.done) / half);
}

double restartsRate(const Json& params, double base, const ScheduleMoment& at)
{
    std::int64_t length = std::max<std::int64_t>(1, intParam(params, "T_0", 1));
    const std::int64_t factor = std::max<std::int64_t>(1, intParam(params, "T_mult", 1));
    std::int64_t current = at.done;
    if (factor == 1)
        current %= length;
    else
        for (; current >= length; length *= factor)
            current -= length;
    return cosineBetween(realParam(params, "eta_min", 0), base, static_cast<double>(current) / static_cast<double>(length));
}

/// A stretch of OneCycleLR: from one level to another, which are 0 (initial), 1 (max) or 2 (min).
struct Phase {
    double end = 0;
    int from = 0;
    int to = 0;
};

std::int64_t cycleLength(const Json& params, const RunLength& run)
{
    return std::max<std::int64_t>(1, intParam(params, "total_steps", run.steps));
}

/// Value of a one-cycle curve between three levels.
double oneCycle(const Json& params, const std::array<double, 3>& levels, const ScheduleMoment& at)
{
    const auto total = static_cast<double>(cycleLength(params, at.length));
    const double rise = realParam(params, "pct_start", 0.3) * total;
    std::vector<Phase> phases{{rise - 1, 0, 1}};
    if (flagParam(params, "three_phase")) {
        phases.push_back({2 * rise - 2, 1, 0});
        phases.push_back({total - 1, 0, 2});
    } else {
        phases.push_back({total - 1, 1, 2});
    }
    const double now = std::min(static_cast<double>(at.done), total - 1);
    double start = 0;
    std::size_t i = 0;
    for (; i + 1 < phases.size() && now > phases[i].end; ++i)
        start = phases[i].end;
    const double from = levels[static_cast<std::size_t>(phases[i].from)];
    const double to = levels[static_cast<std::size_t>(phases[i].to)];
    const double share = phases[i].end > start ? (now - start) / (phases[i].end - start) : 1;
    if (textParam(params, "anneal_strategy", "cos") == "linear")
        return (to - from) * share + from;
    return to + (from - to) / 2 * (std::cos(std::numbers::pi * share) + 1);
}

double oneCycleRate(const Json& params, double /*base*/, const ScheduleMoment& at)
{
    const double most = realParam(params, "max_lr");
    const double first = most / realParam(params, "div_factor", 25);
    return oneCycle(params, {first, most, first / realParam(params, "final_div_factor", 1e4)}, at);
}

/// Height in the present cycle of CyclicLR, 0 to 1.
double cyclicHeight(const Json& params, std::int64_t done)
{
    const auto up = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "step_size_up", 2000)));
    const auto down = static_cast<double>(intParam(params, "step_size_down", static_cast<std::int64_t>(up)));
    const double share = up / (up + down);
    const double cycles = 1 + static_cast<double>(done) / (up + down);
    const double cycle = std::floor(cycles);
    const double place = cycles - cycle;
    const double height = place <= share ? place / share : (place - 1) / (share - 1);
    const std::string mode = textParam(params, "mode", "triangular");
    if (mode == "triangular2")
        return height / std::pow(2, cycle - 1);
    return mode == "exp_range" ? height * std::pow(realParam(params, "gamma", 1), done) : height;
}

double cyclicRate(const Json& params, double /*base*/, const ScheduleMoment& at)
{
    const double least = realParam(params, "base_lr");
    return least + (realParam(params, "max_lr") - least) * cyclicHeight(params, at.done);
}

double plateauRate(const Json& params, double base, const ScheduleMoment& at)
{
    double rate = base;
    for (std::int64_t i = 0; i < at.reductions; ++i) {
        const double lower = std::max(rate * realParam(params, "factor", 0.1), realParam(params, "min_lr"));
        if (rate - lower <= realParam(params, "eps", 1e-8))
            break; // nor will a later one
        rate = lower;
    }
    return rate;
}

using RateFunction = double (*)(const Json& params, double base, const ScheduleMoment& at);

double chainedRate(const Json& params, double base, const ScheduleMoment& at);

const std::map<std::string, RateFunction>& rateFunctions()
{
    static const std::map<std::string, RateFunction> all{
        {"StepLR", stepRate},
        {"MultiStepLR", multiStepRate},
        {"ExponentialLR", exponentialRate},
        {"LinearLR", linearRate},
        {"ConstantLR", constantRate},
        {"PolynomialLR", polynomialRate},
        {"CosineAnnealingLR", cosineRate},
        {"CosineAnnealingWarmRestarts", restartsRate},
        {"OneCycleLR", oneCycleRate},
        {"CyclicLR", cyclicRate},
        {"ReduceLROnPlateau", plateauRate},
        {"ChainedScheduler", chainedRate},
        {"LambdaLR", nullptr}, // its expression
    };
    return all;
}

/// Parameters with what is not written filled in.
Json completed(const std::string& kind, const Json& written)
{
    const auto* params = schedulerParams(kind);
    return params ? completeParams(*params, written) : written;
}

double chainedRate(const Json& params, double base, const ScheduleMoment& at)
{
    for (const Json& one : params.value("schedulers", Json::array())) {
        const std::string kind = textParam(one, "kind");
        const auto function = rateFunctions().find(kind);
        if (function != rateFunctions().end() && function->second)
            base = function->second(completed(kind, one), base, at);
    }
    return base;
}

} // namespace

Result<Scheduler> Scheduler::make(const KindSpec& written)
{
    if (!rateFunctions().contains(written.kind))
        return Error{ErrorCode::NotFound, "There is no scheduler called " + written.kind + ".", "kind",
                     "StepLR and CosineAnnealingLR are the usual ones."};
    Scheduler scheduler{{written.kind, completed(written.kind, written.params)}, {}};
    if (written.kind != "LambdaLR")
        return scheduler;
    auto lambda = Expression::parse(textParam(scheduler.spec.params, "lr_lambda"), {"step", "epoch", "t", "steps", "epochs"});
    if (!lambda.ok())
        return Error{ErrorCode::InvalidArgument, lambda.error().message, "lr_lambda", lambda.error().hint};
    scheduler.lambda = std::move(*lambda);
    return scheduler;
}

double Scheduler::rate(double base, const ScheduleMoment& moment) const
{
    if (!lambda)
        return rateFunctions().at(spec.kind)(spec.params, base, moment);
    const std::array<double, 5> values{static_cast<double>(moment.step), static_cast<double>(moment.epoch),
                                       static_cast<double>(moment.done), static_cast<double>(moment.length.steps),
                                       static_cast<double>(moment.length.epochs)};
    return base * lambda->evaluate(values);
}

std::optional<double> Scheduler::momentum(const ScheduleMoment& moment) const
{
    if (!flagParam(spec.params, "cycle_momentum"))
        return std::nullopt;
    const double least = realParam(spec.params, "base_momentum"), most = realParam(spec.params, "max_momentum");
    if (spec.kind == "OneCycleLR")
        return oneCycle(spec.params, {most, least, most}, moment);
    return most - (most - least) * cyclicHeight(spec.params, moment.done);
}

std::optional<std::int64_t> Scheduler::length() const
{
    const char* name = spec.kind == "CosineAnnealingLR" ? "T_max"
                       : spec.kind == "LinearLR" || spec.kind == "ConstantLR" || spec.kind == "PolynomialLR"
                           ? "total_iters"
                       : spec.kind == "OneCycleLR" ? "total_steps"
                                                   : "";
    const std::int64_t length = intParam(spec.params, name, -1);
    return length >= 0 ? std::optional(length) : std::nullopt;
}

} // namespace athanor
