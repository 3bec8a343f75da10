#include "engine/project/project.h"

#include <algorithm>
#include <utility>

namespace athanor {
namespace {

using Kinds = std::vector<std::pair<std::string, std::vector<ParamSpec>>>;

ParamSpec real(std::string name, Json standard, std::string help, std::optional<double> minimum = {},
               std::optional<double> maximum = {})
{
    return {.name = std::move(name),
            .type = ParamType::Real,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum};
}

ParamSpec boolean(std::string name, bool standard, std::string help)
{
    return {.name = std::move(name), .type = ParamType::Bool, .standard = standard, .help = std::move(help)};
}

ParamSpec integer(std::string name, Json standard, std::string help, std::optional<double> minimum = {})
{
    constexpr double kLargest = 2147483647;
    return {.name = std::move(name),
            .type = ParamType::Int,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = kLargest};
}

ParamSpec choice(std::string name, std::vector<std::string> choices, std::string standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Choice,
            .standard = std::move(standard),
            .help = std::move(help),
            .choices = std::move(choices)};
}

ParamSpec required(ParamSpec spec)
{
    spec.required = true;
    spec.standard = nullptr;
    return spec;
}

ParamSpec nullable(ParamSpec spec)
{
    spec.allowsNull = true;
    return spec;
}

ParamSpec positive(ParamSpec spec)
{
    spec.minimum = 0;
    spec.minimumExcluded = true;
    return spec;
}

ParamSpec learningRate()
{
    ParamSpec spec = real("lr", 0.001, "Learning rate: length of a step, at the start of the schedule.", 0);
    spec.live = true;
    return spec;
}

ParamSpec groups()
{
    return {.name = "groups",
            .type = ParamType::Any,
            .standard = Json::array(),
            .help = "Other values for some of the weights: a list of {\"match\": glob over state names, "
                    "parameter: value}; the first match counts."};
}

std::vector<ParamSpec> adamParams(double weightDecay, const std::string& decayHelp)
{
    return {
        learningRate(),
        {.name = "betas",
         .type = ParamType::RealList,
         .standard = Json::array({0.9, 0.999}),
         .help = "How slowly the running means of the gradient and of its square forget, each 0 to below 1.",
         .minimum = 0,
         .maximum = 1,
         .listSize = 2,
         .maximumExcluded = true},
        real("eps", 1e-8, "Added to the divisor, against division by zero.", 0),
        real("weight_decay", weightDecay, decayHelp, 0),
        boolean("amsgrad", false, "Divides by the largest mean square so far instead of the newest."),
        boolean("maximize", false, "Goes uphill instead of downhill."),
        groups()};
}

const Kinds& optimizers()
{
    static const Kinds kinds{
        {"SGD",
         {learningRate(), real("momentum", 0.0, "Share of the last step that is kept, 0 to below 1.", 0),
          real("dampening", 0.0, "Share of the gradient that does not enter the momentum."),
          real("weight_decay", 0.0, "L2 penalty: this times the weight is added to its gradient.", 0),
          boolean("nesterov", false, "Looks ahead along the momentum; needs momentum and no dampening."),
          boolean("maximize", false, "Goes uphill instead of downhill."), groups()}},
        {"Adam", adamParams(0.0, "L2 penalty: this times the weight is added to its gradient.")},
        {"AdamW",
         adamParams(0.01, "Each step shrinks the weights by lr times this, apart from the gradient.")},
    };
    return kinds;
}

const Kinds& schedulers()
{
    static const Kinds kinds{
        {"StepLR",
         {required(integer("step_size", {}, "Intervals between two reductions.", 1)),
          real("gamma", 0.1, "Factor of each reduction.", 0)}},
        {"MultiStepLR",
         {required({.name = "milestones",
                    .type = ParamType::IntList,
                    .help = "Intervals after which the rate is reduced, in rising order.",
                    .minimum = 0}),
          real("gamma", 0.1, "Factor of each reduction.", 0)}},
        {"ExponentialLR", {required(real("gamma", {}, "Factor after every interval.", 0))}},
        {"CosineAnnealingLR",
         {required(integer("T_max", {}, "Intervals from the first rate down to eta_min, half a cosine.", 1)),
          real("eta_min", 0.0, "The lowest rate.", 0)}},
        {"LinearLR",
         {positive(real("start_factor", 1.0 / 3, "Factor at the start, above 0.", 0, 1)),
          real("end_factor", 1.0, "Factor at the end.", 0, 1),
          integer("total_iters", 5, "Intervals from the start to the end factor.", 1)}},
        {"ConstantLR",
         {real("factor", 1.0 / 3, "Factor until total_iters intervals are over.", 0, 1),
          integer("total_iters", 5, "Intervals with the factor.", 0)}},
    };
    return kinds;
}

ParamSpec fanMode()
{
    return choice("mode", {"fan_in", "fan_out"}, "fan_in",
                  "Keeps the size of activations (fan_in) or of gradients (fan_out).");
}

ParamSpec nonlinearity()
{
    return choice("nonlinearity",
                  {"linear", "conv1d", "conv2d", "conv3d", "sigmoid", "tanh", "relu", "leaky_relu", "selu"},
                  "leaky_relu", "The activation that follows; sets the gain.");
}

ParamSpec gain()
{
    return real("gain", 1.0, "Factor on the spread.");
}

ParamSpec slope()
{
    return real("a", 0.0, "Negative slope of the leaky ReLU that follows.");
}

const Kinds& initializers()
{
    static const Kinds kinds{
        {"normal", {real("mean", 0.0, "Mean."), real("std", 1.0, "Standard deviation.", 0)}},
        {"uniform", {real("a", 0.0, "Lower end."), real("b", 1.0, "Upper end.")}},
        {"zeros", {}},
        {"ones", {}},
        {"constant",
         {{.name = "value",
           .type = ParamType::Real,
           .help = "The number everywhere (PyTorch calls it val).",
           .required = true}}},
        {"xavier_uniform", {gain()}},
        {"xavier_normal", {gain()}},
        {"kaiming_uniform", {slope(), fanMode(), nonlinearity()}},
        {"kaiming_normal", {slope(), fanMode(), nonlinearity()}},
        {"orthogonal", {gain()}},
        {"trunc_normal",
         {real("mean", 0.0, "Mean."), real("std", 1.0, "Standard deviation.", 0),
          real("a", -2.0, "Nothing lies below this."), real("b", 2.0, "Nothing lies above this.")}},
    };
    return kinds;
}

const std::vector<ParamSpec>* find(const Kinds& kinds, const std::string& kind)
{
    const auto it =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& entry) { return entry.first == kind; });
    return it == kinds.end() ? nullptr : &it->second;
}

std::vector<std::string> names(const Kinds& kinds)
{
    std::vector<std::string> all;
    for (const auto& [kind, params] : kinds)
        all.push_back(kind);
    return all;
}

// "epoch", or every so many steps.
ParamSpec epochOrSteps(std::string name, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::IntOrText,
            .standard = "epoch",
            .help = std::move(help),
            .minimum = 1,
            .choices = {"epoch"}};
}

ParamSpec text(std::string name, std::string standard, std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Text,
            .standard = std::move(standard),
            .help = std::move(help)};
}

ParamSpec whole64(std::string name, Json standard, std::string help, double minimum)
{
    return {.name = std::move(name),
            .type = ParamType::Int,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum};
}

std::vector<ParamSpec> runParams()
{
    return {
        nullable(whole64("epochs", nullptr,
                         "Passes over the training data; 10 when neither epochs nor steps is set.", 1)),
        nullable(whole64("steps", nullptr, "Optimizer steps, instead of epochs.", 1)),
        whole64("seed", 0, "Same seed, same run: weights, order of the data, dropout.", 0),
        text("device", "auto", "auto (a GPU when there is one), cpu, cuda, cuda:0, …"),
        boolean("deterministic", true, "Only algorithms that give the same result every time."),
        choice("precision", {"fp32", "bf16", "fp16"}, "fp32",
               "Numbers that layers compute with; weights stay fp32. fp16 needs a GPU."),
        integer("accumulate", 1, "Batches whose gradients are averaged into one step.", 1),
        nullable(positive(real("clip_grad_norm", nullptr,
                               "Longest gradient, over all weights together; a longer one is shortened."))),
        nullable(positive(
            real("clip_grad_value", nullptr, "Largest entry of a gradient; a larger one is cut off."))),
        epochOrSteps("validate_every", "When the validation part is evaluated: epoch, or a number of steps."),
        choice("on_non_finite", {"pause", "stop", "skip", "continue"}, "pause",
               "What happens when the loss or a gradient is not finite."),
        boolean("frozen_on_purpose", false,
                "Frozen weights were meant to stay untrained, so nobody warns of them."),
        text("weights", "",
             "File to start from: a checkpoint, PyTorch or safetensors file; empty: fresh weights."),
        {.name = "weights_map",
         .type = ParamType::Any,
         .standard = Json::object(),
         .help = "For other names in that file: {\"conv1.weight\": \"features.0.weight\"}, ours first."},
        {.name = "metrics",
         .type = ParamType::TextList,
         .standard = Json::array(),
         .help = "What is measured beside the loss.",
         .choices = metricNames()},
        {.name = "freeze",
         .type = ParamType::TextList,
         .standard = Json::array(),
         .help = "Globs over state names that are not trained: backbone*."},
    };
}

std::vector<ParamSpec> monitorParams(const std::string& prefix)
{
    return {
        text(prefix + ".monitor", "val/loss",
             "Series that decides which state is best: val/loss, val/accuracy, …"),
        choice(prefix + ".mode", {"min", "max"}, "min", "Whether the lowest or the highest value is best.")};
}

} // namespace

const std::vector<ParamSpec>& trainingParams()
{
    static const std::vector<ParamSpec> params = [] {
        std::vector<ParamSpec> all = runParams();
        all.push_back(
            epochOrSteps("checkpoint.every", "When a checkpoint is written: epoch, or a number of steps."));
        all.push_back(integer("checkpoint.keep", 2, "Newest checkpoints that are kept, beside the best.", 0));
        for (const char* prefix : {"checkpoint", "early_stopping"}) {
            const std::vector<ParamSpec> shared = monitorParams(prefix);
            all.insert(all.end(), shared.begin(), shared.end());
        }
        all.push_back(integer("early_stopping.patience", 10,
                              "Validations without improvement before the run ends.", 1));
        all.push_back(
            real("early_stopping.min_delta", 0.0, "Least change that counts as an improvement.", 0));
        return all;
    }();
    return params;
}

const std::vector<ParamSpec>* optimizerParams(const std::string& kind)
{
    return find(optimizers(), kind);
}

const std::vector<ParamSpec>* schedulerParams(const std::string& kind)
{
    return find(schedulers(), kind);
}

const std::vector<ParamSpec>* initializerParams(const std::string& kind)
{
    return find(initializers(), kind);
}

std::vector<std::string> optimizerKinds()
{
    return names(optimizers());
}

std::vector<std::string> schedulerKinds()
{
    return names(schedulers());
}

std::vector<std::string> initializerKinds()
{
    return names(initializers());
}

std::vector<std::string> metricNames()
{
    return {"accuracy", "f1", "mae", "mse", "rmse", "r2"};
}

} // namespace athanor
