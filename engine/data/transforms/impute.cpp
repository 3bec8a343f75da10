#include "engine/data/transforms/fitted_steps.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

class Impute final : public Transform {
public:
    explicit Impute(std::vector<float> values) : m_values(std::move(values)) {}

    [[nodiscard]] Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        if (input.element != Element::Float32)
            return needsFloats(input);
        return input;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        auto* out = reinterpret_cast<float*>(output.write(Element::Float32, input.shape()));
        const float* in = input.float32();
        const Channels channels = channelsOf(input.element(), input.shape());
        const std::int64_t count = input.count();
        for (std::int64_t i = 0; i < count; ++i) {
            const auto channel = static_cast<std::size_t>(i / channels.inner % channels.count);
            out[i] = std::isnan(in[i]) ? m_values[std::min(channel, m_values.size() - 1)] : in[i];
        }
        return Done{};
    }

private:
    std::vector<float> m_values; // per channel
};

float meanOf(const std::vector<float>& values)
{
    double sum = 0;
    for (const float value : values)
        sum += value;
    return static_cast<float>(sum / static_cast<double>(values.size()));
}

float medianOf(std::vector<float>& values)
{
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1
               ? values[middle]
               : static_cast<float>((static_cast<double>(values[middle - 1]) + values[middle]) / 2);
}

float mostFrequent(std::vector<float>& values)
{
    std::sort(values.begin(), values.end());
    float best = values.front();
    std::size_t most = 0;
    for (std::size_t start = 0; start < values.size();) {
        std::size_t end = start;
        while (end < values.size() && values[end] == values[start])
            ++end;
        if (end - start > most) {
            most = end - start;
            best = values[start];
        }
        start = end;
    }
    return best;
}

using Columns = std::vector<std::vector<float>>; // finite numbers per channel

Status gather(const PartData& training, const std::vector<std::size_t>& fields, std::vector<Columns>& columns)
{
    Sample sample;
    Value scratch;
    for (const std::int64_t index : training.samples) {
        if (const Status status = training.readSample(index, 0, sample, scratch); !status)
            return status;
        for (std::size_t i = 0; i < fields.size(); ++i) {
            const Value& value = sample[fields[i]];
            const Channels channels = channelsOf(value.element(), value.shape());
            for (std::int64_t at = 0; at < value.count(); ++at)
                if (std::isfinite(value.float32()[at]))
                    columns[i][static_cast<std::size_t>(at / channels.inner % channels.count)].push_back(
                        value.float32()[at]);
        }
    }
    return Done{};
}

} // namespace

Result<std::vector<TransformPtr>> fitImpute(const PlanNode& node, const PartData& training)
{
    const std::vector<std::size_t> fields = training.chain.inputFields();
    const auto strategy = node.params.at("strategy").get<std::string>();
    std::vector<Columns> columns;
    for (const std::size_t field : fields) {
        const FieldLayout& layout = training.chain.layouts()[field];
        if (layout.element != Element::Float32)
            return needsFloats(layout);
        columns.emplace_back(static_cast<std::size_t>(channelsOf(layout.element, layout.shape).count));
    }
    if (strategy != "constant")
        if (const Status status = gather(training, fields, columns); !status)
            return status.error();
    std::vector<TransformPtr> transforms;
    for (std::size_t field = 0; field < fields.size(); ++field) {
        std::vector<float> values;
        for (std::vector<float>& column : columns[field]) {
            if (strategy == "constant") {
                values.push_back(node.params.at("fill_value").get<float>());
                continue;
            }
            if (column.empty())
                return invalid("Column " + std::to_string(values.size()) + " of '" +
                                   training.chain.layouts()[fields[field]].name +
                                   "' has no value in the training part",
                               "Leave the column out, or set strategy to constant", "strategy");
            values.push_back(strategy == "mean"     ? meanOf(column)
                             : strategy == "median" ? medianOf(column)
                                                    : mostFrequent(column));
        }
        transforms.push_back(std::make_shared<Impute>(std::move(values)));
    }
    return transforms;
}

} // namespace athanor
