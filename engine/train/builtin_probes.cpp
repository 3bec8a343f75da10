#include "engine/train/probe.h"
#include "engine/train/tensor_statistics.h"

#include <torch/torch.h>

#include <array>
#include <cmath>
#include <optional>

namespace athanor {
namespace {

/// activation/<node>/mean, std, min, max, zeros, non_finite of every node's first output, but not of losses
/// and labels. A single value has no deviation: then std is left out.
class ActivationProbe final : public Probe {
public:
    [[nodiscard]] std::string name() const override { return "activation"; }
    [[nodiscard]] ProbeCost cost() const override { return ProbeCost::Activations; }

    void prepare(const ProbeSetup& setup) override
    {
        m_sink = &setup.sink;
        for (const auto& node : setup.network.nodes()) {
            const bool looked = node.family != NodeFamily::Loss && !node.feedsOnlyTargets;
            m_nodes.push_back({"activation/" + node.id + "/", looked});
        }
    }

    void afterNode(std::size_t index, const torch::Tensor& output, SampleSink& sink) override
    {
        Watched& node = m_nodes[index];
        if (!node.looked || !output.is_floating_point() || output.numel() == 0)
            return;
        if (!node.registered)
            registerSeries(node);
        const auto& series = node.series;
        if (!output.device().is_cpu())
            return sink.put(series, deviceStatistics(output));
        const auto statistics = tensorStatistics(output);
        sink.put(series[0], statistics.mean);
        if (output.numel() > 1)
            sink.put(series[1], statistics.deviation);
        sink.put(series[2], statistics.minimum);
        sink.put(series[3], statistics.maximum);
        sink.put(series[4], statistics.zeros);
        sink.put(series[5], statistics.nonFinite);
    }

private:
    struct Watched {
        std::string prefix;
        bool looked = false;
        bool registered = false; // once its output has shown to be floating point
        std::array<SeriesIndex, 6> series{};
    };

    void registerSeries(Watched& node)
    {
        static constexpr std::array kNames{"mean", "std", "min", "max", "zeros", "non_finite"};
        for (std::size_t i = 0; i < kNames.size(); ++i)
            node.series[i] = m_sink->series(node.prefix + kNames[i], SeriesRole::Probe);
        node.registered = true;
    }

    SampleSink* m_sink = nullptr;
    std::vector<Watched> m_nodes;
};

/// grad_norm and grad_norm/<parameter>: 2-norms before clipping.
class GradientNormProbe final : public Probe {
public:
    [[nodiscard]] std::string name() const override { return "grad_norm"; }
    [[nodiscard]] ProbeCost cost() const override { return ProbeCost::Values; }

    void prepare(const ProbeSetup& setup) override
    {
        m_parameters = &setup.parameters;
        m_total = setup.sink.series("grad_norm", SeriesRole::Probe);
        for (const auto& slot : setup.parameters.slots())
            m_series.push_back(setup.sink.series("grad_norm/" + slot.name, SeriesRole::Probe));
    }

    void afterBackward(const GradientNorms& norms, SampleSink& sink) override
    {
        sink.put(m_total, norms.total);
        for (std::size_t i = 0; i < m_series.size(); ++i)
            if (m_parameters->slots()[i].hasGradient)
                sink.put(m_series[i], std::sqrt(norms.squares[i]));
    }

private:
    const FlatParameters* m_parameters = nullptr;
    SeriesIndex m_total = 0;
    std::vector<SeriesIndex> m_series;
};

/// update_ratio/<parameter> = ‖w_after − w_before‖ / ‖w_before‖. Left out where w_before is all zeros (a
/// BatchNorm's bias at the first step), which no ratio describes.
class UpdateRatioProbe final : public Probe {
public:
    [[nodiscard]] std::string name() const override { return "update_ratio"; }
    [[nodiscard]] ProbeCost cost() const override { return ProbeCost::Parameters; }
    void prepare(const ProbeSetup& setup) override
    {
        m_parameters = &setup.parameters;
        for (const auto& slot : setup.parameters.slots())
            m_series.push_back(setup.sink.series("update_ratio/" + slot.name, SeriesRole::Probe));
    }

    void beforeUpdate() override
    {
        torch::NoGradGuard noGrad;
        if (!m_before.defined())
            m_before = torch::empty_like(m_parameters->values());
        m_before.copy_(m_parameters->values());
    }

    void afterUpdate(SampleSink& sink) override
    {
        if (!m_parameters->onProcessor())
            return putDevice(sink);
        const auto norms = updateNorms(*m_parameters, m_before);
        for (std::size_t i = 0; i < m_series.size(); ++i)
            if (m_parameters->slots()[i].hasGradient && norms.before[i] != 0)
                sink.put(m_series[i], std::sqrt(norms.change[i]) / std::sqrt(norms.before[i]));
    }

private:
    /// Where there is no ratio −1, which the sink leaves out.
    void putDevice(SampleSink& sink) const
    {
        torch::NoGradGuard noGrad;
        const auto squares = updateSquares(*m_parameters, m_before);
        const auto change = squares.select(1, 0);
        const auto before = squares.select(1, 1);
        sink.put(m_series, torch::where(before.ne(0), change.sqrt() / before.sqrt(), -torch::ones_like(before)), false);
    }

    const FlatParameters* m_parameters = nullptr;
    torch::Tensor m_before;
    std::vector<SeriesIndex> m_series;
};

/// bn_running_mean/<node>/<channel> and bn_running_var/<node>/<channel>; of networks with more than
/// kChannels channels, the layers that no longer fit get mean, min and max only.
class BatchNormProbe final : public Probe {
public:
    static constexpr std::int64_t kChannels = 512;

    [[nodiscard]] std::string name() const override { return "batch_norm"; }
    [[nodiscard]] ProbeCost cost() const override { return ProbeCost::Values; }

    void prepare(const ProbeSetup& setup) override
    {
        std::int64_t channels = 0;
        std::string summed;
        for (const auto& node : setup.network.nodes()) {
            auto* module = setup.network.module(node.id);
            if (!module)
                continue;
            const auto buffers = module->named_buffers(false);
            const auto* mean = buffers.find("running_mean");
            const auto* variance = buffers.find("running_var");
            if (!mean || !mean->defined() || !variance)
                continue;
            const bool each = channels + mean->numel() <= kChannels;
            channels += each ? mean->numel() : 0;
            summed += each ? "" : (summed.empty() ? "" : ", ") + node.id;
            add(setup.sink, "bn_running_mean/" + node.id + "/", *mean, each);
            add(setup.sink, "bn_running_var/" + node.id + "/", *variance, each);
        }
        if (!summed.empty())
            setup.note("Running statistics are kept per channel for " + std::to_string(kChannels) +
                       " channels of a network; of these layers only mean, minimum and maximum are: " + summed + ".");
    }

    void afterBackward(const GradientNorms& /*norms*/, SampleSink& sink) override
    {
        torch::NoGradGuard noGrad;
        for (const auto& watched : m_watched) {
            if (!watched.each)
                putSummary(watched, sink);
            else if (watched.values.device().is_cpu())
                putChannels(watched, sink);
            else
                sink.put(watched.series, watched.values);
        }
    }

private:
    struct Watched {
        torch::Tensor values; ///< the buffer itself
        bool each = true;
        std::vector<SeriesIndex> series;
    };

    void add(SampleSink& sink, const std::string& prefix, const torch::Tensor& values, bool each)
    {
        Watched watched{values, each, {}};
        if (each)
            for (std::int64_t channel = 0; channel < values.numel(); ++channel)
                watched.series.push_back(sink.series(prefix + std::to_string(channel), SeriesRole::Probe));
        else
            for (const char* what : {"mean", "min", "max"})
                watched.series.push_back(sink.series(prefix + what, SeriesRole::Probe));
        m_watched.push_back(std::move(watched));
    }

    static void putChannels(const Watched& watched, SampleSink& sink)
    {
        const float* values = watched.values.data_ptr<float>();
        for (std::size_t channel = 0; channel < watched.series.size(); ++channel)
            sink.put(watched.series[channel], values[channel]);
    }

    static void putSummary(const Watched& watched, SampleSink& sink)
    {
        const auto values = watched.values.to(torch::kDouble);
        sink.put(watched.series, torch::stack({values.mean(), values.min(), values.max()}));
    }

    std::vector<Watched> m_watched;
};

} // namespace

std::vector<std::unique_ptr<Probe>> builtinProbes()
{
    std::vector<std::unique_ptr<Probe>> probes;
    probes.push_back(std::make_unique<ActivationProbe>());
    probes.push_back(std::make_unique<GradientNormProbe>());
    probes.push_back(std::make_unique<UpdateRatioProbe>());
    probes.push_back(std::make_unique<BatchNormProbe>());
    return probes;
}

} // namespace athanor
