// Optimizer and schedule as they are written, held against what they must do to the weights.
#include "engine/doctor/patient.h"
#include "engine/doctor/thresholds.h"
#include "engine/train/schedule.h"

#include <algorithm>
#include <cmath>

namespace athanor {
namespace {

void judgeDecay(const Patient& patient, Findings& findings)
{
    const std::string& kind = patient.project.training.optimizer.kind;
    const double decay = optimizerNumber(patient.project, "weight_decay");
    const double rate = optimizerNumber(patient.project, "lr");
    const double momentum = kind == "SGD" ? optimizerNumber(patient.project, "momentum") : 0;
    const bool decoupled = kind == "AdamW" || kind == "Lion";
    const bool adaptive = isAdaptive(patient.project) && !decoupled;
    const double perStep = rate * decay / std::max(1e-6, 1 - momentum);
    const double limit = adaptive ? limits::kAdamDecay : limits::kDecayPerStep;
    const double measured = adaptive ? decay : perStep;
    if (!(measured > limit))
        return;
    Finding finding = makeFinding(
        "optimization/weight-decay-too-high", Severity::Error, {},
        adaptive ? "weight_decay " + shortNumber(decay) + " outweighs the gradients that " + kind + " brings to one size."
                 : "weight_decay " + shortNumber(decay) + " with lr " + shortNumber(rate) +
                       (momentum > 0 ? " and momentum " + shortNumber(momentum) : "") + " takes " +
                       shortNumber(100 * perStep) + " % of every weight away at each step.",
        "Decay pulls the weights towards 0 whatever the data says. Here it wins: the weights shrink until the network puts "
        "out the same for every sample. 1e-4 is a usual value.");
    finding.series = "update_ratio";
    finding.evidence = {{"weight_decay", decay}, {"lr", rate}, {"momentum", momentum}, {"measured", measured}, {"limit", limit}};
    finding.fixes = {{"Set weight_decay to 1e-4", {"training.optimizer.weight_decay=0.0001"}}};
    findings.push_back(std::move(finding));
}

void judgeSchedule(const Patient& patient, Findings& findings)
{
    const TrainSpec& spec = patient.project.training;
    if (spec.schedulers.empty() || patient.totalSteps < limits::kFirstSteps || patient.data.batchesPerEpoch == 0)
        return;
    const std::int64_t perEpoch = std::max<std::int64_t>(1, patient.data.batchesPerEpoch / std::max(1, spec.accumulate));
    const auto curve = previewSchedule(spec, perEpoch, patient.totalSteps);
    if (!curve || curve->rates.empty())
        return;
    std::vector<double> rates = curve->rates;
    const double highest = *std::max_element(rates.begin(), rates.end());
    const auto collapsed = std::find_if(rates.begin(), rates.end(),
                                        [&](double rate) { return rate < limits::kScheduleFall * highest; });
    const auto step = collapsed == rates.end() ? 0 : curve->steps[static_cast<std::size_t>(collapsed - rates.begin())];
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::nth_element(rates.begin(), middle, rates.end());
    if (!(highest > 0) || *middle >= limits::kScheduleFall * highest)
        return;
    Finding finding = makeFinding(
        "optimization/schedule-collapses-lr", Severity::Error, {},
        "The schedule (" + spec.schedulers.front().scheduler.kind + ") brings the learning rate from " + shortNumber(highest) +
            " to a thousandth of it by step " + std::to_string(step) + " of " + std::to_string(patient.totalSteps) + ".",
        "With a rate near 0 nothing is learnt any more. Often a schedule that is meant for epochs is advanced at every step.");
    finding.series = "lr";
    finding.firstStep = step;
    finding.lastStep = patient.totalSteps;
    finding.evidence = {{"highest", highest}, {"median", *middle}, {"limit", limits::kScheduleFall}};
    for (std::size_t i = 0; i < spec.schedulers.size(); ++i)
        if (spec.schedulers[i].interval == ScheduleInterval::Step && spec.schedulers.size() == 1)
            finding.fixes.push_back({"Advance the schedule once an epoch", {"training.scheduler.interval=epoch"}, {}});
    finding.fixes.push_back({"Leave the schedule out", {"training.scheduler=null"}, {}});
    findings.push_back(std::move(finding));
}

void judgeMomentum(const Patient& patient, Findings& findings)
{
    const double momentum = optimizerNumber(patient.project, "momentum");
    if (patient.project.training.optimizer.kind != "SGD" || momentum <= limits::kMomentum)
        return;
    Finding finding = makeFinding("optimization/momentum-too-high", Severity::Warning, {},
                                  "momentum " + shortNumber(momentum) + " makes each gradient count " +
                                      shortNumber(1 / std::max(1e-6, 1 - momentum)) + " times over.",
                                  "The step that is really taken is lr / (1 − momentum). Close to 1 it overshoots and swings for "
                                  "many steps. 0.9 is a usual value.");
    finding.evidence = {{"momentum", momentum}, {"limit", limits::kMomentum}};
    finding.fixes = {{"Set momentum to 0.9", {"training.optimizer.momentum=0.9"}, {}}};
    findings.push_back(std::move(finding));
}

} // namespace

void judgeOptimizer(const Patient& patient, Findings& findings)
{
    judgeDecay(patient, findings);
    judgeSchedule(patient, findings);
    judgeMomentum(patient, findings);
}

void judgeTime(const Patient& patient, Findings& findings)
{
    for (const TimeGradients& times : patient.times) {
        if (times.norms.size() < 2)
            continue;
        const double first = times.norms.front();
        const double highest = *std::max_element(times.norms.begin(), times.norms.end());
        const double last = times.norms.back();
        const bool vanishes = highest > 0 && first < limits::kTimeFall * highest;
        const bool explodes = last > 0 && first > limits::kTimeRise * last;
        if (!vanishes && !explodes)
            continue;
        const double ratio = vanishes ? first / highest : first / last;
        Finding finding = makeFinding(
            vanishes ? "model/recurrent-vanishing-gradient" : "model/recurrent-exploding-gradient", Severity::Error, times.node,
            "The gradient of the loss by the first of " + std::to_string(times.norms.size()) + " time steps of " + times.node +
                " is " + shortNumber(ratio) + " times that by the " + (vanishes ? "strongest" : "last") + ".",
            vanishes ? "Each step back in time multiplies the gradient with the recurrent weights and the activation's slope. "
                       "What happened early cannot be learnt from. The gradients of the weights look sound all the while, "
                       "because the last steps feed them."
                     : "Each step back in time multiplies the gradient with the recurrent weights: here it grows without bound.");
        finding.evidence = {{"ratio", ratio}, {"time_steps", static_cast<double>(times.norms.size())},
                            {"limit", vanishes ? limits::kTimeFall : limits::kTimeRise}};
        if (vanishes)
            finding.fixes = {{"Make " + times.node + " an LSTM, whose memory passes gradients on", {"network." + times.node + ".kind=LSTM"}, {}}};
        else
            finding.fixes = {{"Limit the norm of the gradient", {"training.clip_grad_norm=1"}, {}}};
        if (!patient.project.training.init.empty())
            finding.fixes.push_back({"Leave the initial weights to the layer's own defaults", {"training.init=[]"}, {}});
        findings.push_back(std::move(finding));
    }
}

} // namespace athanor
