// Cutting, padding and mirroring images: torchvision's names, arithmetic and rounding.
#include "engine/data/transforms/gather.h"
#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

constexpr std::int64_t kLargestSide = 1 << 20; // of what padding makes

struct Borders {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;
    std::vector<double> fill = {0};
    Padding padding = Padding::Constant;

    [[nodiscard]] ImageSize around(ImageSize size) const
    {
        return {size.height == kVaries ? kVaries : size.height + top + bottom,
                size.width == kVaries ? kVaries : size.width + left + right};
    }
};

std::vector<float> black(const Value& input)
{
    return std::vector<float>(static_cast<std::size_t>(channelsOfImage(input)));
}

std::optional<Error> unlessBordersFit(const Borders& borders, const FieldLayout& input)
{
    return borders.padding == Padding::Constant ? unlessFillFits(borders.fill, input) : std::nullopt;
}

class CenterCrop final : public ImageTransform {
public:
    explicit CenterCrop(ImageSize size) : m_size(size) {}

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const ImageSize from = sizeOfImage(input.element(), input.shape());
        gatherImage(
            input,
            indexMap(firstOf(from.height, m_size.height), m_size.height, from.height, Padding::Constant),
            indexMap(firstOf(from.width, m_size.width), m_size.width, from.width, Padding::Constant), black(input),
            output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize) const override { return m_size; }

private:
    /// Python rounds halves to the even neighbour; where the image is too small the odd pixel of padding goes
    /// to the end.
    static std::int64_t firstOf(std::int64_t from, std::int64_t to)
    {
        if (from < to)
            return -((to - from) / 2);
        return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(from - to) / 2));
    }

    ImageSize m_size;
};

class Pad final : public ImageTransform {
public:
    explicit Pad(Borders borders) : m_borders(std::move(borders)) {}

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        const ImageSize from = sizeOfImage(input.element(), input.shape());
        if (const Result<ImageSize> size = outputSize(from); !size)
            return size.error();
        const ImageSize to = m_borders.around(from);
        gatherImage(input, indexMap(-m_borders.top, to.height, from.height, m_borders.padding),
                    indexMap(-m_borders.left, to.width, from.width, m_borders.padding),
                    fillOf(m_borders.fill, channelsOfImage(input)), output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize from) const override
    {
        const ImageSize to = m_borders.around(from);
        if (to.height > kLargestSide || to.width > kLargestSide)
            return invalid("The padding makes images of " + shapeText({to.height, to.width}) + " pixels",
                           "Take a smaller padding", "padding");
        return to;
    }
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        return unlessBordersFit(m_borders, input);
    }

private:
    Borders m_borders;
};

/// Draws: top, left (places in the image; negative in the padding before it).
class RandomCrop final : public RandomImageTransform {
public:
    RandomCrop(ImageSize size, Borders borders, bool padIfNeeded)
        : m_size(size), m_borders(std::move(borders)), m_padIfNeeded(padIfNeeded)
    {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        const ImageSize from = sizeOfImage(element, shape);
        if (!outputSize(from))
            return {};
        const Range rows = rangeOf(from.height, m_borders.top, m_borders.bottom, m_size.height);
        const Range columns = rangeOf(from.width, m_borders.left, m_borders.right, m_size.width);
        const std::int64_t top = rows.first + random.below(rows.places);
        const std::int64_t left = columns.first + random.below(columns.places);
        return {static_cast<double>(top), static_cast<double>(left)};
    }

    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        const ImageSize from = sizeOfImage(input.element(), input.shape());
        if (const Result<ImageSize> size = outputSize(from); !size)
            return size.error();
        gatherImage(input,
                    indexMap(static_cast<std::int64_t>(draws[0]), m_size.height, from.height, m_borders.padding),
                    indexMap(static_cast<std::int64_t>(draws[1]), m_size.width, from.width, m_borders.padding),
                    fillOf(m_borders.fill, channelsOfImage(input)), output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize from) const override
    {
        const ImageSize whole = m_borders.around(from);
        const auto fits = [](std::int64_t length, std::int64_t crop) { return length == kVaries || length >= crop; };
        if (!m_padIfNeeded && (!fits(whole.height, m_size.height) || !fits(whole.width, m_size.width)))
            return invalid("A crop of " + shapeText({m_size.height, m_size.width}) +
                               " does not fit into an image of " + shapeText({whole.height, whole.width}),
                           "Take a smaller size, add padding, or set pad_if_needed", "size");
        return m_size;
    }
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        return unlessBordersFit(m_borders, input);
    }

private:
    struct Range {
        std::int64_t first;  // the least place of the crop's first row or column
        std::int64_t places; // how many there are
    };
    Range rangeOf(std::int64_t length, std::int64_t before, std::int64_t after, std::int64_t crop) const
    {
        std::int64_t whole = length + before + after;
        if (m_padIfNeeded && whole < crop) { // as torchvision: the missing number on both sides
            before += crop - whole;
            whole += 2 * (crop - whole);
        }
        return {-before, whole - crop + 1};
    }

    ImageSize m_size;
    Borders m_borders;
    bool m_padIfNeeded;
};

class Flip final : public OccasionalTransform {
public:
    Flip(double probability, bool isHorizontal) : OccasionalTransform(probability), m_isHorizontal(isHorizontal) {}

protected:
    void act(const Value& input, Value& output) const override
    {
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        IndexMap columns = indexMap(0, size.width, size.width, Padding::Edge);
        IndexMap rows = indexMap(0, size.height, size.height, Padding::Edge);
        IndexMap& flipped = m_isHorizontal ? columns : rows;
        std::reverse(flipped.begin(), flipped.end());
        gatherImage(input, rows, columns, black(input), output);
    }

private:
    bool m_isHorizontal;
};

Result<Borders> bordersOf(const Json& params)
{
    Borders borders;
    borders.fill = reals(params.at("fill"));
    borders.padding = paddingNamed(params.at("padding_mode").get<std::string>());
    if (params.at("padding").is_null())
        return borders;
    const std::vector<std::int64_t> padding = integers(params.at("padding"));
    if (padding.size() != 1 && padding.size() != 2 && padding.size() != 4)
        return invalid("padding must have 1, 2 or 4 numbers", "left, top, right, bottom", "padding");
    borders.left = padding.front();
    borders.top = padding[padding.size() > 1 ? 1 : 0];
    borders.right = padding.size() == 4 ? padding[2] : borders.left;
    borders.bottom = padding.size() == 4 ? padding[3] : borders.top;
    return borders;
}

} // namespace

Result<TransformPtr> makeCrop(const std::string& kind, const Json& params)
{
    if (kind == "CenterCrop")
        return TransformPtr(std::make_shared<CenterCrop>(imageSize(params.at("size"))));
    if (kind == "RandomHorizontalFlip" || kind == "RandomVerticalFlip")
        return TransformPtr(
            std::make_shared<Flip>(params.at("p").get<double>(), kind == "RandomHorizontalFlip"));
    if (kind != "Pad" && kind != "RandomCrop")
        return TransformPtr();
    Result<Borders> borders = bordersOf(params);
    if (!borders)
        return borders.error();
    if (kind == "Pad")
        return TransformPtr(std::make_shared<Pad>(std::move(*borders)));
    return TransformPtr(std::make_shared<RandomCrop>(imageSize(params.at("size")), std::move(*borders),
                                                     params.at("pad_if_needed").get<bool>()));
}

} // namespace athanor
