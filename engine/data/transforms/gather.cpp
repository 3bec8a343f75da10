#include "engine/data/transforms/gather.h"

#include <algorithm>

namespace athanor {

namespace {

/// Whether each place follows the one before it.
bool isRun(const IndexMap& map)
{
    for (std::size_t i = 0; i < map.size(); ++i)
        if (map[i] == kOutside || map[i] != map[0] + static_cast<std::int64_t>(i))
            return false;
    return !map.empty();
}

template <typename T>
struct Rows {
    const IndexMap& columns;
    const std::vector<T>& fill; // of one pixel
    std::int64_t pixel;         // numbers that stay together
    bool isCopy;                // the columns are a run

    T* fillRow(T* out) const
    {
        for (std::size_t i = 0; i < columns.size(); ++i)
            out = std::copy(fill.begin(), fill.end(), out);
        return out;
    }
    T* takeRow(const T* in, T* out) const
    {
        if (isCopy)
            return std::copy_n(in + columns[0] * pixel, static_cast<std::int64_t>(columns.size()) * pixel, out);
        for (const std::int64_t column : columns) {
            const T* source = column == kOutside ? fill.data() : in + column * pixel;
            for (std::int64_t i = 0; i < pixel; ++i)
                *out++ = source[i];
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
    const bool isCopy = isRun(columns);
    std::vector<T> fillPixel(static_cast<std::size_t>(pixel));
    for (std::int64_t plane = 0; plane < planeCount; ++plane) {
        for (std::size_t i = 0; i < fillPixel.size(); ++i)
            fillPixel[i] = static_cast<T>(fill[static_cast<std::size_t>(plane) + i]);
        const Rows<T> take{columns, fillPixel, pixel, isCopy};
        const T* in = reinterpret_cast<const T*>(input.bytes()) + plane * size.height * size.width * pixel;
        for (const std::int64_t row : rows)
            out = row == kOutside ? take.fillRow(out) : take.takeRow(in + row * size.width * pixel, out);
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
