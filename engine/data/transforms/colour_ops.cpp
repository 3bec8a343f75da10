#include "engine/data/transforms/colour_ops.h"

#include "engine/data/image_io.h"
#include "engine/data/transforms/image_transform.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace athanor {

namespace {

using Table = std::array<std::uint8_t, 256>;

bool isBytes(const Value& image)
{
    return image.element() == Element::UInt8;
}

std::uint8_t* bytesLike(const Value& input, Value& output)
{
    return reinterpret_cast<std::uint8_t*>(output.write(Element::UInt8, input.shape()));
}

float* floatsLike(const Value& input, Value& output)
{
    return reinterpret_cast<float*>(output.write(Element::Float32, input.shape()));
}

/// Pillow's Image.blend: what is behind the point is cut off.
std::uint8_t blended(int other, int value, float factor)
{
    const float sum = static_cast<float>(other) + factor * static_cast<float>(value - other);
    return static_cast<std::uint8_t>(std::clamp(sum, 0.0F, 255.0F));
}

float blendedFloat(float other, float value, float factor)
{
    return std::clamp(factor * value + (1 - factor) * other, 0.0F, 1.0F);
}

void look(const Value& input, const Table& table, Value& output)
{
    const std::uint8_t* in = input.uint8();
    const std::int64_t count = input.count();
    std::uint8_t* out = bytesLike(input, output);
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = table[in[i]];
}

/// A table per channel.
void look(const Value& input, const std::vector<Table>& tables, Value& output)
{
    const std::uint8_t* in = input.uint8();
    const auto channels = static_cast<std::int64_t>(tables.size());
    const std::int64_t pixels = input.count() / channels;
    std::uint8_t* out = bytesLike(input, output);
    for (std::int64_t channel = 0; channel < channels; ++channel) {
        const Table& table = tables[static_cast<std::size_t>(channel)];
        for (std::int64_t at = channel; at < pixels * channels; at += channels)
            out[at] = table[in[at]];
    }
}

void blendWith(const Value& input, double other, double factor, Value& output)
{
    const auto share = static_cast<float>(factor);
    if (isBytes(input)) {
        Table table{};
        for (int value = 0; value < 256; ++value)
            table[static_cast<std::size_t>(value)] = blended(static_cast<int>(other), value, share);
        return look(input, table, output);
    }
    const float* in = input.float32();
    float* out = floatsLike(input, output);
    for (std::int64_t i = 0; i < input.count(); ++i)
        out[i] = blendedFloat(static_cast<float>(other), in[i], share);
}

float grayOf(const float* in, std::int64_t pixels, std::int64_t pixel)
{
    return 0.2989F * in[pixel] + 0.587F * in[pixels + pixel] + 0.114F * in[2 * pixels + pixel];
}

/// Of bytes rounded to a whole number.
double meanBrightness(const Value& image)
{
    const std::int64_t channels = channelsOfImage(image);
    const std::int64_t pixels = image.count() / channels;
    if (isBytes(image)) {
        std::int64_t sum = 0;
        const std::uint8_t* in = image.uint8();
        for (std::int64_t i = 0; i < pixels; ++i, in += channels)
            sum += channels == 3 ? grayLevel(in[0], in[1], in[2]) : in[0];
        return std::floor(static_cast<double>(sum) / static_cast<double>(pixels) + 0.5);
    }
    double sum = 0;
    for (std::int64_t i = 0; i < pixels; ++i)
        sum += channels == 3 ? grayOf(image.float32(), pixels, i) : image.float32()[i];
    return sum / static_cast<double>(pixels);
}

} // namespace

void adjustBrightness(const Value& input, double factor, Value& output)
{
    blendWith(input, 0, factor, output);
}

void adjustContrast(const Value& input, double factor, Value& output)
{
    if (input.count() > 0)
        blendWith(input, meanBrightness(input), factor, output);
}

void adjustSaturation(const Value& input, double factor, Value& output)
{
    if (channelsOfImage(input) != 3)
        return copyValue(input, output);
    const std::int64_t pixels = input.count() / 3;
    const auto share = static_cast<float>(factor);
    if (isBytes(input)) {
        const std::uint8_t* in = input.uint8();
        std::uint8_t* out = bytesLike(input, output);
        for (std::int64_t i = 0; i < pixels; ++i, in += 3, out += 3) {
            const int gray = grayLevel(in[0], in[1], in[2]);
            for (int channel = 0; channel < 3; ++channel)
                out[channel] = blended(gray, in[channel], share);
        }
        return;
    }
    const float* in = input.float32();
    float* out = floatsLike(input, output);
    for (std::int64_t i = 0; i < pixels; ++i) {
        const float gray = grayOf(in, pixels, i);
        for (std::int64_t at = i; at < 3 * pixels; at += pixels)
            out[at] = blendedFloat(gray, in[at], share);
    }
}

void invertImage(const Value& input, Value& output)
{
    if (isBytes(input)) {
        Table table{};
        for (std::size_t value = 0; value < 256; ++value)
            table[value] = static_cast<std::uint8_t>(255 - value);
        return look(input, table, output);
    }
    const float* in = input.float32();
    float* out = floatsLike(input, output);
    for (std::int64_t i = 0; i < input.count(); ++i)
        out[i] = 1 - in[i];
}

void posterizeImage(const Value& input, int bits, Value& output)
{
    const unsigned mask = 0xFFU & ~((1U << static_cast<unsigned>(8 - bits)) - 1U);
    Table table{};
    for (unsigned value = 0; value < 256; ++value)
        table[value] = static_cast<std::uint8_t>(value & mask);
    look(input, table, output);
}

void solarizeImage(const Value& input, double threshold, Value& output)
{
    if (isBytes(input)) {
        Table table{};
        for (int value = 0; value < 256; ++value)
            table[static_cast<std::size_t>(value)] = static_cast<std::uint8_t>(value < threshold ? value : 255 - value);
        return look(input, table, output);
    }
    const float* in = input.float32();
    float* out = floatsLike(input, output);
    for (std::int64_t i = 0; i < input.count(); ++i)
        out[i] = in[i] >= static_cast<float>(threshold) ? 1 - in[i] : in[i];
}

namespace {

/// How often each value occurs, per channel.
std::vector<std::array<std::int64_t, 256>> histograms(const Value& image)
{
    const std::int64_t channels = channelsOfImage(image);
    std::vector<std::array<std::int64_t, 256>> counts(static_cast<std::size_t>(channels));
    const std::uint8_t* in = image.uint8();
    for (std::int64_t i = 0; i < image.count(); i += channels)
        for (std::size_t channel = 0; channel < counts.size(); ++channel)
            ++counts[channel][*in++];
    return counts;
}

Table identity()
{
    Table table{};
    for (std::size_t value = 0; value < 256; ++value)
        table[value] = static_cast<std::uint8_t>(value);
    return table;
}

Table stretching(const std::array<std::int64_t, 256>& counts)
{
    const auto isUsed = [](std::int64_t count) { return count > 0; };
    const auto low = std::find_if(counts.begin(), counts.end(), isUsed) - counts.begin();
    const auto high = 255 - (std::find_if(counts.rbegin(), counts.rend(), isUsed) - counts.rbegin());
    Table table = identity();
    if (high <= low)
        return table;
    const double scale = 255.0 / static_cast<double>(high - low);
    const double offset = static_cast<double>(-low) * scale;
    for (std::size_t value = 0; value < 256; ++value)
        table[value] =
            static_cast<std::uint8_t>(std::clamp(static_cast<int>(static_cast<double>(value) * scale + offset), 0, 255));
    return table;
}

Table equalizing(const std::array<std::int64_t, 256>& counts)
{
    Table table = identity();
    std::int64_t sum = 0;
    std::int64_t last = 0;
    for (const std::int64_t count : counts) {
        sum += count;
        last = count > 0 ? count : last;
    }
    const std::int64_t step = (sum - last) / 255;
    if (step == 0) // one value only, or too few pixels
        return table;
    std::int64_t before = step / 2;
    for (std::size_t value = 0; value < 256; ++value) {
        table[value] = static_cast<std::uint8_t>(std::min<std::int64_t>(before / step, 255));
        before += counts[value];
    }
    return table;
}

} // namespace

void autocontrastImage(const Value& input, Value& output)
{
    if (isBytes(input)) {
        std::vector<Table> tables;
        for (const auto& counts : histograms(input))
            tables.push_back(stretching(counts));
        return look(input, tables, output);
    }
    const std::int64_t channels = channelsOfImage(input);
    const std::int64_t pixels = input.count() / channels;
    const float* in = input.float32();
    float* out = floatsLike(input, output);
    for (std::int64_t channel = 0; channel < channels; ++channel, in += pixels, out += pixels) {
        const auto [low, high] = std::minmax_element(in, in + pixels);
        const float range = pixels > 0 ? *high - *low : 0;
        const float scale = range > 0 ? 1 / range : 1;
        const float least = range > 0 ? *low : 0;
        for (std::int64_t i = 0; i < pixels; ++i)
            out[i] = std::clamp((in[i] - least) * scale, 0.0F, 1.0F);
    }
}

void equalizeImage(const Value& input, Value& output)
{
    std::vector<Table> tables;
    for (const auto& counts : histograms(input))
        tables.push_back(equalizing(counts));
    look(input, tables, output);
}

void grayImage(const Value& input, std::int64_t channels, Value& output)
{
    const std::int64_t from = channelsOfImage(input);
    const std::int64_t pixels = input.count() / from;
    std::vector<std::int64_t> shape = input.shape();
    shape[isBytes(input) ? 2 : 0] = channels;
    std::byte* bytes = output.write(input.element(), shape);
    if (isBytes(input)) {
        const std::uint8_t* in = input.uint8();
        auto* out = reinterpret_cast<std::uint8_t*>(bytes);
        if (from == 3 && channels == 1) { // a loop of its own, which the compiler can turn into one over vectors
            for (std::int64_t i = 0; i < pixels; ++i)
                out[i] = grayLevel(in[3 * i], in[3 * i + 1], in[3 * i + 2]);
            return;
        }
        for (std::int64_t i = 0; i < pixels; ++i, in += from) {
            const std::uint8_t gray = from == 3 ? grayLevel(in[0], in[1], in[2]) : in[0];
            for (std::int64_t channel = 0; channel < channels; ++channel)
                *out++ = gray;
        }
        return;
    }
    const float* in = input.float32();
    auto* out = reinterpret_cast<float*>(bytes);
    for (std::int64_t i = 0; i < pixels; ++i)
        out[i] = from == 3 ? grayOf(in, pixels, i) : in[i];
    for (std::int64_t channel = 1; channel < channels; ++channel)
        std::copy_n(out, pixels, out + channel * pixels);
}

} // namespace athanor
