#include "engine/train/validation.h"

#include "engine/train/autocast.h"
#include "engine/train/device_batch.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace athanor {

Validation::Validation(CompiledNetwork& network, DataPipeline& data, SampleSink& sink, const TrainSpec& spec,
                       torch::Device device, std::string prefix)
    : m_network(network)
    , m_data(data)
    , m_sink(sink)
    , m_precision(spec.precision)
    , m_device(device)
    , m_metrics(makeMetrics(spec.metrics, network.lossNodes()))
    , m_prefix(std::move(prefix))
{
    m_lossSeries = sink.series(m_prefix + "loss", SeriesRole::Essential);
    if (network.lossNodes().size() > 1)
        for (const auto& loss : network.lossNodes())
            m_nodeLossSeries.push_back(sink.series(m_prefix + "loss/" + loss.id, SeriesRole::Essential));
    for (const auto& metric : m_metrics)
        m_metricSeries.push_back(metric.metric->value().defined() ? sink.series(m_prefix + metric.name, SeriesRole::Essential)
                                                                  : SeriesIndex(0));
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
    return status;
}

std::string Validation::put()
{
    std::string summary;
    if (m_samples == 0)
        return summary;
    put("loss", m_lossSeries, m_losses.front() / static_cast<double>(m_samples), summary);
    for (std::size_t i = 0; i < m_nodeLossSeries.size(); ++i)
        m_sink.putEssential(m_nodeLossSeries[i], m_losses[i + 1] / static_cast<double>(m_samples));
    m_reports.clear();
    for (std::size_t i = 0; i < m_metrics.size(); ++i)
        if (const auto value = m_metrics[i].metric->value(); value.defined())
            put(m_metrics[i].name, m_metricSeries[i], value.item<double>(), summary);
        else
            m_reports.emplace_back(m_prefix + m_metrics[i].name, m_metrics[i].metric->report());
    return summary;
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

void Validation::put(const std::string& name, SeriesIndex series, double value, std::string& summary)
{
    m_sink.putEssential(series, value);
    summary += fmt::format("{}{}{} {:.4g}", summary.empty() ? "" : ", ", m_prefix, name, value);
}

} // namespace athanor
