#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <cstring>

namespace athanor {

Error noImage(const FieldLayout& layout)
{
    return invalid("It works on images, but a sample of '" + layout.name + "' is " + shapeText(layout.shape),
                   "Take it out, or give the field the shape channels × height × width");
}

std::optional<Error> unlessGrayOrColour(const FieldLayout& layout)
{
    const std::int64_t channels = channelsOf(layout.element, layout.shape).count;
    if (channels == 1 || channels == 3)
        return std::nullopt;
    return invalid("It works on images of 1 or 3 channels, but a sample of '" + layout.name + "' is " +
                       shapeText(layout.shape),
                   "Take it out");
}

std::optional<Error> unlessBytes(const FieldLayout& layout)
{
    if (layout.element == Element::UInt8)
        return std::nullopt;
    return invalid("It works on images of bytes, but '" + layout.name + "' holds floats", "Put it before ToTensor");
}

std::int64_t channelsOfImage(const Value& image)
{
    return channelsOf(image.element(), image.shape()).count;
}

void copyValue(const Value& input, Value& output)
{
    std::byte* bytes = output.write(input.element(), input.shape());
    if (input.byteCount() > 0)
        std::memcpy(bytes, input.bytes(), input.byteCount());
}

Result<FieldLayout> ImageTransform::outputLayout(const FieldLayout& input) const
{
    if (!isImage(input))
        return noImage(input);
    if (std::find(input.shape.begin(), input.shape.end(), 0) != input.shape.end())
        return invalid("A sample of '" + input.name + "' is empty: " + shapeText(input.shape), "Take it out");
    if (std::optional<Error> error = refusal(input))
        return std::move(*error);
    const Result<ImageSize> size = outputSize(sizeOfImage(input.element, input.shape));
    if (!size)
        return size.error();
    FieldLayout output = input;
    output.shape = withImageSize(input.element, input.shape, *size);
    return output;
}

std::vector<double> reals(const Json& value)
{
    return value.is_array() ? value.get<std::vector<double>>() : std::vector{value.get<double>()};
}

std::vector<std::int64_t> integers(const Json& value)
{
    return value.is_array() ? value.get<std::vector<std::int64_t>>() : std::vector{value.get<std::int64_t>()};
}

ImageSize imageSize(const Json& value)
{
    const std::vector<std::int64_t> sizes = integers(value);
    return {sizes.front(), sizes.back()};
}

Result<RealRange> readRange(const Json& params, const char* name, RealRange limits)
{
    const std::vector<double> values = reals(params.at(name));
    if (values.size() != 2 || !(values[0] <= values[1]) || values[0] < limits.low || values[1] > limits.high)
        return invalid(std::string(name) + " must be two numbers, the lower one first",
                       "Their limits are " + Json(limits.low).dump() + " and " + Json(limits.high).dump(), name);
    return RealRange{values[0], values[1]};
}

Interpolation interpolationNamed(const std::string& name)
{
    if (name == "nearest")
        return Interpolation::Nearest;
    return name == "bicubic" ? Interpolation::Bicubic : Interpolation::Bilinear;
}

std::vector<float> fillOf(const std::vector<double>& fill, std::int64_t channels)
{
    std::vector<float> values;
    for (std::size_t channel = 0; channel < static_cast<std::size_t>(channels); ++channel)
        values.push_back(static_cast<float>(fill.size() == 1 ? fill[0] : fill[channel]));
    return values;
}

std::optional<Error> unlessFillFits(const std::vector<double>& fill, const FieldLayout& layout)
{
    const std::int64_t channels = channelsOf(layout.element, layout.shape).count;
    if (fill.size() == 1 || static_cast<std::int64_t>(fill.size()) == channels)
        return std::nullopt;
    return invalid("fill has " + std::to_string(fill.size()) + " values, but '" + layout.name + "' has " +
                       std::to_string(channels) + (channels == 1 ? " channel" : " channels"),
                   "Give one value per channel, or a single one for all", "fill");
}

} // namespace athanor
