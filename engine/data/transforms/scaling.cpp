// Scaling images, whole or a part of them: torchvision's names, arithmetic and rounding.
#include "engine/data/transforms/gather.h"
#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

class Resize final : public ImageTransform {
public:
    /// `sizes`: the shorter edge, or height and width. `longest` (0: any) limits the longer edge.
    Resize(std::vector<std::int64_t> sizes, std::int64_t longest, Interpolation interpolation, bool antialias)
        : m_sizes(std::move(sizes)), m_longest(longest), m_interpolation(interpolation), m_antialias(antialias)
    {}

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const Result<ImageSize> size = outputSize(sizeOfImage(input.element(), input.shape()));
        if (!size)
            return size.error();
        resizeImage(input, *size, m_interpolation, output, m_antialias);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize from) const override
    {
        if (m_sizes.size() == 2)
            return ImageSize{m_sizes[0], m_sizes[1]};
        if (from.height == kVaries || from.width == kVaries)
            return ImageSize{kVaries, kVaries};
        std::int64_t edge = m_sizes[0];
        const std::int64_t least = std::min(from.width, from.height);
        const std::int64_t most = std::max(from.width, from.height);
        std::int64_t other = edge * most / std::max<std::int64_t>(least, 1);
        if (m_longest > 0 && other > m_longest) {
            edge = m_longest * edge / other;
            other = m_longest;
        }
        if (edge < 1 || other > kLargestSide)
            return invalid("An image of " + shapeText({from.height, from.width}) + " would be scaled to edges of " +
                               std::to_string(edge) + " and " + std::to_string(other) + " pixels",
                           "Give height and width in size, or crop the image first", "size");
        return from.width <= from.height ? ImageSize{other, edge} : ImageSize{edge, other};
    }

private:
    static constexpr std::int64_t kLargestSide = 1 << 20;

    std::vector<std::int64_t> m_sizes;
    std::int64_t m_longest;
    Interpolation m_interpolation;
    bool m_antialias;
};

/// Draws: top, left, height, width of the part.
class RandomResizedCrop final : public RandomImageTransform {
public:
    RandomResizedCrop(ImageSize size, RealRange scale, RealRange ratio, Interpolation interpolation, bool antialias)
        : m_size(size), m_scale(scale), m_ratio(ratio), m_interpolation(interpolation), m_antialias(antialias)
    {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        const ImageSize from = sizeOfImage(element, shape);
        const RealRange logarithms{std::log(m_ratio.low), std::log(m_ratio.high)};
        for (int tries = 0; tries < 10; ++tries) {
            const double area = static_cast<double>(from.height * from.width) * m_scale.draw(random);
            const double ratio = std::exp(logarithms.draw(random));
            const double width = std::nearbyint(std::sqrt(area * ratio));
            const double height = std::nearbyint(std::sqrt(area / ratio));
            if (width < 1 || width > static_cast<double>(from.width) || height < 1 ||
                height > static_cast<double>(from.height))
                continue;
            const std::int64_t top = random.below(from.height - static_cast<std::int64_t>(height) + 1);
            const std::int64_t left = random.below(from.width - static_cast<std::int64_t>(width) + 1);
            return {static_cast<double>(top), static_cast<double>(left), height, width};
        }
        return middle(from);
    }

    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        Value part;
        cropImage(input, static_cast<std::int64_t>(draws[0]), static_cast<std::int64_t>(draws[1]),
                  {static_cast<std::int64_t>(draws[2]), static_cast<std::int64_t>(draws[3])}, part);
        resizeImage(part, m_size, m_interpolation, output, m_antialias);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize) const override { return m_size; }

private:
    /// The greatest part in the middle whose ratio is allowed.
    [[nodiscard]] Draws middle(ImageSize from) const
    {
        ImageSize size = from;
        const double ratio = static_cast<double>(from.width) / static_cast<double>(from.height);
        if (ratio < m_ratio.low)
            size.height = rounded(static_cast<double>(from.width) / m_ratio.low);
        else if (ratio > m_ratio.high)
            size.width = rounded(static_cast<double>(from.height) * m_ratio.high);
        return {static_cast<double>((from.height - size.height) / 2),
                static_cast<double>((from.width - size.width) / 2), static_cast<double>(size.height),
                static_cast<double>(size.width)};
    }
    static std::int64_t rounded(double length)
    {
        return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::nearbyint(length)));
    }

    ImageSize m_size;
    RealRange m_scale;
    RealRange m_ratio;
    Interpolation m_interpolation;
    bool m_antialias;
};

bool antialiasOf(const Json& params)
{
    return params.at("antialias").is_boolean() && params.at("antialias").get<bool>();
}

Result<TransformPtr> makeResize(const Json& params)
{
    const std::vector<std::int64_t> sizes = integers(params.at("size"));
    const std::int64_t longest = params.at("max_size").is_null() ? 0 : params.at("max_size").get<std::int64_t>();
    if (sizes.size() > 2)
        return invalid("size must have 1 or 2 numbers", "height and width", "size");
    if (longest > 0 && sizes.size() == 2)
        return invalid("max_size is for a size of one number", "Set it to null", "max_size");
    if (longest > 0 && longest <= sizes[0])
        return invalid("max_size must be greater than size, the shorter edge", {}, "max_size");
    return TransformPtr(std::make_shared<Resize>(
        sizes, longest, interpolationNamed(params.at("interpolation").get<std::string>()), antialiasOf(params)));
}

Result<TransformPtr> makeResizedCrop(const Json& params)
{
    const Result<RealRange> scale = readRange(params, "scale", {0, 1});
    if (!scale)
        return scale.error();
    const Result<RealRange> ratio = readRange(params, "ratio", {1e-3, 1e3});
    if (!ratio)
        return ratio.error();
    return TransformPtr(std::make_shared<RandomResizedCrop>(
        imageSize(params.at("size")), *scale, *ratio,
        interpolationNamed(params.at("interpolation").get<std::string>()), antialiasOf(params)));
}

} // namespace

Result<TransformPtr> makeScaling(const std::string& kind, const Json& params)
{
    if (kind == "Resize")
        return makeResize(params);
    if (kind == "RandomResizedCrop")
        return makeResizedCrop(params);
    return TransformPtr();
}

} // namespace athanor
