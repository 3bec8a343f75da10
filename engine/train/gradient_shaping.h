// Session thread. What is done to a step's gradients between the backward pass and the update: clipping, noise.
#pragma once

#include "engine/project/train_spec.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/sample_sink.h"

#include <cstdint>
#include <optional>

namespace athanor {

class GradientShaping {
public:
    /// Registers clip/norm and clip/value where they are set.
    GradientShaping(const TrainSpec& spec, SampleSink& sink);

    /// From the next step on.
    void setClipping(std::optional<double> norm, std::optional<double> value);

    /// torch.nn.utils.clip_grad_norm_, then clip_grad_value_, then noise that depends on (seed, step) alone. `norm` is
    /// that of all gradients. Puts clip/norm, the share of the length that was cut off (0: nothing), and clip/value,
    /// the share of entries that were.
    void apply(FlatParameters& parameters, double norm, std::int64_t step);

    /// Clipping alone, without a word, for further evaluations within a step.
    void clip(FlatParameters& parameters, double norm);

private:
    void registerSeries();
    void addNoise(FlatParameters& parameters, std::int64_t step) const;

    SampleSink& m_sink;
    std::uint64_t m_seed;
    std::optional<double> m_norm;
    std::optional<double> m_value;
    std::optional<GradNoiseSpec> m_noise;
    std::optional<SeriesIndex> m_normSeries;
    std::optional<SeriesIndex> m_valueSeries;
};

} // namespace athanor
