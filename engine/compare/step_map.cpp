#include "engine/compare/step_map.h"

#include <algorithm>

namespace athanor {
namespace {

struct Knots {
    std::vector<double> steps{0};
    std::vector<double> values{0};

    /// Only what goes on in both directions is kept: a clock that was set back tells nothing.
    void add(double step, double value)
    {
        if (step == steps.back() && value >= values.back())
            values.back() = value;
        else if (step > steps.back() && value >= values.back()) {
            steps.push_back(step);
            values.push_back(value);
        }
    }
};

Knots epochKnots(const RunInfo& run, std::span<const Event> events)
{
    Knots knots;
    double epochs = 0;
    for (const Event& event : events)
        if (event.kind == EventKind::EpochEnded && static_cast<double>(event.step) > knots.steps.back())
            knots.add(static_cast<double>(event.step), ++epochs);
    if (run.epochs > epochs)
        knots.add(static_cast<double>(run.steps), run.epochs);
    return knots;
}

Knots timeKnots(const RunInfo& run, std::span<const Event> events)
{
    Knots wall;
    for (const Event& event : events)
        if (event.step > 0)
            wall.add(static_cast<double>(event.step),
                     static_cast<double>(event.wallMilliseconds - run.startedMs) / 1000);
    // The run counts its own seconds without pauses; the events' clock tells how they spread over the steps.
    const double end = wall.values.back();
    if (run.seconds > 0 && end > run.seconds)
        for (double& value : wall.values)
            value *= run.seconds / end;
    if (run.steps > 0)
        wall.add(static_cast<double>(run.steps), run.seconds);
    return wall;
}

} // namespace

StepMap StepMap::make(CurveAxis axis, const RunInfo& run, std::span<const Event> events)
{
    StepMap map;
    if (axis == CurveAxis::Step)
        return map;
    Knots knots = axis == CurveAxis::Epoch ? epochKnots(run, events) : timeKnots(run, events);
    if (knots.steps.size() == 1) { // nothing is known: all of it is at the start
        knots.steps.push_back(1);
        knots.values.push_back(0);
    }
    map.m_steps = std::move(knots.steps);
    map.m_values = std::move(knots.values);
    return map;
}

double StepMap::at(std::int64_t step) const
{
    const auto x = static_cast<double>(step);
    if (m_steps.empty())
        return x;
    // Beyond the last knot the last stretch goes on.
    auto next = std::upper_bound(m_steps.begin(), m_steps.end(), x);
    if (next == m_steps.end())
        --next;
    if (next == m_steps.begin())
        ++next;
    const auto i = static_cast<std::size_t>(next - m_steps.begin());
    const double share = (x - m_steps[i - 1]) / (m_steps[i] - m_steps[i - 1]);
    return m_values[i - 1] + share * (m_values[i] - m_values[i - 1]);
}

Curve StepMap::curve(const SeriesPoints& points) const
{
    Curve curve;
    curve.y = points.values;
    curve.x.reserve(points.steps.size());
    for (const std::int64_t step : points.steps)
        curve.x.push_back(at(step));
    return curve;
}

} // namespace athanor
