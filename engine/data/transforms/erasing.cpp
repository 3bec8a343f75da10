// Erasing a part of an image at random: torchvision's ranges and arithmetic.
#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

/// Draws: top, left, height, width of the part, and the key of its noise.
class RandomErasing final : public RandomImageTransform {
public:
    struct Options {
        double probability;
        RealRange scale;
        RealRange ratio;
        std::vector<double> values; // per channel or one; empty: noise
    };
    explicit RandomErasing(Options options) : m_options(std::move(options)) {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        if (!(random.uniform() < m_options.probability))
            return {};
        const ImageSize size = sizeOfImage(element, shape);
        const RealRange logarithms{std::log(m_options.ratio.low), std::log(m_options.ratio.high)};
        for (int tries = 0; tries < 10; ++tries) {
            const double area = static_cast<double>(size.height * size.width) * m_options.scale.draw(random);
            const double ratio = std::exp(logarithms.draw(random));
            const double height = std::nearbyint(std::sqrt(area * ratio));
            const double width = std::nearbyint(std::sqrt(area / ratio));
            if (height >= static_cast<double>(size.height) || width >= static_cast<double>(size.width))
                continue;
            const std::int64_t top = random.below(size.height - static_cast<std::int64_t>(height) + 1);
            const std::int64_t left = random.below(size.width - static_cast<std::int64_t>(width) + 1);
            return {static_cast<double>(top), static_cast<double>(left), height, width,
                    static_cast<double>(random.next() >> 11)};
        }
        return {};
    }

    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        copyValue(input, output);
        if (draws.empty())
            return Done{};
        auto* numbers = reinterpret_cast<float*>(output.write(Element::Float32, input.shape()));
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        SampleRandom noise({static_cast<std::uint64_t>(draws[4])});
        for (std::int64_t channel = 0; channel < input.shape()[0]; ++channel) {
            for (std::int64_t row = 0; row < static_cast<std::int64_t>(draws[2]); ++row) {
                float* out = numbers + (channel * size.height + row + static_cast<std::int64_t>(draws[0])) * size.width +
                             static_cast<std::int64_t>(draws[1]);
                fill(out, static_cast<std::int64_t>(draws[3]), channel, noise);
            }
        }
        return Done{};
    }

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        if (input.element != Element::Float32)
            return needsFloats(input);
        const std::size_t count = m_options.values.size();
        if (count > 1 && static_cast<std::int64_t>(count) != input.shape[0])
            return invalid("value has " + std::to_string(count) + " numbers, but '" + input.name + "' has " +
                               std::to_string(input.shape[0]) + (input.shape[0] == 1 ? " channel" : " channels"),
                           "Give one number per channel, or a single one for all", "value");
        return std::nullopt;
    }

private:
    void fill(float* out, std::int64_t count, std::int64_t channel, SampleRandom& noise) const
    {
        const std::vector<double>& values = m_options.values;
        if (!values.empty())
            std::fill_n(out, count,
                        static_cast<float>(values[values.size() == 1 ? 0 : static_cast<std::size_t>(channel)]));
        else
            std::generate_n(out, count, [&noise] { return static_cast<float>(noise.normal()); });
    }

    Options m_options;
};

} // namespace

Result<TransformPtr> makeErasing(const std::string& kind, const Json& params)
{
    if (kind != "RandomErasing")
        return TransformPtr();
    const Result<RealRange> scale = readRange(params, "scale", {0, 1});
    if (!scale)
        return scale.error();
    const Result<RealRange> ratio = readRange(params, "ratio", {1e-3, 1e3});
    if (!ratio)
        return ratio.error();
    const Json& value = params.at("value");
    return TransformPtr(std::make_shared<RandomErasing>(RandomErasing::Options{
        params.at("p").get<double>(), *scale, *ratio, value.is_null() ? std::vector<double>{} : reals(value)}));
}

} // namespace athanor
