#include "engine/data/standardize.h"

#include <cmath>

namespace athanor {

namespace {

/// Welford's running mean and variance, exact enough for any number of samples.
struct Moments {
    double count = 0;
    double mean = 0;
    double squares = 0; // sum of squared distances from the mean

    void add(double value)
    {
        count += 1;
        const double distance = value - mean;
        mean += distance / count;
        squares += distance * (value - mean);
    }
    [[nodiscard]] double deviation() const { return count == 0 ? 0 : std::sqrt(squares / count); }
};

void addSample(const Value& value, std::vector<Moments>& moments)
{
    const Channels channels = channelsOf(value.element(), value.shape());
    const float* numbers = value.float32();
    const std::int64_t count = value.count();
    for (std::int64_t i = 0; i < count; ++i)
        if (std::isfinite(numbers[i]))
            moments[static_cast<std::size_t>(i / channels.inner % channels.count)].add(numbers[i]);
}

/// Whether the spread is more than what rounding makes of equal numbers.
bool varies(const Moments& moments)
{
    return moments.deviation() > 1e-7 * std::abs(moments.mean);
}

TransformPtr affineOf(const std::vector<Moments>& channels)
{
    std::vector<float> mean;
    std::vector<float> std;
    for (const Moments& channel : channels) {
        mean.push_back(static_cast<float>(channel.mean));
        std.push_back(varies(channel) ? static_cast<float>(channel.deviation()) : 1.0F);
    }
    return makeAffine(std::move(mean), std::move(std));
}

} // namespace

Result<std::vector<TransformPtr>> fitStandardize(const PartData& training)
{
    const std::vector<std::size_t> fields = training.chain.inputFields();
    std::vector<std::vector<Moments>> moments; // per field and channel
    for (const std::size_t field : fields) {
        const FieldLayout& layout = training.chain.layouts()[field];
        if (layout.element != Element::Float32)
            return needsFloats(layout);
        moments.emplace_back(static_cast<std::size_t>(channelsOf(layout.element, layout.shape).count));
    }
    Sample sample;
    Value scratch;
    for (const std::int64_t index : training.samples) {
        if (const Status status = training.readSample(index, 0, sample, scratch); !status)
            return status.error();
        for (std::size_t i = 0; i < fields.size(); ++i)
            addSample(sample[fields[i]], moments[i]);
    }
    std::vector<TransformPtr> transforms;
    for (const std::vector<Moments>& channels : moments)
        transforms.push_back(affineOf(channels));
    return transforms;
}

} // namespace athanor
