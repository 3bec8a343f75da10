// Turning, shearing and slanting images at random: torchvision's names, ranges and arithmetic.
#include "engine/data/transforms/image_transform.h"
#include "engine/data/transforms/warp.h"

#include <cmath>

namespace athanor {

namespace {

struct WarpOptions {
    Interpolation interpolation = Interpolation::Nearest;
    std::vector<double> fill;
    std::vector<double> center; // x, y; empty: the middle

    [[nodiscard]] ImagePoint centerOf(ImageSize size) const
    {
        if (center.size() == 2)
            return {center[0], center[1]};
        return {static_cast<double>(size.width) / 2, static_cast<double>(size.height) / 2};
    }
};

class WarpTransform : public RandomImageTransform {
public:
    explicit WarpTransform(WarpOptions options) : m_options(std::move(options)) {}

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        if (input.element == Element::Float32 && m_options.interpolation == Interpolation::Bicubic)
            return invalid("bicubic is for images of bytes, but '" + input.name + "' holds floats",
                           "Take bilinear, or put it before ToTensor", "interpolation");
        return unlessFillFits(m_options.fill, input);
    }
    void warp(const Value& input, const Warp& how, ImageSize size, Value& output) const
    {
        warpImage(input, how, size, m_options.interpolation, fillOf(m_options.fill, channelsOfImage(input)), output);
    }

    WarpOptions m_options;
};

/// Draws: angle.
class RandomRotation final : public WarpTransform {
public:
    RandomRotation(WarpOptions options, RealRange degrees, bool expand)
        : WarpTransform(std::move(options)), m_degrees(degrees), m_expand(expand)
    {}

    Draws draw(Element, const std::vector<std::int64_t>&, SampleRandom& random) const override
    {
        return {m_degrees.draw(random)};
    }
    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        const ImageSize from = sizeOfImage(input.element(), input.shape());
        const ImageSize to = m_expand ? sizeOfTurned(from, draws[0], input.element()) : from;
        warp(input, inverseOf({.angle = -draws[0]}, m_options.centerOf(from), from, to), to, output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize input) const override
    {
        return m_expand ? ImageSize{kVaries, kVaries} : input;
    }

private:
    RealRange m_degrees;
    bool m_expand;
};

struct AffineRanges {
    RealRange degrees;
    std::vector<double> translate; // shares of width and height, or empty
    RealRange scale{1, 1};
    RealRange shearX;
    RealRange shearY;
};

/// Draws: angle, x and y in pixels, scale, shear along x and y.
class RandomAffine final : public WarpTransform {
public:
    RandomAffine(WarpOptions options, AffineRanges ranges)
        : WarpTransform(std::move(options)), m_ranges(std::move(ranges))
    {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        const ImageSize size = sizeOfImage(element, shape);
        const double angle = m_ranges.degrees.draw(random);
        double x = 0;
        double y = 0;
        if (!m_ranges.translate.empty()) {
            x = shift(m_ranges.translate.front() * static_cast<double>(size.width), random);
            y = shift(m_ranges.translate.back() * static_cast<double>(size.height), random);
        }
        const double scale = m_ranges.scale.draw(random);
        const double shearX = m_ranges.shearX.draw(random);
        return {angle, x, y, scale, shearX, m_ranges.shearY.draw(random)};
    }
    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        const AffineMove move{draws[0], draws[1], draws[2], draws[3], draws[4], draws[5]};
        warp(input, inverseOf(move, m_options.centerOf(size), size, size), size, output);
        return Done{};
    }

private:
    static double shift(double most, SampleRandom& random)
    {
        return std::nearbyint(RealRange{-most, most}.draw(random));
    }

    AffineRanges m_ranges;
};

/// Draws: x and y of where the four corners go: upper left, upper right, lower right, lower left.
class RandomPerspective final : public WarpTransform {
public:
    RandomPerspective(WarpOptions options, double distortion, double probability)
        : WarpTransform(std::move(options)), m_distortion(distortion), m_probability(probability)
    {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        if (!(random.uniform() < m_probability))
            return {};
        const ImageSize size = sizeOfImage(element, shape);
        const std::int64_t mostX = most(size.width);
        const std::int64_t mostY = most(size.height);
        Draws draws;
        for (const auto& [isRight, isLow] : {std::pair(false, false), {true, false}, {true, true}, {false, true}}) {
            const std::int64_t x = random.below(mostX + 1);
            const std::int64_t y = random.below(mostY + 1);
            draws.push_back(static_cast<double>(isRight ? size.width - 1 - x : x));
            draws.push_back(static_cast<double>(isLow ? size.height - 1 - y : y));
        }
        return draws;
    }
    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        const auto right = static_cast<double>(size.width - 1);
        const auto low = static_cast<double>(size.height - 1);
        std::optional<Warp> how;
        if (!draws.empty())
            how = perspectiveOf({ImagePoint{0, 0}, {right, 0}, {right, low}, {0, low}},
                                {ImagePoint{draws[0], draws[1]}, {draws[2], draws[3]}, {draws[4], draws[5]},
                                 {draws[6], draws[7]}});
        if (how)
            warp(input, *how, size, output);
        else // not this time, or an image of one row or column
            copyValue(input, output);
        return Done{};
    }

private:
    [[nodiscard]] std::int64_t most(std::int64_t length) const
    {
        return static_cast<std::int64_t>(m_distortion * static_cast<double>(length / 2));
    }

    double m_distortion;
    double m_probability;
};

/// A number is ± that number.
Result<RealRange> symmetricRange(const Json& params, const char* name)
{
    const std::vector<double> values = reals(params.at(name));
    if (values.size() == 1 && values[0] < 0)
        return invalid(std::string(name) + " must not be below 0 when it is a single number",
                       "The range is from −" + std::string(name) + " to +" + name, name);
    if (values.size() == 1)
        return RealRange{-values[0], values[0]};
    return readRange(params, name, {-1e6, 1e6});
}

Result<WarpOptions> warpOptions(const Json& params)
{
    WarpOptions options{interpolationNamed(params.at("interpolation").get<std::string>()), reals(params.at("fill")), {}};
    if (const Json center = params.value("center", Json()); !center.is_null())
        options.center = reals(center);
    if (!options.center.empty() && options.center.size() != 2)
        return invalid("center must be two numbers, x and y in pixels", {}, "center");
    return options;
}

Status readShear(const Json& params, AffineRanges& ranges)
{
    if (params.at("shear").is_null())
        return Done{};
    const std::vector<double> shear = reals(params.at("shear"));
    if (shear.size() == 4 && shear[0] <= shear[1] && shear[2] <= shear[3]) {
        ranges.shearX = {shear[0], shear[1]};
        ranges.shearY = {shear[2], shear[3]};
    } else if (shear.size() <= 2) {
        const Result<RealRange> range = symmetricRange(params, "shear");
        if (!range)
            return range.error();
        ranges.shearX = *range;
    } else {
        return invalid("shear must have 1, 2 or 4 numbers, the lower one of a pair first", {}, "shear");
    }
    for (const double angle : shear)
        if (std::abs(angle) >= 90)
            return invalid("shear must be between −90 and 90 degrees", {}, "shear");
    return Done{};
}

Result<TransformPtr> makeAffineMove(const Json& params, WarpOptions options)
{
    const Result<RealRange> degrees = symmetricRange(params, "degrees");
    if (!degrees)
        return degrees.error();
    AffineRanges ranges{.degrees = *degrees, .translate = {}, .shearX = {}, .shearY = {}};
    if (!params.at("translate").is_null()) {
        ranges.translate = reals(params.at("translate"));
        if (ranges.translate.size() != 2)
            return invalid("translate must be two shares, of the width and of the height", {}, "translate");
    }
    if (!params.at("scale").is_null()) {
        const Result<RealRange> scale = readRange(params, "scale", {1e-3, 1e3});
        if (!scale)
            return scale.error();
        ranges.scale = *scale;
    }
    if (const Status status = readShear(params, ranges); !status)
        return status.error();
    return TransformPtr(std::make_shared<RandomAffine>(std::move(options), std::move(ranges)));
}

} // namespace

Result<TransformPtr> makeWarp(const std::string& kind, const Json& params)
{
    if (kind != "RandomRotation" && kind != "RandomAffine" && kind != "RandomPerspective")
        return TransformPtr();
    Result<WarpOptions> options = warpOptions(params);
    if (!options)
        return options.error();
    if (kind == "RandomAffine")
        return makeAffineMove(params, std::move(*options));
    if (kind == "RandomPerspective")
        return TransformPtr(std::make_shared<RandomPerspective>(
            std::move(*options), params.at("distortion_scale").get<double>(), params.at("p").get<double>()));
    const Result<RealRange> degrees = symmetricRange(params, "degrees");
    if (!degrees)
        return degrees.error();
    return TransformPtr(
        std::make_shared<RandomRotation>(std::move(*options), *degrees, params.at("expand").get<bool>()));
}

} // namespace athanor
