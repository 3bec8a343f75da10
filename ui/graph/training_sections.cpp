#include "ui/graph/training_sections.h"

#include <QCoreApplication>

#include <algorithm>

namespace athanor {
namespace {

struct Training {
    Q_DECLARE_TR_FUNCTIONS(athanor::Training)
};

/// Settings by name, each taken once.
class SettingPool {
public:
    SettingPool()
    {
        for (const ParamSpec& spec : trainingParams()) {
            m_left.push_back(spec);
        }
        take("", {"epochs", "steps"});
    }
    std::vector<ParamSpec> take(const std::string& prefix, const std::vector<std::string>& names)
    {
        std::vector<ParamSpec> taken;
        for (const std::string& name : names) {
            const std::string full = prefix.empty() ? name : prefix + "." + name;
            const auto found = std::find_if(m_left.begin(), m_left.end(), [&](const ParamSpec& spec) { return spec.name == full; });
            if (found != m_left.end()) {
                taken.push_back(*found);
                taken.back().name = name;
                m_left.erase(found);
            }
        }
        return taken;
    }
    std::vector<ParamSpec> rest() { return std::move(m_left); }

private:
    std::vector<ParamSpec> m_left;
};

} // namespace

std::vector<TrainingSection> trainingSections()
{
    SettingPool pool;
    std::vector<TrainingSection> sections{
        {"runSection", Training::tr("Run"), "", pool.take("", {"seed", "device", "precision", "deterministic", "time_limit"})},
        {"measuringSection", Training::tr("Measuring"), "", pool.take("", {"metrics", "validate_every"})},
        {"gradientsSection", Training::tr("Gradients"), "",
         pool.take("", {"clip_grad_norm", "clip_grad_value", "accumulate", "on_non_finite"})},
        {"weightsSection", Training::tr("Weights"), "", pool.take("", {"weights", "weights_map", "freeze", "frozen_on_purpose"}), false},
        {"checkpointSection", Training::tr("Checkpoints"), "checkpoint",
         pool.take("checkpoint", {"every", "keep", "monitor", "mode", "on_error"}), false},
        {"earlyStoppingSection", Training::tr("Early stopping"), "early_stopping",
         pool.take("early_stopping", {"monitor", "mode", "patience", "min_delta", "restore_best"}), false,
         Training::tr("Stop when nothing improves any more"), "stopsEarly"},
        {"averagingSection", Training::tr("Averaged weights"), "averaging",
         pool.take("averaging", {"kind", "decay", "start", "every", "use_buffers"}), false, Training::tr("Average the weights beside the training"),
         "averages"},
        {"scalerSection", Training::tr("Gradient scaler"), "grad_scaler",
         pool.take("grad_scaler", {"init_scale", "growth_factor", "backoff_factor", "growth_interval"}), false,
         Training::tr("Scale the loss (fp16 always does)"), "scales"},
        {"noiseSection", Training::tr("Gradient noise"), "grad_noise", pool.take("grad_noise", {"eta", "gamma"}), false,
         Training::tr("Add noise to the gradients"), "addsNoise"},
    };
    // What the engine learns later is not lost: it shows below, until it has a better place.
    if (std::vector<ParamSpec> rest = pool.rest(); !rest.empty()) {
        sections.push_back({"moreSection", Training::tr("More"), "", std::move(rest), false});
    }
    return sections;
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
        if (known || name == "interval") {
            result[name] = value;
        }
    }
    return result;
}

} // namespace athanor
