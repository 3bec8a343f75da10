// Session thread. One optimizer step: forward, backward, measuring, clipping, update.
#pragma once

#include "engine/project/train_spec.h"
#include "engine/train/buffer_snapshot.h"
#include "engine/train/compiled_network.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/metrics.h"
#include "engine/train/optimizer.h"
#include "engine/train/probe.h"
#include "engine/train/sample_sink.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

/// Metrics of a part, by the ends of their series' names: "accuracy", "accuracy/<loss>" of further losses.
struct NamedMetric {
    std::string name;
    std::size_t loss = 0; ///< index of the loss node
    std::unique_ptr<Metric> metric;
};
/// What `metrics` asks for, for every loss it fits. The first loss gets the plain name.
std::vector<NamedMetric> makeMetrics(const std::vector<std::string>& names, const std::vector<LossNode>& losses);

struct StepOutcome {
    double loss = 0;
    bool finite = true;    ///< loss and all gradients
    bool applied = true;   ///< the parameters were updated
    std::string culprit;   ///< not finite: "train/loss", or the first parameter with such a gradient
    std::string complaint; ///< for a person: what was not finite
};

/// Everything that a step works on; outlives it.
struct StepParts {
    CompiledNetwork& network;
    FlatParameters& parameters;
    BufferSnapshot& buffers;
    Optimizer& optimizer;
    ProbeSet& probes;
    SampleSink& sink;
};

class TrainingStep {
public:
    /// Registers train/loss (and train/loss/<node> of several), the step metrics, lr (and lr/<match> of groups).
    TrainingStep(const StepParts& parts, const TrainSpec& spec, torch::Device device);

    /// Starts step number `step`.
    void begin(std::int64_t step);
    /// Forward and backward of one batch on the device, which counts `share` of the step (accumulated steps:
    /// 1/n). Activations are measured on the `last` batch of the step. Throws what LibTorch throws.
    void addBatch(const DataBatch& batch, double share, bool last);
    /// Measures, and updates the parameters at these rates (one per group) unless something is not finite and
    /// the policy is not Continue: then parameters, optimizer state and buffers are as before the step.
    StepOutcome finish(const std::vector<double>& rates);
    /// Leaves a step that was begun: buffers are as before it.
    void abandon();

private:
    void putLosses(StepOutcome& outcome);
    GradientNorms collectNorms(StepOutcome& outcome);
    void judge(const GradientNorms& norms, StepOutcome& outcome) const;
    void clip(double totalNorm);

    StepParts m_parts;
    TrainSpec m_spec;
    torch::Device m_device;
    SeriesIndex m_lossSeries = 0;
    std::vector<SeriesIndex> m_nodeLossSeries; // of several losses
    std::vector<SeriesIndex> m_rateSeries;
    std::vector<NamedMetric> m_metrics;
    std::vector<SeriesIndex> m_metricSeries;
    torch::Tensor m_loss;                  // of the step so far, detached, on the device
    std::vector<torch::Tensor> m_nodeLosses;
};

} // namespace athanor
