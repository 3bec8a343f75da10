#include "engine/data/transform_chain.h"

#include <algorithm>
#include <chrono>

namespace athanor {

namespace {

bool isInput(const FieldLayout& field)
{
    return field.element != Element::Int64 && field.name != "target";
}

} // namespace

Error atNode(Error error, const std::string& node)
{
    if (!error.where.starts_with("data/"))
        error.where = dataPlace(node, error.where);
    return error;
}

std::vector<std::size_t> TransformChain::inputFields() const
{
    for (const char* name : {"image", "features"})
        for (std::size_t field = 0; field < m_layouts.size(); ++field)
            if (m_layouts[field].name == name && isInput(m_layouts[field]))
                return {field};
    std::vector<std::size_t> fields;
    for (std::size_t field = 0; field < m_layouts.size(); ++field)
        if (isInput(m_layouts[field]))
            fields.push_back(field);
    return fields;
}

std::vector<std::size_t> TransformChain::fieldsFor(const Transform& transform) const
{
    if (!transform.isForLabels())
        return inputFields();
    std::vector<std::size_t> fields;
    for (std::size_t field = 0; field < m_layouts.size(); ++field) {
        if (m_layouts[field].element != Element::Int64)
            continue;
        if (m_layouts[field].name == "label")
            return {field};
        if (m_layouts[field].classes > 0)
            fields.push_back(field);
    }
    return fields;
}

Status TransformChain::append(const std::vector<TransformPtr>& transforms, const StepOrigin& origin)
{
    const std::vector<std::size_t> fields = transforms.empty() ? inputFields() : fieldsFor(*transforms[0]);
    if (fields.empty() && !transforms.empty() && transforms[0]->isForLabels())
        return atNode(invalid("There is no label to work on", "It works on classes, not on numbers"), origin.node);
    if (fields.empty())
        return atNode(
            invalid("There is no field of numbers to work on",
                    "Transforms work on image, features, and other fields that are no label or target"),
            origin.node);
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (const Status status = appendTo(fields[i], transforms[i], origin); !status)
            return status;
    return Done{};
}

Status TransformChain::appendTo(std::size_t field, const TransformPtr& transform, const StepOrigin& origin)
{
    if (!transform->appliesTo(m_layouts[field]))
        return Done{};
    Result<FieldLayout> output = transform->outputLayout(m_layouts[field]);
    if (!output)
        return atNode(output.error(), origin.node);
    const TransformPtr own = transform->forField(m_layouts[field]);
    m_steps[field].push_back({origin, own ? own : transform, m_layouts[field]});
    m_layouts[field] = std::move(*output);
    return Done{};
}

Status TransformChain::finish()
{
    m_appended = m_steps;
    m_appendedLayouts = m_layouts;
    for (std::size_t field = 0; field < m_layouts.size(); ++field) {
        if (const Status status = appendTo(field, makeToFloat(1), {}); !status)
            return status;
        if (const Status status = foldBytes(m_steps[field]); !status)
            return status;
        m_fixed.push_back(countFixed(m_steps[field]));
    }
    return Done{};
}

Status TransformChain::foldBytes(std::vector<Step>& steps)
{
    const auto first = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
        return step.input.element == Element::UInt8 && step.transform->isElementwise();
    });
    const auto last =
        std::find_if(first, steps.end(), [](const Step& step) { return !step.transform->isElementwise(); });
    if (first == last)
        return Done{};
    std::vector<TransformPtr> run;
    for (auto step = first; step != last; ++step)
        run.push_back(step->transform);
    Result<TransformPtr> lookup = makeLookup(first->input, run);
    if (!lookup)
        return lookup.error();
    first->transform = std::move(*lookup);
    steps.erase(first + 1, last);
    return Done{};
}

/// Floats take four times the memory of the bytes they come from, so a cache keeps the bytes.
std::size_t TransformChain::countFixed(const std::vector<Step>& steps)
{
    const auto end = std::find_if(steps.begin(), steps.end(), [](const Step& step) {
        return step.transform->isRandom() || (step.input.element == Element::UInt8 && step.transform->isElementwise());
    });
    return static_cast<std::size_t>(end - steps.begin());
}

Status TransformChain::apply(Sample& sample, Value& scratch, const SampleKey& key, Steps steps,
                             ThroughputMeter::Row* row) const
{
    using Clock = std::chrono::steady_clock;
    for (std::size_t field = 0; field < m_steps.size(); ++field) {
        const std::size_t fixed = steps == Steps::All ? 0 : m_fixed[field];
        const std::size_t begin = steps == Steps::Rest ? fixed : 0;
        const std::size_t end = steps == Steps::Fixed ? fixed : m_steps[field].size();
        for (std::size_t i = begin; i < end; ++i) {
            const Step& step = m_steps[field][i];
            const auto start = row != nullptr ? Clock::now() : Clock::time_point();
            SampleRandom random({key.seed, key.epoch, key.sample, step.origin.ordinal});
            if (const Status status = step.transform->apply(sample[field], scratch, random); !status)
                return atNode(status.error(), step.origin.node);
            std::swap(sample[field], scratch);
            if (row != nullptr && !step.origin.node.empty())
                row->addStep(step.origin.ordinal + 1, Clock::now() - start); // step 0: the source
        }
    }
    return Done{};
}

Status TransformChain::applyBefore(std::uint64_t end, const std::set<std::string>& without, Sample& sample,
                                   Value& scratch, const SampleKey& key) const
{
    for (std::size_t field = 0; field < m_appended.size(); ++field) {
        for (const Step& step : m_appended[field]) {
            if (step.origin.ordinal >= end)
                break;
            if (without.contains(step.origin.node))
                continue;
            SampleRandom random({key.seed, key.epoch, key.sample, step.origin.ordinal});
            if (const Status status = step.transform->apply(sample[field], scratch, random); !status)
                return atNode(status.error(), step.origin.node);
            std::swap(sample[field], scratch);
        }
    }
    return Done{};
}

std::vector<FieldLayout> TransformChain::layoutsBefore(std::uint64_t end) const
{
    std::vector<FieldLayout> layouts = m_appendedLayouts;
    for (std::size_t field = 0; field < m_appended.size(); ++field) {
        const auto next = std::find_if(m_appended[field].begin(), m_appended[field].end(),
                                       [end](const Step& step) { return step.origin.ordinal >= end; });
        if (next != m_appended[field].end())
            layouts[field] = next->input;
    }
    return layouts;
}

} // namespace athanor
