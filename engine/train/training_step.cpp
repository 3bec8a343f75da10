#include "engine/train/training_step.h"

#include "engine/train/autocast.h"

#include <torch/torch.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace athanor {
namespace {

std::string spelled(double value)
{
    if (std::isnan(value))
        return "NaN";
    return value > 0 ? "infinite" : "minus infinity";
}

torch::Tensor sumOf(const torch::Tensor& sum, const torch::Tensor& more)
{
    return sum.defined() ? sum + more : more;
}

} // namespace

std::vector<NamedMetric> makeMetrics(const std::vector<std::string>& names, const std::vector<LossNode>& losses)
{
    std::vector<NamedMetric> metrics;
    std::set<std::string> taken;
    for (const auto& name : names)
        for (std::size_t i = 0; i < losses.size(); ++i) {
            auto metric = makeMetric(name, losses[i]);
            if (!metric)
                continue;
            const std::string full = taken.contains(name) ? name + "/" + losses[i].id : name;
            if (taken.insert(full).second) // a name that is written twice is measured once
                metrics.push_back({full, i, std::move(metric)});
        }
    return metrics;
}

TrainingStep::TrainingStep(const StepParts& parts, const TrainSpec& spec, torch::Device device)
    : m_parts(parts)
    , m_spec(spec)
    , m_device(device)
{
    SampleSink& sink = m_parts.sink;
    m_lossSeries = sink.series("train/loss", SeriesRole::Essential);
    const auto& losses = m_parts.network.lossNodes();
    if (losses.size() > 1)
        for (const auto& loss : losses)
            m_nodeLossSeries.push_back(sink.series("train/loss/" + loss.id, SeriesRole::Essential));
    std::vector<std::string> cheap;
    std::ranges::copy_if(m_spec.metrics, std::back_inserter(cheap), isStepMetric);
    m_metrics = makeMetrics(cheap, losses);
    for (const auto& metric : m_metrics)
        m_metricSeries.push_back(sink.series("train/" + metric.name, SeriesRole::Essential));
    for (const auto& group : m_parts.optimizer.groups())
        m_rateSeries.push_back(
            sink.series(group.match.empty() ? "lr" : "lr/" + group.match, SeriesRole::Essential));
}

void TrainingStep::begin(std::int64_t step)
{
    m_parts.sink.beginStep(step);
    m_parts.parameters.zeroGradients();
    if (m_spec.onNonFinite != NonFinitePolicy::Continue)
        m_parts.buffers.take();
    m_loss = torch::Tensor();
    m_nodeLosses.assign(m_nodeLossSeries.size(), {});
    for (auto& metric : m_metrics)
        metric.metric->reset();
}

void TrainingStep::addBatch(const DataBatch& batch, double share, bool last)
{
    ForwardPass pass;
    {
        const AutocastScope autocast(m_spec.precision, m_device);
        pass = m_parts.network.forward(batch, last && !m_parts.probes.empty() ? &m_parts.probes : nullptr);
    }
    const auto weighted = share == 1 ? pass.loss : pass.loss * share;
    weighted.backward();
    m_loss = sumOf(m_loss, weighted.detach());
    torch::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_nodeLosses.size(); ++i)
        m_nodeLosses[i] = sumOf(m_nodeLosses[i], pass.outputs[i].value.detach() * share);
    for (auto& metric : m_metrics)
        metric.metric->add(pass.outputs[metric.loss]);
}

StepOutcome TrainingStep::finish(const std::vector<double>& rates)
{
    m_parts.parameters.noteGradients();
    StepOutcome outcome;
    putLosses(outcome);
    for (std::size_t i = 0; i < rates.size(); ++i)
        m_parts.sink.putEssential(m_rateSeries[i], rates[i]);
    const GradientNorms norms = collectNorms(outcome);
    m_parts.probes.afterBackward(norms);
    judge(norms, outcome);
    outcome.applied = outcome.finite || m_spec.onNonFinite == NonFinitePolicy::Continue;
    if (!outcome.applied) {
        abandon();
        return outcome;
    }
    clip(norms.total);
    m_parts.probes.beforeUpdate();
    m_parts.optimizer.step(rates);
    m_parts.probes.afterUpdate();
    return outcome;
}

void TrainingStep::abandon()
{
    if (m_spec.onNonFinite != NonFinitePolicy::Continue)
        m_parts.buffers.restore();
}

void TrainingStep::putLosses(StepOutcome& outcome)
{
    SampleSink& sink = m_parts.sink;
    sink.putEssential(m_lossSeries, m_loss);
    for (std::size_t i = 0; i < m_nodeLosses.size(); ++i)
        sink.putEssential(m_nodeLossSeries[i], m_nodeLosses[i]);
    for (std::size_t i = 0; i < m_metrics.size(); ++i)
        sink.putEssential(m_metricSeries[i], m_metrics[i].metric->value());
    if (m_loss.device().is_cpu())
        outcome.loss = m_loss.item<double>();
}

/// Elsewhere than in the processor's memory, loss and norms come with the step's one transfer.
GradientNorms TrainingStep::collectNorms(StepOutcome& outcome)
{
    if (m_parts.parameters.onProcessor())
        return gradientNorms(m_parts.parameters);
    torch::NoGradGuard noGrad;
    const auto loss = m_loss.to(torch::kDouble).flatten();
    auto values = m_parts.sink.transfer(torch::cat({loss, gradientSquares(m_parts.parameters)}));
    outcome.loss = values.front();
    values.erase(values.begin());
    return GradientNorms::of(std::move(values));
}

void TrainingStep::judge(const GradientNorms& norms, StepOutcome& outcome) const
{
    const bool lossFinite = std::isfinite(outcome.loss);
    outcome.finite = lossFinite && norms.finite;
    if (outcome.finite)
        return;
    const auto& slots = m_parts.parameters.slots();
    const auto isBad = [](double squares) { return !std::isfinite(squares); };
    const auto first = static_cast<std::size_t>(std::ranges::find_if(norms.squares, isBad) - norms.squares.begin());
    const auto count = std::ranges::count_if(norms.squares, isBad);
    const std::string gradients = count == 0   ? ""
                                  : count == 1 ? "the gradient of " + slots[first].name + " is not finite"
                                               : std::to_string(count) + " gradients are not finite, the first is that of " +
                                                     slots[first].name;
    if (lossFinite) {
        outcome.culprit = slots[first].name;
        outcome.complaint = gradients;
        outcome.complaint.front() = static_cast<char>(std::toupper(outcome.complaint.front()));
    } else {
        outcome.culprit = "train/loss";
        outcome.complaint = "The loss is " + spelled(outcome.loss) + (count > 0 ? ", and " + gradients : "");
    }
}

/// torch.nn.utils.clip_grad_norm_, then clip_grad_value_.
void TrainingStep::clip(double totalNorm)
{
    torch::NoGradGuard noGrad;
    const auto& gradients = m_parts.parameters.gradients();
    if (m_spec.clipGradNorm) {
        const double factor = *m_spec.clipGradNorm / (totalNorm + 1e-6);
        if (factor < 1)
            gradients.mul_(factor);
    }
    if (m_spec.clipGradValue)
        gradients.clamp_(-*m_spec.clipGradValue, *m_spec.clipGradValue);
}

} // namespace athanor
