#include "engine/train/schedule.h"

#include "engine/project/project.h"
#include "engine/train/kind_params.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace athanor {
namespace {

/// Milestones that are reached; one that is listed twice counts twice, as in PyTorch.
std::int64_t milestonesReached(const Json& params, std::int64_t done)
{
    std::int64_t reached = 0;
    const auto found = params.find("milestones");
    if (found != params.end() && found->is_array())
        for (const auto& milestone : *found)
            reached += milestone.get<std::int64_t>() <= done ? 1 : 0;
    return reached;
}

double linearFactor(const Json& params, std::int64_t done)
{
    const double start = realParam(params, "start_factor", 1.0 / 3);
    const double end = realParam(params, "end_factor", 1);
    const auto length = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "total_iters", 5)));
    return start + (end - start) * std::min(length, static_cast<double>(done)) / length;
}

double scheduledRate(const KindSpec& scheduler, double base, std::int64_t done)
{
    const Json& params = scheduler.params;
    const double gamma = realParam(params, "gamma", 0.1);
    if (scheduler.kind == "StepLR")
        return base * std::pow(gamma, done / std::max<std::int64_t>(1, intParam(params, "step_size", 1)));
    if (scheduler.kind == "MultiStepLR")
        return base * std::pow(gamma, milestonesReached(params, done));
    if (scheduler.kind == "ExponentialLR")
        return base * std::pow(gamma, done);
    if (scheduler.kind == "LinearLR")
        return base * linearFactor(params, done);
    if (scheduler.kind == "ConstantLR")
        return done < intParam(params, "total_iters", 5) ? base * realParam(params, "factor", 1.0 / 3) : base;
    // CosineAnnealingLR
    const double least = realParam(params, "eta_min", 0);
    const auto half = static_cast<double>(std::max<std::int64_t>(1, intParam(params, "T_max", 1)));
    return least + (base - least) * (1 + std::cos(std::numbers::pi * static_cast<double>(done) / half)) / 2;
}

std::optional<std::int64_t> lengthOf(const KindSpec& scheduler)
{
    if (scheduler.kind == "CosineAnnealingLR")
        return intParam(scheduler.params, "T_max", 1);
    if (scheduler.kind == "LinearLR" || scheduler.kind == "ConstantLR")
        return intParam(scheduler.params, "total_iters", 5);
    return std::nullopt;
}

bool isKnown(const std::string& kind)
{
    static constexpr const char* kKinds[] = {"StepLR",   "MultiStepLR", "ExponentialLR",
                                             "LinearLR", "ConstantLR",  "CosineAnnealingLR"};
    return std::ranges::find(kKinds, kind) != std::end(kKinds);
}

} // namespace

Result<Schedule> Schedule::make(const std::vector<SchedulerSpec>& specs)
{
    Schedule schedule;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const auto& written = specs[i].scheduler;
        std::string where = "training/scheduler";
        if (specs.size() > 1)
            where.append("/").append(std::to_string(i));
        if (!isKnown(written.kind))
            return Error{ErrorCode::InvalidArgument, "There is no scheduler called " + written.kind + ".",
                         where + "/kind", "StepLR and CosineAnnealingLR are the usual ones."};
        const auto* params = schedulerParams(written.kind);
        const KindSpec complete{written.kind, params ? completeParams(*params, written.params) : written.params};
        Stage stage{complete, specs[i].interval, lengthOf(complete)};
        if (!stage.length && i + 1 < specs.size())
            return Error{ErrorCode::InvalidArgument, written.kind + " has no end, so nothing can follow it.", where,
                         "Put it last; before it go LinearLR, ConstantLR and CosineAnnealingLR."};
        schedule.m_stages.push_back(std::move(stage));
    }
    return schedule;
}

void Schedule::advance(ScheduleInterval interval)
{
    if (m_stages.empty() || m_stages[m_stage].interval != interval)
        return;
    const double before = scheduled(1);
    ++m_done;
    const auto& stage = m_stages[m_stage];
    if (m_stage + 1 < m_stages.size() && m_done >= *stage.length) {
        ++m_stage;
        m_done = 0;
    }
    if (scheduled(1) != before)
        m_override.reset();
}

double Schedule::scheduled(double base) const
{
    return m_stages.empty() ? base : scheduledRate(m_stages[m_stage].scheduler, base, m_done);
}

double Schedule::rate(double base) const
{
    return m_override ? *m_override : m_scale * scheduled(base);
}

void Schedule::setRate(double base, double value)
{
    m_override.reset();
    const double unscaled = scheduled(base);
    if (unscaled != 0 && std::isfinite(value / unscaled))
        m_scale = value / unscaled;
    else
        m_override = value;
}

Json Schedule::state() const
{
    return {{"stage", m_stage},
            {"done", m_done},
            {"scale", m_scale},
            {"override", m_override ? Json(*m_override) : Json(nullptr)}};
}

void Schedule::restore(const Json& state)
{
    if (m_stages.empty())
        m_stage = 0;
    else
        m_stage = std::min<std::size_t>(static_cast<std::size_t>(intParam(state, "stage")), m_stages.size() - 1);
    m_done = intParam(state, "done");
    m_scale = realParam(state, "scale", 1);
    m_override.reset();
    if (state.contains("override") && state["override"].is_number())
        m_override = state["override"].get<double>();
}

} // namespace athanor
