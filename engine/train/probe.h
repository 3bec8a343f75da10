// Session thread. Probes: measurements of a live training that change nothing of it – no result, no mode, no
// gradient, no random number.
#pragma once

#include "engine/train/compiled_network.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/sample_sink.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace athanor {

/// What a probe costs in each step, for the one who decides which run.
enum class ProbeCost {
    Values,      ///< reads numbers that are there anyway
    Parameters,  ///< copies and reads every parameter once
    Activations, ///< reads every activation once, right after it was computed
};

/// What a probe may look at while it gets ready.
struct ProbeSetup {
    CompiledNetwork& network;
    const FlatParameters& parameters;
    SampleSink& sink;
    std::function<void(const std::string&)> note; ///< says something to the user, once
};

class Probe {
public:
    virtual ~Probe() = default;
    [[nodiscard]] virtual std::string name() const = 0;
    [[nodiscard]] virtual ProbeCost cost() const = 0;

    /// Registers the series; before the first step.
    virtual void prepare(const ProbeSetup& setup) = 0;
    /// The output of a node in the last forward pass of the step. The tensor may be used during the call only.
    virtual void afterNode(std::size_t /*node*/, const torch::Tensor& /*output*/, SampleSink& /*sink*/) {}
    /// After the last backward pass, before clipping.
    virtual void afterBackward(const GradientNorms& /*norms*/, SampleSink& /*sink*/) {}
    /// Before and after the optimizer; not called when the step is withheld.
    virtual void beforeUpdate() {}
    virtual void afterUpdate(SampleSink& /*sink*/) {}
};

/// Activations, gradient norms, update ratios, BatchNorm's running statistics.
std::vector<std::unique_ptr<Probe>> builtinProbes();

/// The probes of a run, with the time they take.
class ProbeSet : public NodeObserver {
public:
    ProbeSet(std::vector<std::unique_ptr<Probe>> probes, SampleSink& sink);

    /// Registers all series; before the first step.
    void prepare(const ProbeSetup& setup);

    [[nodiscard]] bool empty() const { return m_probes.empty(); }
    void afterNode(std::size_t node, const torch::Tensor& output) override;
    void afterBackward(const GradientNorms& norms);
    void beforeUpdate();
    void afterUpdate();

    /// Time spent in probes since the last call.
    std::chrono::nanoseconds takeDuration();

private:
    template <typename Call>
    void each(Call call);

    std::vector<std::unique_ptr<Probe>> m_probes;
    SampleSink& m_sink;
    std::chrono::nanoseconds m_duration{0};
};

} // namespace athanor
