// Hue and sharpness, the operations that look further than one number.
#include "engine/data/transforms/colour_ops.h"
#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {

namespace {

struct Hsv {
    float hue; // 0 to 1
    float saturation;
    float value;
};

/// The part of hue that is the same for bytes and floats: of a colour that is not grey.
float hueOf(float red, float green, float blue, float most, float range)
{
    const float rc = (most - red) / range;
    const float gc = (most - green) / range;
    const float bc = (most - blue) / range;
    const float sector = red == most ? bc - gc : static_cast<float>(green == most ? 2.0 + rc - bc : 4.0 + gc - rc);
    return static_cast<float>(std::fmod(sector / 6.0 + 1.0, 1.0));
}

/// Which of v, p, q, t are red, green and blue in each sixth of the circle.
constexpr std::array<std::array<std::size_t, 3>, 6> kSectors = {
    {{0, 3, 1}, {2, 0, 1}, {1, 0, 3}, {1, 2, 0}, {3, 1, 0}, {0, 1, 2}}};

/// Pillow's conversion to bytes of hue, saturation and value, turned, and back.
void turnBytes(const std::uint8_t* in, int turn, std::uint8_t* out)
{
    const auto [low, most] = std::minmax({in[0], in[1], in[2]});
    if (low == most) {
        std::copy_n(in, 3, out);
        return;
    }
    const auto range = static_cast<float>(most - low);
    const float exactHue = hueOf(in[0], in[1], in[2], most, range);
    const int hue = (static_cast<int>(exactHue * 255.0) + turn) & 255; // in doubles, as Pillow: rounding decides
    const int saturation = static_cast<int>(range / static_cast<float>(most) * 255.0);
    if (saturation == 0) {
        std::fill_n(out, 3, most);
        return;
    }
    const double place = hue * 6.0 / 255.0;
    const int sector = static_cast<int>(place);
    const double f = static_cast<float>(place - sector);
    const double s = static_cast<float>(saturation / 255.0);
    const auto byte = [most = most](double share) {
        return static_cast<std::uint8_t>(std::clamp(std::round(most * share), 0.0, 255.0));
    };
    const std::array<std::uint8_t, 4> levels = {most, byte(1 - s), byte(1 - s * f), byte(1 - s * (1 - f))};
    for (std::size_t channel = 0; channel < 3; ++channel)
        out[channel] = levels[kSectors[static_cast<std::size_t>(sector % 6)][channel]];
}

std::array<float, 3> turnFloats(float red, float green, float blue, float turn)
{
    const auto [low, most] = std::minmax({red, green, blue});
    const float range = most - low;
    const Hsv colour{range > 0 ? hueOf(red, green, blue, most, range) : 0, range > 0 ? range / most : 0, most};
    float hue = std::fmod(colour.hue + turn, 1.0F);
    hue = hue < 0 ? hue + 1 : hue;
    if (!std::isfinite(hue))
        return {red, green, blue}; // no hue can be told
    const float sector = std::floor(hue * 6);
    const float f = hue * 6 - sector;
    const auto limited = [](float level) { return std::clamp(level, 0.0F, 1.0F); };
    const float s = colour.saturation;
    const float v = colour.value;
    const std::array<float, 4> levels = {v, limited(v * (1 - s)), limited(v * (1 - s * f)),
                                         limited(v * (1 - s * (1 - f)))};
    const auto& places = kSectors[static_cast<std::size_t>(sector) % 6];
    return {levels[places[0]], levels[places[1]], levels[places[2]]};
}

/// Blends a plane or interleaved channels with their 3 × 3 mean that counts the middle five times; the border
/// stays. `step` is the distance between neighbours in a row.
template <typename T, typename Blend>
void sharpenPlane(const T* in, ImageSize size, std::int64_t step, Blend blend, T* out)
{
    const std::int64_t line = size.width * step;
    std::copy_n(in, size.height * line, out);
    for (std::int64_t row = 1; row + 1 < size.height; ++row) {
        const T* middle = in + row * line;
        T* target = out + row * line;
        for (std::int64_t i = step; i < line - step; ++i) {
            const auto around = [middle, i, step](std::int64_t shift) {
                return static_cast<float>(middle[i + shift - step]) + static_cast<float>(middle[i + shift]) +
                       static_cast<float>(middle[i + shift + step]);
            };
            const float sum = around(-line) + around(0) + around(line) + 4 * static_cast<float>(middle[i]);
            target[i] = blend(sum / 13, middle[i]);
        }
    }
}

} // namespace

void adjustHue(const Value& input, double factor, Value& output)
{
    if (channelsOfImage(input) != 3)
        return copyValue(input, output);
    const std::int64_t pixels = input.count() / 3;
    if (input.element() == Element::UInt8) {
        const std::uint8_t* in = input.uint8();
        auto* out = reinterpret_cast<std::uint8_t*>(output.write(Element::UInt8, input.shape()));
        const int turn = static_cast<int>(factor * 255);
        for (std::int64_t i = 0; i < pixels; ++i)
            turnBytes(in + 3 * i, turn, out + 3 * i);
        return;
    }
    const float* in = input.float32();
    auto* out = reinterpret_cast<float*>(output.write(Element::Float32, input.shape()));
    for (std::int64_t i = 0; i < pixels; ++i) {
        const auto colour = turnFloats(in[i], in[pixels + i], in[2 * pixels + i], static_cast<float>(factor));
        for (std::int64_t channel = 0; channel < 3; ++channel)
            out[channel * pixels + i] = colour[static_cast<std::size_t>(channel)];
    }
}

void adjustSharpness(const Value& input, double factor, Value& output)
{
    const ImageSize size = sizeOfImage(input.element(), input.shape());
    if (size.height < 3 || size.width < 3)
        return copyValue(input, output);
    const auto share = static_cast<float>(factor);
    std::byte* bytes = output.write(input.element(), input.shape());
    if (input.element() == Element::UInt8) {
        const auto blend = [share](float mean, std::uint8_t value) {
            const float smooth = std::floor(mean + 0.5F);
            return static_cast<std::uint8_t>(
                std::clamp(smooth + share * (static_cast<float>(value) - smooth), 0.0F, 255.0F));
        };
        sharpenPlane(input.uint8(), size, input.shape()[2], blend, reinterpret_cast<std::uint8_t*>(bytes));
        return;
    }
    const auto blend = [share](float mean, float value) {
        return std::clamp(share * value + (1 - share) * mean, 0.0F, 1.0F);
    };
    const std::int64_t plane = size.height * size.width;
    auto* out = reinterpret_cast<float*>(bytes);
    for (std::int64_t channel = 0; channel < input.shape()[0]; ++channel) {
        sharpenPlane(input.float32() + channel * plane, size, 1, blend, out + channel * plane);
        for (std::int64_t i = 0; i < plane; ++i) // the border is limited too
            out[channel * plane + i] = std::clamp(out[channel * plane + i], 0.0F, 1.0F);
    }
}

} // namespace athanor
