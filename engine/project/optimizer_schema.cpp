#include "engine/project/schema_params.h"

namespace athanor {
namespace {

ParamSpec learningRate(double standard)
{
    return live(real("lr", standard, "Learning rate: length of a step, at the start of the schedule.", 0));
}

ParamSpec betas(double first, double second)
{
    return {.name = "betas",
            .type = ParamType::RealList,
            .standard = Json::array({first, second}),
            .help = "How slowly the running means of the gradient and of its square forget, each 0 to below 1.",
            .minimum = 0,
            .maximum = 1,
            .listSize = 2,
            .maximumExcluded = true};
}

ParamSpec eps(double standard)
{
    return real("eps", standard, "Added to the divisor, against division by zero.", 0);
}

ParamSpec weightDecay(double standard = 0)
{
    return live(real("weight_decay", standard, "L2 penalty: this times the weight is added to its gradient.", 0));
}

ParamSpec decoupledDecay(double standard)
{
    return live(real("weight_decay", standard,
                     "Each step shrinks the weights by lr times this, apart from the gradient.", 0));
}

ParamSpec decoupling()
{
    return boolean("decoupled_weight_decay", false, "Shrinks the weights themselves, as AdamW does.");
}

ParamSpec maximize()
{
    return boolean("maximize", false, "Goes uphill instead of downhill.");
}

/// What optimizers have beside PyTorch's parameters.
void addShared(std::vector<ParamSpec>& params)
{
    params.push_back(boolean("decay_bias_and_norm", true,
                             "Whether the weight decay also acts on biases and on the weights of normalizations."));
    params.push_back({.name = "groups",
                      .type = ParamType::Any,
                      .standard = Json::array(),
                      .help = "Other values for some of the weights: a list of {\"match\": glob over state names, "
                              "parameter: value}; the first match counts."});
}

std::vector<ParamSpec> adamParams(ParamSpec decay)
{
    return {learningRate(0.001), betas(0.9, 0.999), eps(1e-8), std::move(decay),
            boolean("amsgrad", false, "Divides by the largest mean square so far instead of the newest."), maximize()};
}

std::vector<ParamSpec> lbfgsParams()
{
    return {
        learningRate(1),
        integer("max_iter", 20, "Iterations of each step, on its batch.", 1),
        nullable(integer("max_eval", nullptr, "Evaluations of the batch in each step; 1.25 max_iter when not set.", 1)),
        real("tolerance_grad", 1e-7, "A step ends when no gradient is larger than this.", 0),
        real("tolerance_change", 1e-9, "A step ends when loss and weights change less than this.", 0),
        integer("history_size", 100, "Updates that are remembered, each with two copies of the weights.", 1),
        nullable(choice("line_search_fn", {"strong_wolfe"}, nullptr,
                        "strong_wolfe searches the length of each iteration; without it, it is lr.")),
    };
}

ParamSpec momentum(std::string help)
{
    return live(real("momentum", 0.0, std::move(help), 0));
}

KindParams makeOptimizers()
{
    KindParams kinds{
        {"SGD",
         {learningRate(0.001), momentum("Share of the last step that is kept, 0 to below 1."),
          real("dampening", 0.0, "Share of the gradient that does not enter the momentum."), weightDecay(),
          boolean("nesterov", false, "Looks ahead along the momentum; needs momentum and no dampening."), maximize()}},
        {"Adam", adamParams(weightDecay())},
        {"AdamW", adamParams(decoupledDecay(0.01))},
        {"RAdam", {learningRate(0.001), betas(0.9, 0.999), eps(1e-8), weightDecay(), decoupling(), maximize()}},
        {"NAdam",
         {learningRate(0.002), betas(0.9, 0.999), eps(1e-8), weightDecay(),
          real("momentum_decay", 0.004, "How fast the momentum grows to its full value.", 0), decoupling(), maximize()}},
        {"Adamax", {learningRate(0.002), betas(0.9, 0.999), eps(1e-8), weightDecay(), maximize()}},
        {"Adagrad",
         {learningRate(0.01), real("lr_decay", 0.0, "The rate of update n is lr / (1 + (n − 1) lr_decay).", 0),
          weightDecay(), real("initial_accumulator_value", 0.0, "Sum of squares to start from.", 0), eps(1e-10),
          maximize()}},
        {"Adadelta",
         {learningRate(1.0), real("rho", 0.9, "How slowly the mean squares forget, 0 to 1.", 0, 1), eps(1e-6),
          weightDecay(), maximize()}},
        {"RMSprop",
         {learningRate(0.01), belowMaximum(real("alpha", 0.99, "How slowly the mean square forgets, 0 to below 1.", 0, 1)),
          eps(1e-8), weightDecay(), momentum("Share of the last step that is kept."),
          boolean("centered", false, "Divides by the deviation of the gradient instead of its root mean square."),
          maximize()}},
        {"LBFGS", lbfgsParams()},
        {"Lion", {learningRate(1e-4), betas(0.9, 0.99), decoupledDecay(0.0), maximize()}},
    };
    for (auto& [kind, params] : kinds)
        if (kind != "LBFGS") // one step over all weights alike, without a decay
            addShared(params);
    return kinds;
}

const KindParams& optimizers()
{
    static const KindParams kinds = makeOptimizers();
    return kinds;
}

} // namespace

const std::vector<ParamSpec>* optimizerParams(const std::string& kind)
{
    return paramsOfKind(optimizers(), kind);
}

std::vector<std::string> optimizerKinds()
{
    return namesOfKinds(optimizers());
}

} // namespace athanor
