#include "engine/project/project.h"

namespace athanor {
namespace {

struct MetricFacts {
    const char* name;
    MetricTask task;
    MonitorMode better;
};

// In the order that lists show them.
constexpr MetricFacts kMetrics[]{
    {"accuracy", MetricTask::Classes, MonitorMode::Max},
    {"top2_accuracy", MetricTask::Classes, MonitorMode::Max},
    {"top3_accuracy", MetricTask::Classes, MonitorMode::Max},
    {"top5_accuracy", MetricTask::Classes, MonitorMode::Max},
    {"top10_accuracy", MetricTask::Classes, MonitorMode::Max},
    {"precision", MetricTask::Classes, MonitorMode::Max},
    {"precision_micro", MetricTask::Classes, MonitorMode::Max},
    {"precision_weighted", MetricTask::Classes, MonitorMode::Max},
    {"recall", MetricTask::Classes, MonitorMode::Max},
    {"recall_micro", MetricTask::Classes, MonitorMode::Max},
    {"recall_weighted", MetricTask::Classes, MonitorMode::Max},
    {"f1", MetricTask::Classes, MonitorMode::Max},
    {"f1_micro", MetricTask::Classes, MonitorMode::Max},
    {"f1_weighted", MetricTask::Classes, MonitorMode::Max},
    {"roc_auc", MetricTask::Classes, MonitorMode::Max},
    {"average_precision", MetricTask::Classes, MonitorMode::Max},
    {"confusion_matrix", MetricTask::Classes, MonitorMode::Max},
    {"cohen_kappa", MetricTask::Classes, MonitorMode::Max},
    {"mcc", MetricTask::Classes, MonitorMode::Max},
    {"ece", MetricTask::Classes, MonitorMode::Min},
    {"perplexity", MetricTask::Classes, MonitorMode::Min},
    {"token_accuracy", MetricTask::Classes, MonitorMode::Max},
    {"iou", MetricTask::Classes, MonitorMode::Max},
    {"dice", MetricTask::Classes, MonitorMode::Max},
    {"mae", MetricTask::Values, MonitorMode::Min},
    {"mse", MetricTask::Values, MonitorMode::Min},
    {"rmse", MetricTask::Values, MonitorMode::Min},
    {"r2", MetricTask::Values, MonitorMode::Max},
    {"mape", MetricTask::Values, MonitorMode::Min},
};

const MetricFacts* findMetric(const std::string& name)
{
    for (const MetricFacts& metric : kMetrics)
        if (name == metric.name)
            return &metric;
    return nullptr;
}

} // namespace

std::vector<std::string> metricNames()
{
    std::vector<std::string> names;
    for (const MetricFacts& metric : kMetrics)
        names.emplace_back(metric.name);
    return names;
}

MetricTask metricTask(const std::string& metric)
{
    const MetricFacts* found = findMetric(metric);
    return found ? found->task : MetricTask::None;
}

MonitorMode naturalMode(const std::string& series)
{
    const MetricFacts* found = findMetric(series.substr(series.rfind('/') + 1));
    return found ? found->better : MonitorMode::Min;
}

} // namespace athanor
