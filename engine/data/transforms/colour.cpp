// Grey values and changes of colour at random: torchvision's names, ranges and arithmetic.
#include "engine/data/transforms/colour_ops.h"
#include "engine/data/transforms/image_transform.h"

#include <array>

namespace athanor {

namespace {

class Grayscale final : public Transform {
public:
    explicit Grayscale(std::int64_t channels) : m_channels(channels) {}

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        if (!isImage(input))
            return noImage(input);
        if (std::optional<Error> error = unlessGrayOrColour(input))
            return std::move(*error);
        FieldLayout output = input;
        output.shape[input.element == Element::UInt8 ? 2 : 0] = m_channels;
        return output;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        grayImage(input, m_channels, output);
        return Done{};
    }

private:
    std::int64_t m_channels;
};

class RandomGrayscale final : public OccasionalTransform {
public:
    using OccasionalTransform::OccasionalTransform;

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        return unlessGrayOrColour(input);
    }
    void act(const Value& input, Value& output) const override
    {
        grayImage(input, channelsOfImage(input), output);
    }
};

enum Adjustment { kBrightness, kContrast, kSaturation, kHue };
constexpr std::array<const char*, 4> kAdjustments = {"brightness", "contrast", "saturation", "hue"};

/// Draws: the order of the four adjustments (their numbers, brightness first), and their factors.
class ColorJitter final : public RandomImageTransform {
public:
    explicit ColorJitter(std::array<std::optional<RealRange>, 4> ranges) : m_ranges(ranges) {}

    Draws draw(Element, const std::vector<std::int64_t>&, SampleRandom& random) const override
    {
        Draws draws = {0, 1, 2, 3};
        for (std::size_t i = 3; i > 0; --i)
            std::swap(draws[i], draws[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i) + 1))]);
        for (std::size_t i = 0; i < 4; ++i)
            draws.push_back(m_ranges[i] ? m_ranges[i]->draw(random) : (i == kHue ? 0 : 1));
        return draws;
    }

    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        Value from;
        bool isChanged = false;
        for (std::size_t place = 0; place < 4; ++place) {
            const auto which = static_cast<std::size_t>(draws[place]);
            if (!m_ranges[which])
                continue;
            std::swap(from, output); // what the step before made
            adjust(which, isChanged ? from : input, draws[4 + which], output);
            isChanged = true;
        }
        if (!isChanged)
            copyValue(input, output);
        return Done{};
    }

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        return unlessGrayOrColour(input);
    }

private:
    static void adjust(std::size_t which, const Value& input, double factor, Value& output)
    {
        constexpr std::array kFunctions = {adjustBrightness, adjustContrast, adjustSaturation, adjustHue};
        kFunctions[which](input, factor, output);
    }

    std::array<std::optional<RealRange>, 4> m_ranges; // none: not changed
};

Result<TransformPtr> makeColorJitter(const Json& params)
{
    std::array<std::optional<RealRange>, 4> ranges;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const char* name = kAdjustments[i];
        const double neutral = i == kHue ? 0 : 1;
        const RealRange limits = i == kHue ? RealRange{-0.5, 0.5} : RealRange{0, 1e3};
        const std::vector<double> values = reals(params.at(name));
        RealRange range;
        if (values.size() == 1) {
            if (!(values[0] >= 0 && values[0] <= limits.high))
                return invalid(std::string(name) + " must be between 0 and " + Json(limits.high).dump(), {}, name);
            range = {std::max(limits.low, neutral - values[0]), neutral + values[0]};
        } else {
            const Result<RealRange> read = readRange(params, name, limits);
            if (!read)
                return read.error();
            range = *read;
        }
        if (range.low != neutral || range.high != neutral)
            ranges[i] = range;
    }
    return TransformPtr(std::make_shared<ColorJitter>(ranges));
}

} // namespace

Result<TransformPtr> makeColour(const std::string& kind, const Json& params)
{
    if (kind == "ColorJitter")
        return makeColorJitter(params);
    if (kind == "RandomGrayscale")
        return TransformPtr(std::make_shared<RandomGrayscale>(params.at("p").get<double>()));
    if (kind != "Grayscale")
        return TransformPtr();
    const auto channels = params.at("num_output_channels").get<std::int64_t>();
    if (channels != 1 && channels != 3)
        return invalid("num_output_channels must be 1 or 3", {}, "num_output_channels");
    return TransformPtr(std::make_shared<Grayscale>(channels));
}

} // namespace athanor
