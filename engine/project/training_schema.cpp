#include "engine/project/schema_params.h"

namespace athanor {
namespace {

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

const KindParams& initializers()
{
    static const KindParams kinds{
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
        {"eye", {}},
        {"dirac", {integer("groups", 1, "Groups of the convolution: each keeps its own channels.", 1)}},
        {"sparse",
         {required(real("sparsity", {}, "Share of zeros in each column.", 0, 1)),
          real("std", 0.01, "Standard deviation of the others.", 0)}},
        {"trunc_normal",
         {real("mean", 0.0, "Mean."), real("std", 1.0, "Standard deviation.", 0),
          real("a", -2.0, "Nothing lies below this."), real("b", 2.0, "Nothing lies above this.")}},
    };
    return kinds;
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
        {.name = "autocast_exclude",
         .type = ParamType::TextList,
         .standard = Json::array(),
         .help = "Globs over nodes that compute in fp32 whatever the precision: head*."},
        live(nullable(positive(real("clip_grad_norm", nullptr,
                                    "Longest gradient, over all weights together; a longer one is shortened.")))),
        live(nullable(positive(
            real("clip_grad_value", nullptr, "Largest entry of a gradient; a larger one is cut off.")))),
        epochOrSteps("validate_every", "When the validation part is evaluated: epoch, or a number of steps."),
        choice("on_non_finite", {"pause", "stop", "skip", "continue"}, "pause",
               "What happens when the loss or a gradient is not finite."),
        nullable(positive(real("time_limit", nullptr, "Seconds of running after which the run ends, without pauses."))),
        nullable(whole64("hash_every", nullptr,
                         "Steps between two fingerprints of the weights, which prove that a repeated run is the same.", 1)),
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
        live({.name = "freeze",
              .type = ParamType::TextList,
              .standard = Json::array(),
              .help = "Globs over state names that are not trained: backbone*."}),
    };
}

std::vector<ParamSpec> monitorParams(const std::string& prefix)
{
    return {
        text(prefix + ".monitor", "val/loss",
             "Series that decides which state is best: val/loss, val/accuracy, …"),
        choice(prefix + ".mode", {"min", "max"}, "min", "Whether the lowest or the highest value is best.")};
}

std::vector<ParamSpec> earlyStoppingParams()
{
    return {integer("early_stopping.patience", 10, "Validations without improvement before the run ends.", 1),
            real("early_stopping.min_delta", 0.0, "Least change that counts as an improvement.", 0),
            boolean("early_stopping.restore_best", false,
                    "The run ends with the weights of its best validation, whatever ended it.")};
}

std::vector<ParamSpec> averagingParams()
{
    return {
        choice("averaging.kind", {"ema", "swa"}, "ema",
               "ema: an average that forgets slowly; swa: the plain mean of all weights since the start."),
        belowMaximum(real("averaging.decay", 0.999, "ema: share of the average that stays at each update.", 0, 1)),
        whole64("averaging.start", 0, "Steps before the first update of the average.", 0),
        {.name = "averaging.every",
         .type = ParamType::IntOrText,
         .standard = nullptr,
         .help = "When the average is updated: epoch, or a number of steps; without it 1 for ema, epoch for swa.",
         .minimum = 1,
         .choices = {"epoch"},
         .allowsNull = true},
        boolean("averaging.use_buffers", false,
                "Averages BatchNorm's statistics too, instead of taking the network's newest."),
    };
}

std::vector<ParamSpec> gradientParams()
{
    return {
        positive(real("grad_scaler.init_scale", 65536.0, "Factor of the loss at the start.")),
        {.name = "grad_scaler.growth_factor",
         .type = ParamType::Real,
         .standard = 2.0,
         .help = "The factor grows by this after growth_interval steps without an overflow.",
         .minimum = 1,
         .minimumExcluded = true},
        belowMaximum(positive(real("grad_scaler.backoff_factor", 0.5, "The factor shrinks by this after an overflow.", 0, 1))),
        integer("grad_scaler.growth_interval", 2000, "Steps without an overflow before the factor grows.", 1),
        positive(real("grad_noise.eta", 0.01, "Variance of the noise on the gradients before the first step.")),
        real("grad_noise.gamma", 0.55, "How fast it fades: the variance is eta / (1 + step)^gamma.", 0),
    };
}

void append(std::vector<ParamSpec>& all, std::vector<ParamSpec> more)
{
    for (ParamSpec& spec : more)
        all.push_back(std::move(spec));
}

} // namespace

const std::vector<ParamSpec>& trainingParams()
{
    static const std::vector<ParamSpec> params = [] {
        std::vector<ParamSpec> all = runParams();
        all.push_back(
            epochOrSteps("checkpoint.every", "When a checkpoint is written: epoch, or a number of steps."));
        all.push_back(integer("checkpoint.keep", 2, "Newest checkpoints that are kept, beside the best.", 0));
        all.push_back(choice("checkpoint.on_error", {"stop", "continue"}, "stop",
                             "What happens to the run when a checkpoint cannot be written."));
        for (const char* prefix : {"checkpoint", "early_stopping"})
            append(all, monitorParams(prefix));
        append(all, earlyStoppingParams());
        append(all, averagingParams());
        append(all, gradientParams());
        return all;
    }();
    return params;
}

const std::vector<ParamSpec>* initializerParams(const std::string& kind)
{
    return paramsOfKind(initializers(), kind);
}

std::vector<std::string> initializerKinds()
{
    return namesOfKinds(initializers());
}

} // namespace athanor
