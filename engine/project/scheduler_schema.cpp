#include "engine/project/schema_params.h"

namespace athanor {
namespace {

ParamSpec gamma(const char* help)
{
    return real("gamma", 0.1, help, 0);
}

ParamSpec etaMin()
{
    return real("eta_min", 0.0, "The lowest rate.", 0);
}

std::vector<ParamSpec> oneCycleParams()
{
    return {
        required(real("max_lr", {}, "The highest rate, of all weights.", 0)),
        nullable(integer("total_steps", nullptr, "Intervals of the cycle; without it, all of the run.", 1)),
        real("pct_start", 0.3, "Share of the cycle in which the rate rises.", 0, 1),
        choice("anneal_strategy", {"cos", "linear"}, "cos", "Form of the rise and of the fall."),
        boolean("cycle_momentum", true, "The momentum (or the first of the betas) falls while the rate rises."),
        real("base_momentum", 0.85, "The lowest momentum, at the highest rate.", 0, 1),
        real("max_momentum", 0.95, "The highest momentum, at the lowest rate.", 0, 1),
        positive(real("div_factor", 25.0, "The first rate is max_lr divided by this.")),
        positive(real("final_div_factor", 1e4, "The last rate is the first one divided by this.")),
        boolean("three_phase", false, "Falls as fast as it rises, and then on to the last rate."),
    };
}

std::vector<ParamSpec> cyclicParams()
{
    return {
        required(real("base_lr", {}, "The lowest rate, of all weights.", 0)),
        required(real("max_lr", {}, "The highest rate of the first cycle.", 0)),
        integer("step_size_up", 2000, "Intervals of a rise.", 1),
        nullable(integer("step_size_down", nullptr, "Intervals of a fall; as many as of a rise when not set.", 1)),
        choice("mode", {"triangular", "triangular2", "exp_range"}, "triangular",
               "The height of later cycles: the same, halved each time, or times gamma at every interval."),
        real("gamma", 1.0, "Factor of exp_range.", 0),
        boolean("cycle_momentum", true, "The momentum falls while the rate rises; needs an optimizer with momentum."),
        real("base_momentum", 0.8, "The lowest momentum, at the highest rate.", 0, 1),
        real("max_momentum", 0.9, "The highest momentum, at the lowest rate.", 0, 1),
    };
}

std::vector<ParamSpec> plateauParams()
{
    return {
        text("monitor", "val/loss", "Series that is watched: val/loss, train/loss, val/accuracy, …"),
        choice("mode", {"min", "max"}, "min", "Whether lower or higher values are better."),
        belowMaximum(real("factor", 0.1, "Factor of each reduction, below 1.", 0, 1)),
        integer("patience", 10, "Values without improvement before the rate is reduced.", 0),
        real("threshold", 1e-4, "Least change that counts as an improvement.", 0),
        choice("threshold_mode", {"rel", "abs"}, "rel", "Whether the threshold is a share of the best value."),
        integer("cooldown", 0, "Values after a reduction that do not count.", 0),
        real("min_lr", 0.0, "The lowest rate.", 0),
        real("eps", 1e-8, "Reductions of the rate by less than this are left out.", 0),
    };
}

const KindParams& schedulers()
{
    static const KindParams kinds{
        {"StepLR",
         {required(integer("step_size", {}, "Intervals between two reductions.", 1)), gamma("Factor of each reduction.")}},
        {"MultiStepLR",
         {required({.name = "milestones",
                    .type = ParamType::IntList,
                    .help = "Intervals after which the rate is reduced, in rising order.",
                    .minimum = 0}),
          gamma("Factor of each reduction.")}},
        {"ExponentialLR", {required(real("gamma", {}, "Factor after every interval.", 0))}},
        {"CosineAnnealingLR",
         {required(integer("T_max", {}, "Intervals from the first rate down to eta_min, half a cosine.", 1)), etaMin()}},
        {"LinearLR",
         {positive(real("start_factor", 1.0 / 3, "Factor at the start, above 0.", 0, 1)),
          real("end_factor", 1.0, "Factor at the end.", 0, 1),
          integer("total_iters", 5, "Intervals from the start to the end factor.", 1)}},
        {"ConstantLR",
         {real("factor", 1.0 / 3, "Factor until total_iters intervals are over.", 0, 1),
          integer("total_iters", 5, "Intervals with the factor.", 0)}},
        {"CosineAnnealingWarmRestarts",
         {required(integer("T_0", {}, "Intervals until the first restart.", 1)),
          integer("T_mult", 1, "Factor from one length to the next.", 1), etaMin()}},
        {"OneCycleLR", oneCycleParams()},
        {"CyclicLR", cyclicParams()},
        {"PolynomialLR",
         {integer("total_iters", 5, "Intervals until the rate is 0.", 1),
          real("power", 1.0, "Exponent of the fall: 1 is a straight line.", 0)}},
        {"ReduceLROnPlateau", plateauParams()},
        {"LambdaLR",
         {required({.name = "lr_lambda",
                    .type = ParamType::Text,
                    .help = "Factor of the rate, such as 0.95 ** epoch or min(1, (step + 1) / 500): numbers, step, "
                            "epoch, t (intervals done), steps and epochs (of the run), + - * / % **, comparisons, "
                            "a if b else c, and functions like min, max, exp, cos."})}},
        {"ChainedScheduler",
         {required({.name = "schedulers",
                    .type = ParamType::Any,
                    .help = "Schedulers whose factors are multiplied: a list of {\"kind\": …} of StepLR, MultiStepLR, "
                            "ExponentialLR, LinearLR, ConstantLR and PolynomialLR."})}},
    };
    return kinds;
}

} // namespace

const std::vector<ParamSpec>* schedulerParams(const std::string& kind)
{
    return paramsOfKind(schedulers(), kind);
}

std::vector<std::string> schedulerKinds()
{
    return namesOfKinds(schedulers());
}

ScheduleInterval naturalInterval(const std::string& scheduler)
{
    return scheduler == "OneCycleLR" || scheduler == "CyclicLR" ? ScheduleInterval::Step : ScheduleInterval::Epoch;
}

} // namespace athanor
