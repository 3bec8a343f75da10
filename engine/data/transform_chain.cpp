#include "engine/data/transform_chain.h"

#include <algorithm>

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

Status TransformChain::append(const std::vector<TransformPtr>& transforms, const StepOrigin& origin)
{
    const std::vector<std::size_t> fields = inputFields();
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
    m_steps[field].push_back({origin, transform, m_layouts[field]});
    m_layouts[field] = std::move(*output);
    return Done{};
}

Status TransformChain::finish()
{
    for (std::size_t field = 0; field < m_layouts.size(); ++field) {
        if (const Status status = appendTo(field, makeToFloat(1), {}); !status)
            return status;
        if (const Status status = foldBytes(m_steps[field]); !status)
            return status;
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

Status TransformChain::apply(Sample& sample, Value& scratch, const SampleKey& key) const
{
    for (std::size_t field = 0; field < m_steps.size(); ++field) {
        for (const Step& step : m_steps[field]) {
            SampleRandom random({key.seed, key.epoch, key.sample, step.origin.ordinal});
            if (const Status status = step.transform->apply(sample[field], scratch, random); !status)
                return atNode(status.error(), step.origin.node);
            std::swap(sample[field], scratch);
        }
    }
    return Done{};
}

} // namespace athanor
