// Cutting, mirroring and scaling images: torchvision's names, arithmetic and rounding.
#include "engine/data/transforms/resize.h"
#include "engine/data/transforms/transform.h"

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

Error noImage(const FieldLayout& layout)
{
    return invalid("It works on images, but a sample of '" + layout.name + "' is " + shapeText(layout.shape),
                   "Take it out, or give the field the shape channels × height × width");
}

/// A base for transforms that change height and width in a way that follows from the input's size.
class ImageTransform : public Transform {
public:
    Result<FieldLayout> outputLayout(const FieldLayout& input) const final
    {
        if (!isImage(input))
            return noImage(input);
        const Result<ImageSize> size = outputSize(sizeOfImage(input.element, input.shape));
        if (!size)
            return size.error();
        FieldLayout output = input;
        output.shape = withImageSize(input.element, input.shape, *size);
        return output;
    }

protected:
    [[nodiscard]] virtual Result<ImageSize> outputSize(ImageSize input) const = 0;
};

// --- pixels moved, not changed ---

/// For each output row or column the input's one, or kOutside.
constexpr std::int64_t kOutside = -1;
using IndexMap = std::vector<std::int64_t>;

template <typename T>
void gather(const Value& input, const IndexMap& rows, const IndexMap& columns, double fill, Value& output)
{
    const bool planes = input.element() == Element::Float32;
    const ImageSize size = sizeOfImage(input.element(), input.shape());
    const std::int64_t planeCount = planes ? input.shape()[0] : 1;
    const std::int64_t pixel = planes ? 1 : input.shape()[2]; // numbers that stay together
    const ImageSize to{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())};
    auto* out = reinterpret_cast<T*>(
        output.write(input.element(), withImageSize(input.element(), input.shape(), to)));
    for (std::int64_t plane = 0; plane < planeCount; ++plane) {
        const T* in = reinterpret_cast<const T*>(input.bytes()) + plane * size.height * size.width * pixel;
        for (const std::int64_t row : rows) {
            for (const std::int64_t column : columns) {
                if (row == kOutside || column == kOutside)
                    out = std::fill_n(out, pixel, static_cast<T>(fill));
                else
                    out = std::copy_n(in + (row * size.width + column) * pixel, pixel, out);
            }
        }
    }
}

void gatherImage(const Value& input, const IndexMap& rows, const IndexMap& columns, double fill,
                 Value& output)
{
    if (input.element() == Element::UInt8)
        gather<std::uint8_t>(input, rows, columns, fill, output);
    else
        gather<float>(input, rows, columns, fill, output);
}

enum class Padding { Constant, Edge, Reflect, Symmetric };

/// The place that stands for a place outside [0, length).
std::int64_t padded(std::int64_t at, std::int64_t length, Padding padding)
{
    if (at >= 0 && at < length)
        return at;
    if (padding == Padding::Constant)
        return kOutside;
    if (padding == Padding::Edge || length == 1)
        return std::clamp<std::int64_t>(at, 0, length - 1);
    const bool twice = padding == Padding::Symmetric; // the edge itself is mirrored too
    const std::int64_t period = twice ? 2 * length : 2 * length - 2;
    const std::int64_t place = ((at % period) + period) % period;
    return place < length ? place : period - place - (twice ? 1 : 0);
}

IndexMap indexMap(std::int64_t first, std::int64_t count, std::int64_t length, Padding padding)
{
    IndexMap map;
    for (std::int64_t i = 0; i < count; ++i)
        map.push_back(padded(first + i, length, padding));
    return map;
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
            indexMap(firstOf(from.width, m_size.width), m_size.width, from.width, Padding::Constant), 0,
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

struct CropOptions {
    ImageSize size;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;
    std::int64_t bottom = 0;
    bool padIfNeeded = false;
    double fill = 0;
    Padding padding = Padding::Constant;
};

class RandomCrop final : public ImageTransform {
public:
    explicit RandomCrop(CropOptions options) : m_options(options) {}

    Status apply(const Value& input, Value& output, SampleRandom& random) const override
    {
        const ImageSize from = sizeOfImage(input.element(), input.shape());
        if (const Result<ImageSize> size = outputSize(from); !size)
            return size.error();
        const Range rows = rangeOf(from.height, m_options.top, m_options.bottom, m_options.size.height);
        const Range columns = rangeOf(from.width, m_options.left, m_options.right, m_options.size.width);
        const std::int64_t top = rows.first + random.below(rows.places);
        const std::int64_t left = columns.first + random.below(columns.places);
        gatherImage(input, indexMap(top, m_options.size.height, from.height, m_options.padding),
                    indexMap(left, m_options.size.width, from.width, m_options.padding), m_options.fill,
                    output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize from) const override
    {
        const ImageSize whole{from.height + m_options.top + m_options.bottom,
                              from.width + m_options.left + m_options.right};
        if (!m_options.padIfNeeded &&
            (whole.height < m_options.size.height || whole.width < m_options.size.width))
            return invalid("A crop of " + shapeText({m_options.size.height, m_options.size.width}) +
                               " does not fit into an image of " + shapeText({whole.height, whole.width}),
                           "Take a smaller size, add padding, or set pad_if_needed", "size");
        return m_options.size;
    }

private:
    struct Range {
        std::int64_t first;  // the least place of the crop's first row or column
        std::int64_t places; // how many there are
    };
    Range rangeOf(std::int64_t length, std::int64_t before, std::int64_t after, std::int64_t crop) const
    {
        std::int64_t whole = length + before + after;
        if (m_options.padIfNeeded && whole < crop) { // as torchvision: the missing number on both sides
            before += crop - whole;
            whole += 2 * (crop - whole);
        }
        return {-before, whole - crop + 1};
    }

    CropOptions m_options;
};

class RandomHorizontalFlip final : public ImageTransform {
public:
    explicit RandomHorizontalFlip(double probability) : m_probability(probability) {}

    Status apply(const Value& input, Value& output, SampleRandom& random) const override
    {
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        IndexMap columns = indexMap(0, size.width, size.width, Padding::Edge);
        if (random.uniform() < m_probability)
            std::reverse(columns.begin(), columns.end());
        gatherImage(input, indexMap(0, size.height, size.height, Padding::Edge), columns, 0, output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize input) const override { return input; }

private:
    double m_probability;
};

// --- pixels made of others ---

class Resize final : public ImageTransform {
public:
    /// `sizes`: the shorter edge, or height and width.
    Resize(std::vector<std::int64_t> sizes, Interpolation interpolation)
        : m_sizes(std::move(sizes)), m_interpolation(interpolation)
    {}

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        resizeImage(input, sizeFor(sizeOfImage(input.element(), input.shape())), m_interpolation, output);
        return Done{};
    }

protected:
    [[nodiscard]] Result<ImageSize> outputSize(ImageSize input) const override { return sizeFor(input); }

private:
    [[nodiscard]] ImageSize sizeFor(ImageSize from) const
    {
        if (m_sizes.size() == 2)
            return {m_sizes[0], m_sizes[1]};
        const std::int64_t edge = m_sizes[0];
        return from.width <= from.height ? ImageSize{edge * from.height / from.width, edge}
                                         : ImageSize{edge, edge * from.width / from.height};
    }

    std::vector<std::int64_t> m_sizes;
    Interpolation m_interpolation;
};

// --- parameters ---

std::vector<std::int64_t> integers(const Json& value)
{
    return value.is_array() ? value.get<std::vector<std::int64_t>>() : std::vector{value.get<std::int64_t>()};
}

ImageSize imageSize(const Json& value)
{
    const std::vector<std::int64_t> sizes = integers(value);
    return {sizes.front(), sizes.back()};
}

Padding paddingNamed(const std::string& name)
{
    if (name == "edge")
        return Padding::Edge;
    if (name == "reflect")
        return Padding::Reflect;
    return name == "symmetric" ? Padding::Symmetric : Padding::Constant;
}

Interpolation interpolationNamed(const std::string& name)
{
    if (name == "nearest")
        return Interpolation::Nearest;
    return name == "bicubic" ? Interpolation::Bicubic : Interpolation::Bilinear;
}

CropOptions cropOptions(const Json& params)
{
    CropOptions options;
    options.size = imageSize(params.at("size"));
    options.padIfNeeded = params.at("pad_if_needed").get<bool>();
    options.fill = params.at("fill").get<double>();
    options.padding = paddingNamed(params.at("padding_mode").get<std::string>());
    if (params.at("padding").is_null())
        return options;
    const std::vector<std::int64_t> padding = integers(params.at("padding")); // 1, 2 or 4 numbers
    options.left = padding.front();
    options.top = padding[padding.size() > 1 ? 1 : 0];
    options.right = padding.size() == 4 ? padding[2] : options.left;
    options.bottom = padding.size() == 4 ? padding[3] : options.top;
    return options;
}

} // namespace

Result<TransformPtr> makeGeometry(const std::string& kind, const Json& params)
{
    if (kind == "Resize")
        return TransformPtr(std::make_shared<Resize>(
            integers(params.at("size")), interpolationNamed(params.at("interpolation").get<std::string>())));
    if (kind == "CenterCrop")
        return TransformPtr(std::make_shared<CenterCrop>(imageSize(params.at("size"))));
    if (kind == "RandomCrop")
        return TransformPtr(std::make_shared<RandomCrop>(cropOptions(params)));
    if (kind == "RandomHorizontalFlip")
        return TransformPtr(std::make_shared<RandomHorizontalFlip>(params.at("p").get<double>()));
    return TransformPtr();
}

} // namespace athanor
