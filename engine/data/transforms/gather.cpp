#include "engine/data/transforms/gather.h"

#include <algorithm>

namespace athanor {

namespace {

/// Places of a row that are taken alike.
struct Stretch {
    std::int64_t first; // in the image; kOutside: filled
    std::int64_t count;
    std::int64_t step; // to the next one: 1, or −1 where the image is mirrored
};

std::vector<Stretch> stretchesOf(const IndexMap& map)
{
    std::vector<Stretch> stretches;
    for (const std::int64_t place : map) {
        if (!stretches.empty()) {
            Stretch& last = stretches.back();
            const bool isOutside = place == kOutside || last.first == kOutside;
            const std::int64_t step = isOutside ? 0 : place - (last.first + (last.count - 1) * last.step);
            const bool fits = last.count == 1 ? step == 1 || step == -1 : step == last.step;
            if (isOutside ? place == last.first : fits) {
                last.step = isOutside ? 1 : step;
                ++last.count;
                continue;
            }
        }
        stretches.push_back({place, 1, 1});
    }
    return stretches;
}

/// With the size of a pixel known to the compiler, which then copies it at once.
template <typename T, std::int64_t kPixel>
T* takeMirrored(const T* in, std::int64_t count, T* out)
{
    for (std::int64_t i = 0; i < count; ++i, in -= kPixel, out += kPixel)
        for (std::int64_t k = 0; k < kPixel; ++k)
            out[k] = in[k];
    return out;
}

template <typename T>
struct Rows {
    const std::vector<Stretch>& stretches;
    const std::vector<T>& fill; // of one pixel
    std::int64_t pixel;         // numbers that stay together

    T* fillRow(std::int64_t count, T* out) const
    {
        if (pixel == 1)
            return std::fill_n(out, count, fill[0]);
        for (std::int64_t i = 0; i < count; ++i)
            out = std::copy(fill.begin(), fill.end(), out);
        return out;
    }
    T* takeRow(const T* in, T* out) const
    {
        for (const Stretch& stretch : stretches) {
            if (stretch.first == kOutside)
                out = fillRow(stretch.count, out);
            else if (stretch.step == 1)
                out = std::copy_n(in + stretch.first * pixel, stretch.count * pixel, out);
            else if (pixel == 1)
                out = takeMirrored<T, 1>(in + stretch.first, stretch.count, out);
            else if (pixel == 3)
                out = takeMirrored<T, 3>(in + stretch.first * 3, stretch.count, out);
            else
                for (std::int64_t i = 0; i < stretch.count; ++i)
                    out = std::copy_n(in + (stretch.first - i) * pixel, pixel, out);
        }
        return out;
    }
};

template <typename T>
void gather(const Value& input, const IndexMap& rows, const IndexMap& columns, const std::vector<float>& fill,
            Value& output)
{
    const bool planes = input.element() == Element::Float32;
    const ImageSize size = sizeOfImage(input.element(), input.shape());
    const std::int64_t planeCount = planes ? input.shape()[0] : 1;
    const std::int64_t pixel = planes ? 1 : input.shape()[2];
    const ImageSize to{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(columns.size())};
    auto* out = reinterpret_cast<T*>(
        output.write(input.element(), withImageSize(input.element(), input.shape(), to)));
    const std::vector<Stretch> stretches = stretchesOf(columns);
    std::vector<T> fillPixel(static_cast<std::size_t>(pixel));
    for (std::int64_t plane = 0; plane < planeCount; ++plane) {
        for (std::size_t i = 0; i < fillPixel.size(); ++i)
            fillPixel[i] = static_cast<T>(fill[static_cast<std::size_t>(plane) + i]);
        const Rows<T> take{stretches, fillPixel, pixel};
        const T* in = reinterpret_cast<const T*>(input.bytes()) + plane * size.height * size.width * pixel;
        for (const std::int64_t row : rows)
            out = row == kOutside ? take.fillRow(to.width, out) : take.takeRow(in + row * size.width * pixel, out);
    }
}

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

} // namespace

void gatherImage(const Value& input, const IndexMap& rows, const IndexMap& columns,
                 const std::vector<float>& fill, Value& output)
{
    if (input.element() == Element::UInt8)
        gather<std::uint8_t>(input, rows, columns, fill, output);
    else
        gather<float>(input, rows, columns, fill, output);
}

Padding paddingNamed(const std::string& name)
{
    if (name == "edge")
        return Padding::Edge;
    if (name == "reflect")
        return Padding::Reflect;
    return name == "symmetric" ? Padding::Symmetric : Padding::Constant;
}

IndexMap indexMap(std::int64_t first, std::int64_t count, std::int64_t length, Padding padding)
{
    IndexMap map;
    map.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
        map.push_back(padded(first + i, length, padding));
    return map;
}

void cropImage(const Value& input, std::int64_t top, std::int64_t left, ImageSize size, Value& output)
{
    const ImageSize from = sizeOfImage(input.element(), input.shape());
    const std::vector<float> unused(static_cast<std::size_t>(input.shape()[input.element() == Element::UInt8 ? 2 : 0]));
    gatherImage(input, indexMap(top, size.height, from.height, Padding::Edge),
                indexMap(left, size.width, from.width, Padding::Edge), unused, output);
}

} // namespace athanor
