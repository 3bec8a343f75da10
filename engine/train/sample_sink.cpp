#include "engine/train/sample_sink.h"

#include <torch/torch.h>

namespace athanor {

SeriesIndex SampleSink::series(const std::string& name, SeriesRole role, const std::string& unit)
{
    const SeriesIndex index = m_stream.series({name, unit, role});
    if (role == SeriesRole::Essential)
        m_indices[name] = index;
    return index;
}

void SampleSink::putEssential(SeriesIndex series, double value)
{
    m_latest[series] = value;
    put(series, value);
}

void SampleSink::putEssential(SeriesIndex series, const torch::Tensor& value)
{
    take({{series}, m_step, value.detach().to(torch::kDouble).flatten(), true, true});
}

void SampleSink::put(std::span<const SeriesIndex> series, const torch::Tensor& values, bool keepNegative)
{
    take({{series.begin(), series.end()}, m_step, values.detach().to(torch::kDouble).flatten(), keepNegative});
}

void SampleSink::take(Waiting waiting)
{
    if (waiting.values.device().is_cpu())
        push(waiting, waiting.values.contiguous().data_ptr<double>());
    else
        m_waiting.push_back(std::move(waiting));
}

std::vector<double> SampleSink::transfer(const torch::Tensor& more)
{
    if (m_waiting.empty() && !more.defined())
        return {};
    std::vector<torch::Tensor> parts;
    for (const auto& waiting : m_waiting)
        parts.push_back(waiting.values);
    if (more.defined())
        parts.push_back(more);
    const auto fetched = torch::cat(parts).cpu();
    const auto* values = fetched.data_ptr<double>();
    for (const auto& waiting : m_waiting) {
        push(waiting, values);
        values += waiting.series.size();
    }
    m_waiting.clear();
    return more.defined() ? std::vector<double>(values, values + more.numel()) : std::vector<double>{};
}

void SampleSink::push(const Waiting& waiting, const double* values)
{
    for (std::size_t i = 0; i < waiting.series.size(); ++i) {
        if (!waiting.keepNegative && values[i] < 0)
            continue;
        m_stream.push(waiting.series[i], waiting.step, values[i]);
        if (waiting.essential)
            m_latest[waiting.series[i]] = values[i];
    }
}

void SampleSink::commit()
{
    m_stream.commitStep();
}

std::optional<double> SampleSink::latest(const std::string& name) const
{
    const auto index = m_indices.find(name);
    if (index == m_indices.end())
        return std::nullopt;
    const auto value = m_latest.find(index->second);
    return value == m_latest.end() ? std::nullopt : std::optional(value->second);
}

} // namespace athanor
