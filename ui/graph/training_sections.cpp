#include "ui/graph/training_sections.h"

#include <QCoreApplication>

#include <algorithm>

namespace athanor {
namespace {

struct Training {
    Q_DECLARE_TR_FUNCTIONS(athanor::Training)
    static std::string text(const char* source) { return tr(source).toStdString(); }
};

ParamSpec flag(const char* name, bool standard, const QString& help)
{
    return {.name = name, .type = ParamType::Bool, .standard = standard, .help = help.toStdString()};
}

ParamSpec choice(const char* name, std::vector<std::string> choices, const char* standard, const QString& help)
{
    return {.name = name, .type = ParamType::Choice, .standard = standard, .help = help.toStdString(), .choices = std::move(choices)};
}

ParamSpec number(const char* name, ParamType type, Json standard, double minimum, const QString& help)
{
    return {.name = name, .type = type, .standard = std::move(standard), .help = help.toStdString(), .minimum = minimum};
}

ParamSpec limit(const char* name, const QString& help)
{
    ParamSpec spec = number(name, ParamType::Real, nullptr, 0, help);
    spec.minimumExcluded = true;
    spec.allowsNull = true;
    return spec;
}

ParamSpec plain(const char* name, ParamType type, Json standard, const QString& help)
{
    return {.name = name, .type = type, .standard = std::move(standard), .help = help.toStdString()};
}

ParamSpec optional(ParamSpec spec)
{
    spec.allowsNull = true;
    return spec;
}

ParamSpec monitorMode()
{
    return choice("mode", {"min", "max"}, "min", Training::tr("Whether a lower or a higher value of the monitor is better."));
}

ParamSpec monitor()
{
    return plain("monitor", ParamType::Text, "val/loss", Training::tr("The series that is watched, such as val/loss or val/accuracy."));
}

ParamSpec seedSpec()
{
    ParamSpec spec = number("seed", ParamType::Int, 0, 0, Training::tr("Start of all random numbers: weights, order of the samples, dropout. "
                                                                      "The same seed gives the same run."));
    spec.maximum = 9007199254740992.0; // 2^53: beyond it JSON readers lose digits
    return spec;
}

ParamSpec deviceSpec(const std::string& device)
{
    std::vector<std::string> devices{"auto", "cpu", "cuda"};
    if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
        devices.push_back(device);
    }
    return choice("device", std::move(devices), "auto", Training::tr("Where the network is trained; auto takes a GPU when there is one."));
}

ParamSpec metricsSpec()
{
    ParamSpec spec = plain("metrics", ParamType::TextList, Json::array(), Training::tr("Measured at every validation, and on the training batches."));
    spec.choices = metricNames();
    return spec;
}

} // namespace

std::vector<TrainingSection> trainingSections(const std::string& device)
{
    return {
        {"runSection", Training::tr("Run"), "training",
         {seedSpec(), deviceSpec(device),
          choice("precision", {"fp32", "bf16", "fp16"}, "fp32", Training::tr("Number format of the forward pass; the weights stay fp32.")),
          flag("deterministic", true, Training::tr("Only algorithms that give the same result every time."))}},
        {"measuringSection", Training::tr("Measuring"), "training",
         {metricsSpec(), plain("validate_every", ParamType::IntOrText, "epoch", Training::tr("epoch, or a number of steps."))}},
        {"gradientsSection", Training::tr("Gradients"), "training",
         {limit("clip_grad_norm", Training::tr("Scales the gradient down when its norm is larger.")),
          limit("clip_grad_value", Training::tr("Cuts each number of the gradient to this size.")),
          number("accumulate", ParamType::Int, 1, 1, Training::tr("Batches whose gradients are summed up for one step.")),
          choice("on_non_finite", {"pause", "stop", "skip", "continue"}, "pause",
                 Training::tr("What happens when the loss or a gradient is NaN or infinite; only continue applies such a step."))}},
        {"weightsSection", Training::tr("Weights"), "training",
         {optional(plain("weights", ParamType::Path, nullptr, Training::tr("File to start from; none: fresh weights."))),
          plain("freeze", ParamType::TextList, Json::array(), Training::tr("Weights that do not change, as patterns over their names: backbone*, conv1.weight.")),
          flag("frozen_on_purpose", false, Training::tr("Frozen weights that were never trained are meant to be so."))},
         false},
        {"checkpointSection", Training::tr("Checkpoints"), "training/checkpoint",
         {plain("every", ParamType::IntOrText, "epoch", Training::tr("epoch, or a number of steps.")),
          number("keep", ParamType::Int, 2, 0, Training::tr("How many of the newest are kept, beside the best.")), monitor(), monitorMode()},
         false},
        {"earlyStoppingSection", Training::tr("Early stopping"), "training/early_stopping",
         {monitor(), monitorMode(),
          number("patience", ParamType::Int, 10, 1, Training::tr("Validations without improvement after which the run ends.")),
          number("min_delta", ParamType::Real, 0.0, 0, Training::tr("Smaller changes are no improvement."))},
         false},
    };
}

Json trainingJson(const TrainSpec& training)
{
    Project project;
    project.training = training;
    return Json::parse(projectText(project)).at("training");
}

Json withKind(const Json& old, const std::string& kind, const std::vector<ParamSpec>* specs)
{
    Json result{{"kind", kind}};
    for (const auto& [name, value] : old.items()) {
        const bool known = specs && std::any_of(specs->begin(), specs->end(), [&](const ParamSpec& spec) { return spec.name == name; });
        if (known || name == "groups" || name == "interval") {
            result[name] = value;
        }
    }
    return result;
}

} // namespace athanor
