#include "engine/train/schedule.h"

#include "engine/project/project.h"
#include "engine/train/kind_params.h"

#include <algorithm>
#include <cmath>

namespace athanor {

Result<Schedule> Schedule::make(const std::vector<SchedulerSpec>& specs, const RunLength& length)
{
    Schedule schedule;
    schedule.m_length = length;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        std::string where = "training/scheduler";
        if (specs.size() > 1)
            where.append("/").append(std::to_string(i));
        auto scheduler = Scheduler::make(specs[i].scheduler);
        if (!scheduler.ok()) {
            Error error = scheduler.error();
            error.code = ErrorCode::InvalidArgument;
            error.where = where + "/" + error.where;
            return error;
        }
        const auto own = specs[i].duration ? specs[i].duration : scheduler->length();
        if (!own && i + 1 < specs.size())
            return Error{ErrorCode::InvalidArgument,
                         specs[i].scheduler.kind + " has no end, so nothing can follow it.", where,
                         "Give it a duration, or put it last."};
        schedule.m_stages.push_back({std::move(*scheduler), specs[i].interval, own});
    }
    return schedule;
}

void Schedule::stepDone()
{
    const double before = scheduled(1);
    ++m_steps;
    advance(ScheduleInterval::Step);
    forgetOverride(before);
}

void Schedule::epochDone()
{
    const double before = scheduled(1);
    ++m_epochs;
    advance(ScheduleInterval::Epoch);
    forgetOverride(before);
}

void Schedule::advance(ScheduleInterval interval)
{
    if (m_stages.empty() || m_stages[m_stage].interval != interval)
        return;
    ++m_done;
    const auto& stage = m_stages[m_stage];
    if (m_stage + 1 < m_stages.size() && m_done >= *stage.length) {
        ++m_stage;
        m_done = 0;
        m_plateau = {};
    }
}

void Schedule::forgetOverride(double before)
{
    if (scheduled(1) != before)
        m_override.reset();
}

std::string Schedule::watched() const
{
    if (m_stages.empty() || m_stages[m_stage].scheduler.spec.kind != "ReduceLROnPlateau")
        return {};
    return textParam(m_stages[m_stage].scheduler.spec.params, "monitor", "val/loss");
}

bool Schedule::isBetter(double value) const
{
    if (std::isnan(value))
        return false;
    if (!m_plateau.best)
        return std::isfinite(value);
    const Json& params = m_stages[m_stage].scheduler.spec.params;
    const double best = *m_plateau.best;
    const double threshold = realParam(params, "threshold", 1e-4);
    const bool relative = textParam(params, "threshold_mode", "rel") == "rel";
    if (textParam(params, "mode", "min") == "min")
        return value < (relative ? best * (1 - threshold) : best - threshold);
    return value > (relative ? best * (threshold + 1) : best + threshold);
}

void Schedule::observe(const std::string& series, double value)
{
    if (series != watched() || series.empty())
        return;
    const double before = scheduled(1);
    const Json& params = m_stages[m_stage].scheduler.spec.params;
    if (isBetter(value)) {
        m_plateau.best = value;
        m_plateau.bad = 0;
    } else {
        ++m_plateau.bad;
    }
    if (m_plateau.cooldown > 0) {
        --m_plateau.cooldown;
        m_plateau.bad = 0;
    }
    if (m_plateau.bad > intParam(params, "patience", 10)) {
        ++m_plateau.reductions;
        m_plateau.cooldown = intParam(params, "cooldown");
        m_plateau.bad = 0;
    }
    forgetOverride(before);
}

ScheduleMoment Schedule::moment() const
{
    return {m_done, m_steps, m_epochs, m_plateau.reductions, m_length};
}

double Schedule::scheduled(double base) const
{
    return m_stages.empty() ? base : m_stages[m_stage].scheduler.rate(base, moment());
}

double Schedule::rate(double base) const
{
    return m_override ? *m_override : m_scale * scheduled(base);
}

std::optional<double> Schedule::momentum() const
{
    return m_stages.empty() ? std::nullopt : m_stages[m_stage].scheduler.momentum(moment());
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
            {"steps", m_steps},
            {"epochs", m_epochs},
            {"scale", m_scale},
            {"plateau",
             {{"best", m_plateau.best ? Json(*m_plateau.best) : Json(nullptr)},
              {"bad", m_plateau.bad},
              {"cooldown", m_plateau.cooldown},
              {"reductions", m_plateau.reductions}}},
            {"override", m_override ? Json(*m_override) : Json(nullptr)}};
}

void Schedule::restore(const Json& state)
{
    if (m_stages.empty())
        m_stage = 0;
    else
        m_stage = std::min<std::size_t>(static_cast<std::size_t>(intParam(state, "stage")), m_stages.size() - 1);
    m_done = intParam(state, "done");
    m_steps = intParam(state, "steps");
    m_epochs = intParam(state, "epochs");
    m_scale = realParam(state, "scale", 1);
    m_override.reset();
    if (state.contains("override") && state["override"].is_number())
        m_override = state["override"].get<double>();
    m_plateau = {};
    const Json plateau = state.value("plateau", Json::object());
    if (plateau.contains("best") && plateau["best"].is_number())
        m_plateau.best = plateau["best"].get<double>();
    m_plateau.bad = intParam(plateau, "bad");
    m_plateau.cooldown = intParam(plateau, "cooldown");
    m_plateau.reductions = intParam(plateau, "reductions");
}

Result<ScheduleCurve> previewSchedule(const TrainSpec& spec, std::int64_t stepsPerEpoch, std::int64_t steps,
                                      std::size_t points)
{
    const std::int64_t perEpoch = std::max<std::int64_t>(1, stepsPerEpoch);
    auto schedule = Schedule::make(spec.schedulers, {steps, (steps + perEpoch - 1) / perEpoch});
    if (!schedule.ok())
        return schedule.error();
    const auto* params = optimizerParams(spec.optimizer.kind);
    const double base = realParam(params ? completeParams(*params, spec.optimizer.params) : spec.optimizer.params, "lr");
    ScheduleCurve curve;
    const auto last = static_cast<double>(std::max<std::int64_t>(1, steps - 1));
    const auto intervals = static_cast<double>(std::max<std::size_t>(2, points) - 1);
    double next = 0; // of the points
    for (std::int64_t step = 0; step < steps; ++step) {
        if (static_cast<double>(step) * intervals >= next * last || step + 1 == steps) {
            curve.steps.push_back(step + 1);
            curve.rates.push_back(schedule->rate(base));
            if (const auto momentum = schedule->momentum())
                curve.momenta.push_back(*momentum);
            next = std::floor(static_cast<double>(step) * intervals / last) + 1;
        }
        schedule->stepDone();
        if ((step + 1) % perEpoch == 0)
            schedule->epochDone();
    }
    if (curve.momenta.size() != curve.steps.size())
        curve.momenta.clear();
    return curve;
}

} // namespace athanor
