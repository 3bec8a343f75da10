#include "engine/diagnose/diagnosis_engine.h"

#include "engine/diagnose/rule.h"

#include <algorithm>
#include <utility>

namespace athanor {
namespace {

// Rules in the order of likeliness when severity and step do not tell.
std::vector<std::unique_ptr<Rule>> builtinRules()
{
    std::vector<std::unique_ptr<Rule>> rules;
    rules.push_back(makeLossRule());
    rules.push_back(makeDataBoundRule());
    rules.push_back(makeProbesDroppedRule());
    return rules;
}

} // namespace

DiagnosisEngine::DiagnosisEngine() : m_rules(builtinRules()) {}
DiagnosisEngine::~DiagnosisEngine() = default;

void DiagnosisEngine::addSeries(const SeriesInfo& info)
{
    const std::lock_guard lock(m_mutex);
    const auto index = static_cast<SeriesIndex>(m_listeners.size());
    std::vector<Rule*> readers;
    for (const auto& rule : m_rules) {
        if (rule->reads(index, info))
            readers.push_back(rule.get());
    }
    m_listeners.push_back(std::move(readers));
}

void DiagnosisEngine::addSamples(std::span<const Sample> samples)
{
    const std::lock_guard lock(m_mutex);
    for (const Sample& sample : samples) {
        if (sample.series >= m_listeners.size())
            continue;
        for (Rule* rule : m_listeners[sample.series])
            rule->sample(sample);
    }
}

void DiagnosisEngine::addEvent(const Event& event)
{
    const std::lock_guard lock(m_mutex);
    for (const auto& rule : m_rules)
        rule->event(event);
}

void DiagnosisEngine::addDroppedProbes(std::uint64_t count, std::int64_t step)
{
    if (count == 0)
        return;
    const std::lock_guard lock(m_mutex);
    for (const auto& rule : m_rules)
        rule->droppedProbes(count, step);
}

std::vector<Finding> DiagnosisEngine::findings() const
{
    std::vector<Finding> out;
    {
        const std::lock_guard lock(m_mutex);
        for (const auto& rule : m_rules) {
            if (auto finding = rule->finding())
                out.push_back(std::move(*finding));
        }
    }
    // A cause comes before what it causes, so among equally severe findings the earliest stands first.
    std::stable_sort(out.begin(), out.end(), [](const Finding& a, const Finding& b) {
        return a.severity != b.severity ? a.severity > b.severity : a.firstStep < b.firstStep;
    });
    return out;
}

} // namespace athanor
