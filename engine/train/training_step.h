// Session thread. One optimizer step: forward, backward, measuring, clipping, update.
#pragma once

#include "engine/project/train_spec.h"
#include "engine/train/buffer_snapshot.h"
#include "engine/train/compiled_network.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/grad_scaler.h"
#include "engine/train/gradient_shaping.h"
#include "engine/train/metrics.h"
#include "engine/train/optimizer.h"
#include "engine/train/probe.h"
#include "engine/train/sample_sink.h"

#include <memory>
#include <optional>
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
    bool overflowed = false; ///< the scaled gradients did: not applied, and no matter of the policy
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
    /// Forward and backward of one batch on the device, which counts `share` of the step (accumulated steps: its share
    /// of the samples; losses that are sums count in full). Activations are measured on the `last` batch of the step.
    /// Throws what LibTorch throws.
    void addBatch(const DataBatch& batch, double share, bool last);
    /// When the shares did not add up to 1: what the means must still be multiplied with.
    void correctShares(double factor);
    /// Measures, and updates the parameters at these rates (one per group) unless something is not finite and
    /// the policy is not Continue: then parameters, optimizer state and buffers are as before the step.
    StepOutcome finish(const std::vector<double>& rates);
    /// Leaves a step that was begun: buffers are as before it.
    void abandon();

    /// Live changes, from the next step on.
    void setClipping(std::optional<double> norm, std::optional<double> value) { m_shaping.setClipping(norm, value); }

    /// nullptr without a scaled loss.
    [[nodiscard]] GradScaler* scaler() { return m_scaler ? &*m_scaler : nullptr; }

private:
    /// A batch that an optimizer which evaluates will see again.
    struct KeptBatch {
        DataBatch batch;
        double share = 1;
    };

    [[nodiscard]] torch::Tensor shareOf(const ForwardPass& pass, double share) const;
    void backward(const torch::Tensor& loss) const;
    void putLosses(StepOutcome& outcome);
    GradientNorms collectNorms(StepOutcome& outcome);
    void judge(const GradientNorms& norms, StepOutcome& outcome) const;
    void putScale(bool overflowed);
    double evaluateAgain();
    void update(const std::vector<double>& rates, StepOutcome& outcome);

    StepParts m_parts;
    TrainSpec m_spec;
    torch::Device m_device;
    GradientShaping m_shaping;
    std::optional<GradScaler> m_scaler;
    bool m_hasSums = false; // some loss is a sum over the batch
    std::int64_t m_number = 0;
    SeriesIndex m_lossSeries = 0;
    std::vector<SeriesIndex> m_nodeLossSeries; // of several losses
    std::vector<SeriesIndex> m_rateSeries;
    SeriesIndex m_scaleSeries = 0;
    SeriesIndex m_skippedSeries = 0;
    std::vector<NamedMetric> m_metrics;
    std::vector<SeriesIndex> m_metricSeries;
    torch::Tensor m_loss;                  // of the step so far, detached, on the device
    std::vector<torch::Tensor> m_nodeLosses;
    std::vector<KeptBatch> m_kept;
};

} // namespace athanor
