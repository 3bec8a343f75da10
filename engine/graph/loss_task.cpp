#include "engine/graph/loss_task.h"

#include <map>

namespace athanor {

LossTask lossTask(const std::string& kind, const Json& params)
{
    static const std::map<std::string, LossTask> kTasks{
        {"CrossEntropyLoss", LossTask::Classes}, {"NLLLoss", LossTask::Classes},
        {"BCELoss", LossTask::Binary},           {"BCEWithLogitsLoss", LossTask::Binary},
        {"MSELoss", LossTask::Values},           {"L1Loss", LossTask::Values},
        {"SmoothL1Loss", LossTask::Values},      {"HuberLoss", LossTask::Values},
        {"GaussianNLLLoss", LossTask::Values},
    };
    // Logarithms of counts cannot be compared with counts.
    if (kind == "PoissonNLLLoss" && params.is_object() && params.value("log_input", Json(true)) == false)
        return LossTask::Values;
    const auto found = kTasks.find(kind);
    return found == kTasks.end() ? LossTask::Other : found->second;
}

} // namespace athanor
