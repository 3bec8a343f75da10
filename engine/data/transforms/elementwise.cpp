#include "engine/data/transforms/transform.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace athanor {

namespace {

class ToFloat final : public Transform {
public:
    explicit ToFloat(float scale) : m_scale(scale) {}

    bool appliesTo(const FieldLayout& input) const override { return input.element == Element::UInt8; }

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        FieldLayout output = input;
        output.element = Element::Float32;
        output.shape = {input.shape[2], input.shape[0], input.shape[1]};
        return output;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const std::int64_t channels = input.shape()[2];
        const std::int64_t pixels = input.shape()[0] * input.shape()[1];
        const std::uint8_t* in = input.uint8();
        auto* out = reinterpret_cast<float*>(
            output.write(Element::Float32, {channels, input.shape()[0], input.shape()[1]}));
        for (std::int64_t channel = 0; channel < channels; ++channel)
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
                out[channel * pixels + pixel] = static_cast<float>(in[pixel * channels + channel]) / m_scale;
        return Done{};
    }

    bool isElementwise() const override { return true; }

private:
    float m_scale;
};

class Affine final : public Transform {
public:
    Affine(std::vector<float> mean, std::vector<float> std, std::optional<ValueRange> limits)
        : m_mean(std::move(mean)), m_std(std::move(std)), m_limits(limits)
    {
        for (float& value : m_std)
            value = value == 0 ? 1 : value;
    }

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        if (input.element != Element::Float32)
            return needsFloats(input);
        const auto channels = static_cast<std::size_t>(channelsOf(input.element, input.shape).count);
        for (const auto& [name, values] : {std::pair("mean", &m_mean), std::pair("std", &m_std)})
            if (values->size() != 1 && values->size() != channels)
                return invalid(std::string(name) + " has " + std::to_string(values->size()) +
                                   " values, but '" + input.name + "' has " + std::to_string(channels) +
                                   (channels == 1 ? " channel" : " channels"),
                               "Give one value per channel, or a single one for all");
        return input;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const Channels channels = channelsOf(input.element(), input.shape());
        const std::int64_t run = channels.count * channels.inner;
        const std::int64_t outer = run == 0 ? 0 : input.count() / run;
        const float* in = input.float32();
        auto* out = reinterpret_cast<float*>(output.write(Element::Float32, input.shape()));
        for (std::int64_t block = 0; block < outer; ++block) {
            for (std::int64_t channel = 0; channel < channels.count; ++channel) {
                const float mean = m_mean.size() == 1 ? m_mean[0] : m_mean[static_cast<std::size_t>(channel)];
                const float std = m_std.size() == 1 ? m_std[0] : m_std[static_cast<std::size_t>(channel)];
                for (std::int64_t i = 0; i < channels.inner; ++i)
                    out[i] = (in[i] - mean) / std;
                if (m_limits)
                    for (std::int64_t i = 0; i < channels.inner; ++i)
                        out[i] = std::clamp(out[i], m_limits->least, m_limits->greatest);
                in += channels.inner;
                out += channels.inner;
            }
        }
        return Done{};
    }

    bool isElementwise() const override { return true; }

private:
    std::vector<float> m_mean;
    std::vector<float> m_std;
    std::optional<ValueRange> m_limits;
};

class Lookup final : public Transform {
public:
    Lookup(FieldLayout output, std::vector<float> table)
        : m_output(std::move(output)), m_table(std::move(table))
    {}

    Result<FieldLayout> outputLayout(const FieldLayout&) const override { return m_output; }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const std::int64_t channels = input.shape()[2];
        const std::int64_t pixels = input.shape()[0] * input.shape()[1];
        auto* out = reinterpret_cast<float*>(
            output.write(Element::Float32, {channels, input.shape()[0], input.shape()[1]}));
        for (std::int64_t channel = 0; channel < channels; ++channel) {
            const float* table = m_table.data() + channel * 256;
            const std::uint8_t* in = input.uint8() + channel;
            for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
                *out++ = table[in[pixel * channels]];
        }
        return Done{};
    }

private:
    FieldLayout m_output;
    std::vector<float> m_table; // 256 results per channel
};

std::vector<float> numbers(const Json& list)
{
    return list.is_array() ? list.get<std::vector<float>>() : std::vector<float>{list.get<float>()};
}

} // namespace

Error needsFloats(const FieldLayout& layout)
{
    return invalid("It works on float values, but '" + layout.name + "' holds bytes",
                   "Put ToTensor before it");
}

TransformPtr makeToFloat(float scale)
{
    return std::make_shared<ToFloat>(scale);
}

TransformPtr makeAffine(std::vector<float> mean, std::vector<float> std)
{
    return std::make_shared<Affine>(std::move(mean), std::move(std), std::nullopt);
}

TransformPtr makeAffine(std::vector<float> mean, std::vector<float> std, ValueRange limits)
{
    return std::make_shared<Affine>(std::move(mean), std::move(std), limits);
}

Result<TransformPtr> makeLookup(const FieldLayout& input, const std::vector<TransformPtr>& steps)
{
    FieldLayout output = input;
    for (const TransformPtr& step : steps) {
        Result<FieldLayout> next = step->outputLayout(output);
        if (!next)
            return next.error();
        output = std::move(*next);
    }
    // A picture of 256 pixels, one per possible byte, goes through the very steps that are replaced.
    const std::int64_t channels = input.shape[2];
    Value value;
    Value next;
    auto* bytes = reinterpret_cast<std::uint8_t*>(value.write(Element::UInt8, {256, 1, channels}));
    for (std::int64_t i = 0; i < 256 * channels; ++i)
        bytes[i] = static_cast<std::uint8_t>(i / channels);
    SampleRandom unused({});
    for (const TransformPtr& step : steps) {
        if (const Status status = step->apply(value, next, unused); !status)
            return status.error();
        std::swap(value, next);
    }
    std::vector<float> table(value.float32(), value.float32() + value.count());
    return TransformPtr(std::make_shared<Lookup>(std::move(output), std::move(table)));
}

Result<TransformPtr> makeElementwise(const std::string& kind, const Json& params)
{
    if (kind == "ToTensor")
        return makeToFloat(255);
    if (kind != "Normalize")
        return TransformPtr();
    const std::vector<float> std = numbers(params.at("std"));
    for (const float value : std)
        if (!(value > 0))
            return invalid("std must be above 0",
                           "Take the standard deviation of the data, e.g. 0.3081 for MNIST", "std");
    return makeAffine(numbers(params.at("mean")), std);
}

} // namespace athanor
