#include "engine/data/fitted_transform.h"

#include "engine/data/transforms/fitted_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {

namespace {

/// What is known of one channel's numbers; merged run by run (Chan, Golub, LeVeque 1979), exact enough for any
/// number of samples.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0; // sum of squared distances from the mean
    float least = std::numeric_limits<float>::infinity();
    float greatest = -std::numeric_limits<float>::infinity();

    void add(float value)
    {
        if (!std::isfinite(value))
            return;
        count += 1;
        const double distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
        least = std::min(least, value);
        greatest = std::max(greatest, value);
    }

    void addRun(const float* numbers, std::int64_t length)
    {
        double sum = 0;
        for (std::int64_t i = 0; i < length; ++i)
            sum += numbers[i];
        if (length < 8 || !std::isfinite(sum)) { // floats cannot overflow a double: one of them is not finite
            std::for_each(numbers, numbers + length, [this](float value) { add(value); });
            return;
        }
        const double runMean = sum / static_cast<double>(length);
        double runSquares = 0;
        for (std::int64_t i = 0; i < length; ++i)
            runSquares += (numbers[i] - runMean) * (numbers[i] - runMean);
        const auto [low, high] = std::minmax_element(numbers, numbers + length);
        least = std::min(least, *low);
        greatest = std::max(greatest, *high);
        const double total = count + static_cast<double>(length);
        const double distance = runMean - mean;
        squares += runSquares + distance * distance * count * static_cast<double>(length) / total;
        mean += distance * static_cast<double>(length) / total;
        count = total;
    }

    [[nodiscard]] double deviation() const { return count == 0 ? 0 : std::sqrt(squares / count); }
    /// Whether the spread is more than what rounding makes of equal numbers.
    [[nodiscard]] bool varies() const { return deviation() > 1e-7 * std::abs(mean); }
};
using ChannelMoments = std::vector<Moments>;

void addSample(const Value& value, ChannelMoments& moments)
{
    const Channels channels = channelsOf(value.element(), value.shape());
    const float* numbers = value.float32();
    const std::int64_t runs = channels.inner == 0 ? 0 : value.count() / channels.inner;
    for (std::int64_t run = 0; run < runs; ++run, numbers += channels.inner)
        moments[static_cast<std::size_t>(run % channels.count)].addRun(numbers, channels.inner);
}

/// Per input field and channel.
Result<std::vector<ChannelMoments>> measure(const PartData& training)
{
    const std::vector<std::size_t> fields = training.chain.inputFields();
    std::vector<ChannelMoments> moments;
    for (const std::size_t field : fields) {
        const FieldLayout& layout = training.chain.layouts()[field];
        if (layout.element != Element::Float32)
            return needsFloats(layout);
        const std::int64_t channels = channelsOf(layout.element, layout.shape).count;
        if (channels == kVaries)
            return invalid("The number of channels of '" + layout.name + "' differs from sample to sample",
                           "Give all samples the same channels first");
        moments.emplace_back(static_cast<std::size_t>(channels));
    }
    Sample sample;
    Value scratch;
    for (const std::int64_t index : training.samples) {
        if (const Status status = training.readSample(index, 0, sample, scratch); !status)
            return status.error();
        for (std::size_t i = 0; i < fields.size(); ++i)
            addSample(sample[fields[i]], moments[i]);
    }
    return moments;
}

std::vector<float> means(const ChannelMoments& channels)
{
    std::vector<float> values;
    for (const Moments& channel : channels)
        values.push_back(static_cast<float>(channel.mean));
    return values;
}

std::vector<float> deviations(const ChannelMoments& channels)
{
    std::vector<float> values;
    for (const Moments& channel : channels)
        values.push_back(channel.varies() ? static_cast<float>(channel.deviation()) : 1.0F);
    return values;
}

std::vector<float> givenOr(const Json& params, const char* name, std::vector<float> measured)
{
    const auto given = params.find(name);
    if (given == params.end() || given->is_null())
        return measured;
    return given->is_array() ? given->get<std::vector<float>>() : std::vector<float>{given->get<float>()};
}

/// x is scaled by (x − origin) / std, with what makes least the lower and greatest the upper end.
TransformPtr minMaxOf(const ChannelMoments& channels, float lower, float upper, bool clip)
{
    std::vector<float> origins;
    std::vector<float> scales;
    for (const Moments& channel : channels) {
        const float range = channel.varies() ? channel.greatest - channel.least : 1.0F;
        scales.push_back(range / (upper - lower));
        origins.push_back((channel.count == 0 ? 0 : channel.least) - lower * scales.back());
    }
    return clip ? makeAffine(std::move(origins), std::move(scales), ValueRange{lower, upper})
                : makeAffine(std::move(origins), std::move(scales));
}

Result<TransformPtr> transformOf(const PlanNode& node, const ChannelMoments& channels)
{
    if (node.kind != "MinMax")
        return makeAffine(givenOr(node.params, "mean", means(channels)),
                          givenOr(node.params, "std", deviations(channels)));
    const auto range = node.params.at("feature_range").get<std::vector<float>>();
    if (range.size() != 2 || !(range[0] < range[1]))
        return invalid("feature_range must be two numbers, the lower one first", "such as [0, 1]",
                       "feature_range");
    return minMaxOf(channels, range[0], range[1], node.params.at("clip").get<bool>());
}

} // namespace

bool isFitted(const std::string& kind, const Json& params)
{
    const auto isNull = [&params](const char* name) { return params.value(name, Json()).is_null(); };
    return kind == "Standardize" || kind == "MinMax" || kind == "Tokenize" || kind == "Impute" ||
           (kind == "Normalize" && (isNull("mean") || isNull("std")));
}

Result<std::vector<TransformPtr>> fitTransform(const PlanNode& node, const PartData& training)
{
    if (node.kind == "Tokenize")
        return fitTokenize(node, training);
    if (node.kind == "Impute")
        return fitImpute(node, training);
    const Result<std::vector<ChannelMoments>> moments = measure(training);
    if (!moments)
        return moments.error();
    std::vector<TransformPtr> transforms;
    for (const ChannelMoments& channels : *moments) {
        Result<TransformPtr> transform = transformOf(node, channels);
        if (!transform)
            return transform.error();
        transforms.push_back(std::move(*transform));
    }
    return transforms;
}

} // namespace athanor
