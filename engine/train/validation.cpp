#include "engine/train/validation.h"

#include "engine/train/autocast.h"
#include "engine/train/device_batch.h"
#include "engine/train/torch_errors.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace athanor {

Validation::Validation(CompiledNetwork& network, DataPipeline& data, SampleSink& sink, const TrainSpec& spec,
                       torch::Device device)
    : m_network(network)
    , m_data(data)
    , m_sink(sink)
    , m_precision(spec.precision)
    , m_device(device)
    , m_metrics(makeMetrics(spec.metrics, network.lossNodes()))
{
    m_lossSeries = sink.series("val/loss", SeriesRole::Essential);
    if (network.lossNodes().size() > 1)
        for (const auto& loss : network.lossNodes())
            m_nodeLossSeries.push_back(sink.series("val/loss/" + loss.id, SeriesRole::Essential));
    for (const auto& metric : m_metrics)
        m_metricSeries.push_back(sink.series("val/" + metric.name, SeriesRole::Essential));
}

Status Validation::run(std::int64_t epoch, std::stop_token stop, const std::function<bool()>& between)
{
    m_losses.assign(1 + m_nodeLossSeries.size(), 0);
    m_samples = 0;
    for (auto& metric : m_metrics)
        metric.metric->reset();
    m_network.module().eval();
    Status status = behindWall("validation", [&]() -> Status { return collect(epoch, std::move(stop), between); });
    m_network.module().train();
    if (!status.ok() || m_samples == 0)
        return status;
    m_summary.clear();
    put("val/loss", m_lossSeries, m_losses.front() / static_cast<double>(m_samples));
    for (std::size_t i = 0; i < m_nodeLossSeries.size(); ++i)
        m_sink.putEssential(m_nodeLossSeries[i], m_losses[i + 1] / static_cast<double>(m_samples));
    for (std::size_t i = 0; i < m_metrics.size(); ++i)
        put("val/" + m_metrics[i].name, m_metricSeries[i], m_metrics[i].metric->value().item<double>());
    return status;
}

Status Validation::collect(std::int64_t epoch, std::stop_token stop, const std::function<bool()>& between)
{
    torch::NoGradGuard noGrad;
    const auto reader = m_data.read(DataPart::Val, epoch);
    while (true) {
        if (!between())
            return Error{ErrorCode::Cancelled, "The validation was stopped."};
        auto batch = reader->next(stop);
        if (!batch.ok())
            return batch.error();
        if (!batch.value())
            return Done{};
        addBatch(onDevice(**batch, m_device));
    }
}

void Validation::addBatch(const DataBatch& batch)
{
    const AutocastScope autocast(m_precision, m_device);
    const auto pass = m_network.forward(batch);
    const auto samples = static_cast<double>(batch.size());
    m_losses.front() += pass.loss.item<double>() * samples;
    for (std::size_t i = 0; i < m_nodeLossSeries.size(); ++i)
        m_losses[i + 1] += pass.outputs[i].value.item<double>() * samples;
    m_samples += batch.size();
    for (auto& metric : m_metrics)
        metric.metric->add(pass.outputs[metric.loss]);
}

void Validation::put(const std::string& name, SeriesIndex series, double value)
{
    m_sink.putEssential(series, value);
    m_summary += fmt::format("{}{} {:.4g}", m_summary.empty() ? "" : ", ", name, value);
}

} // namespace athanor
