// Session thread. A second set of weights: the running average of a run's.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/project/train_spec.h"
#include "engine/train/compiled_network.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/interval.h"

#include <map>
#include <string>
#include <vector>

namespace athanor {

/// torch.optim.swa_utils.AveragedModel: the first update copies the weights; later ones take the mean of all
/// (SWA), or leave `decay` of the average and add the rest (EMA). Buffers are averaged with use_buffers, where they are
/// numbers; else the average has the network's newest.
class WeightAverage {
public:
    /// Both outlive it. `parameters` are those of `network` that are trained; frozen ones are their own average.
    WeightAverage(const AveragingSpec& spec, FlatParameters& parameters, CompiledNetwork& network);

    /// "ema" or "swa": the part of its series' names.
    [[nodiscard]] std::string name() const;
    /// Whether there is an average yet.
    [[nodiscard]] bool started() const { return m_count > 0; }
    [[nodiscard]] std::int64_t count() const { return m_count; } ///< updates so far

    /// Updates the average when it is due.
    void stepDone(std::int64_t step);
    void epochDone(std::int64_t step);

    /// The network computes with the average as long as this lives.
    class InUse {
    public:
        explicit InUse(WeightAverage& average);
        ~InUse();
        InUse(const InUse&) = delete;
        InUse& operator=(const InUse&) = delete;

    private:
        WeightAverage& m_average;
    };

    /// The averaged state by state name, with what is not averaged. Copies; empty before the first update.
    [[nodiscard]] std::map<std::string, torch::Tensor> state();
    /// Takes up `count` updates whose result is `state`; NotFound when a tensor is missing or of another shape.
    Status restore(const std::map<std::string, torch::Tensor>& state, std::int64_t count);

private:
    void update();
    void blend(torch::Tensor& average, const torch::Tensor& newest) const;
    void exchange();

    AveragingSpec m_spec;
    Interval m_every;
    FlatParameters& m_parameters;
    CompiledNetwork& m_network;
    std::int64_t m_count = 0;
    torch::Tensor m_values; ///< as FlatParameters::values()
    std::vector<torch::Tensor> m_averagedBuffers; ///< of the network, floating point
    std::vector<torch::Tensor> m_bufferAverages;
};

} // namespace athanor
