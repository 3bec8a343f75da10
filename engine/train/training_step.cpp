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
    , m_shaping(spec, parts.sink)
{
    SampleSink& sink = m_parts.sink;
    m_lossSeries = sink.series("train/loss", SeriesRole::Essential);
    const auto& losses = m_parts.network.lossNodes();
    if (losses.size() > 1)
        for (const auto& loss : losses)
            m_nodeLossSeries.push_back(sink.series("train/loss/" + loss.id, SeriesRole::Essential));
    m_hasSums = std::ranges::any_of(losses, &LossNode::sums);
    if (spec.gradScaler || spec.precision == Precision::Fp16) {
        m_scaler.emplace(spec.gradScaler.value_or(GradScalerSpec()));
        m_scaleSeries = sink.series("scaler/scale", SeriesRole::Essential);
        m_skippedSeries = sink.series("scaler/skipped", SeriesRole::Essential);
    }
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
    m_number = step;
    m_kept.clear();
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
    const auto weighted = shareOf(pass, share);
    backward(weighted);
    if (m_parts.optimizer.evaluates())
        m_kept.push_back({batch, share});
    m_loss = sumOf(m_loss, weighted.detach());
    torch::NoGradGuard noGrad;
    for (std::size_t i = 0; i < m_nodeLosses.size(); ++i)
        m_nodeLosses[i] = sumOf(m_nodeLosses[i], pass.outputs[i].value.detach() *
                                                     (m_parts.network.lossNodes()[i].sums ? 1.0 : share));
    for (auto& metric : m_metrics)
        metric.metric->add(pass.outputs[metric.loss]);
}

/// The total loss of a batch as it counts in the step's.
torch::Tensor TrainingStep::shareOf(const ForwardPass& pass, double share) const
{
    if (share == 1)
        return pass.loss;
    if (!m_hasSums)
        return pass.loss * share;
    torch::Tensor total;
    for (std::size_t i = 0; i < pass.outputs.size(); ++i) {
        const LossNode& node = m_parts.network.lossNodes()[i];
        total = sumOf(total, pass.outputs[i].value * (node.weight * (node.sums ? 1.0 : share)));
    }
    return total;
}

void TrainingStep::backward(const torch::Tensor& loss) const
{
    if (m_scaler)
        (loss * m_scaler->scale()).backward();
    else
        loss.backward();
}

void TrainingStep::correctShares(double factor)
{
    torch::NoGradGuard noGrad;
    m_parts.parameters.gradients().mul_(factor);
    m_loss = m_loss * factor;
    for (auto& loss : m_nodeLosses)
        loss = loss * factor;
    for (auto& kept : m_kept)
        kept.share *= factor;
}

StepOutcome TrainingStep::finish(const std::vector<double>& rates)
{
    m_parts.parameters.noteGradients();
    StepOutcome outcome;
    putLosses(outcome);
    for (std::size_t i = 0; i < rates.size(); ++i)
        m_parts.sink.putEssential(m_rateSeries[i], rates[i]);
    if (m_scaler) {
        torch::NoGradGuard noGrad;
        m_parts.parameters.gradients().mul_(1 / m_scaler->scale());
    }
    const GradientNorms norms = collectNorms(outcome);
    m_parts.probes.afterBackward(norms);
    outcome.overflowed =
        m_scaler && std::isfinite(outcome.loss) && !norms.finite && m_scaler->explainsOverflow();
    if (!outcome.overflowed)
        judge(norms, outcome);
    outcome.applied = !outcome.overflowed && (outcome.finite || m_spec.onNonFinite == NonFinitePolicy::Continue);
    if (outcome.applied) {
        m_shaping.apply(m_parts.parameters, norms.total, m_number);
        m_parts.probes.beforeUpdate();
        update(rates, outcome);
    }
    if (outcome.applied)
        m_parts.probes.afterUpdate();
    else
        abandon();
    if (m_scaler)
        putScale(!norms.finite);
    m_kept.clear();
    return outcome;
}

void TrainingStep::update(const std::vector<double>& rates, StepOutcome& outcome)
{
    if (!m_parts.optimizer.evaluates())
        return m_parts.optimizer.step(rates);
    if (m_parts.optimizer.stepEvaluating(rates.front(), outcome.loss, [this] { return evaluateAgain(); }) ||
        !outcome.finite)
        return;
    outcome.applied = outcome.finite = false;
    outcome.culprit = "train/loss";
    outcome.complaint = "The loss or a gradient is not finite where the optimizer looked";
}

/// Loss and gradients of the step's batches at other parameters.
double TrainingStep::evaluateAgain()
{
    const torch::AutoGradMode withGradients(true);
    m_parts.parameters.zeroGradients();
    double total = 0;
    for (const auto& kept : m_kept) {
        ForwardPass pass;
        {
            const AutocastScope autocast(m_spec.precision, m_device);
            pass = m_parts.network.forward(kept.batch);
        }
        const auto loss = shareOf(pass, kept.share);
        loss.backward();
        total += loss.item<double>();
    }
    m_parts.parameters.noteGradients();
    if (m_spec.clipGradNorm || m_spec.clipGradValue)
        m_shaping.clip(m_parts.parameters, m_parts.parameters.gradients().norm().item<double>());
    return total;
}

/// The scale that this step was computed with.
void TrainingStep::putScale(bool overflowed)
{
    m_parts.sink.putEssential(m_scaleSeries, m_scaler->scale());
    m_scaler->update(overflowed);
    m_parts.sink.putEssential(m_skippedSeries, static_cast<double>(m_scaler->skipped()));
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

} // namespace athanor
