#include "engine/preflight/picture_marks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace athanor {
namespace {

constexpr std::int64_t kPixelsOfCell = 16; // along each side

struct Picture {
    const std::uint8_t* pixels;
    std::int64_t height;
    std::int64_t width;
    std::int64_t channels;

    [[nodiscard]] double grey(std::int64_t y, std::int64_t x) const
    {
        const std::uint8_t* pixel = pixels + (y * width + x) * channels;
        return channels < 3 ? pixel[0] : 0.299 * pixel[0] + 0.587 * pixel[1] + 0.114 * pixel[2];
    }

    /// Mean brightness of cell (row, column) of a grid.
    [[nodiscard]] double cell(std::int64_t row, std::int64_t rows, std::int64_t column,
                              std::int64_t columns) const
    {
        const std::int64_t top = row * height / rows;
        const std::int64_t left = column * width / columns;
        const std::int64_t bottom = std::max(top + 1, (row + 1) * height / rows);
        const std::int64_t right = std::max(left + 1, (column + 1) * width / columns);
        const std::int64_t down = std::max<std::int64_t>(1, (bottom - top) / kPixelsOfCell);
        const std::int64_t along = std::max<std::int64_t>(1, (right - left) / kPixelsOfCell);
        double sum = 0;
        std::int64_t count = 0;
        for (std::int64_t y = top; y < bottom; y += down)
            for (std::int64_t x = left; x < right; x += along, ++count)
                sum += grey(y, x);
        return sum / static_cast<double>(count);
    }
};

bool isBlank(const Picture& picture)
{
    const auto channels = static_cast<std::size_t>(picture.channels);
    const std::int64_t count = picture.height * picture.width;
    for (std::int64_t i = 1; i < count; ++i)
        if (std::memcmp(picture.pixels, picture.pixels + static_cast<std::size_t>(i) * channels, channels) !=
            0)
            return false;
    return true;
}

double meanOf(const std::array<std::uint8_t, 64>& small)
{
    double sum = 0;
    for (const std::uint8_t level : small)
        sum += level;
    return sum / static_cast<double>(small.size());
}

} // namespace

PictureMarks pictureMarks(const std::uint8_t* pixels, std::int64_t height, std::int64_t width,
                          std::int64_t channels)
{
    PictureMarks marks;
    if (height < 1 || width < 1 || channels < 1)
        return marks;
    const Picture picture{pixels, height, width, channels};
    marks.blank = isBlank(picture);
    for (std::int64_t row = 0; row < 8; ++row) {
        double before = picture.cell(row, 8, 0, 9);
        for (std::int64_t column = 0; column < 8; ++column) {
            const double next = picture.cell(row, 8, column + 1, 9);
            marks.look = marks.look << 1U | (next > before ? 1U : 0U);
            before = next;
            marks.small[static_cast<std::size_t>(row * 8 + column)] =
                static_cast<std::uint8_t>(std::lround(picture.cell(row, 8, column, 8)));
        }
    }
    return marks;
}

int lookDistance(std::uint64_t a, std::uint64_t b)
{
    return std::popcount(a ^ b);
}

double smallDistance(const std::array<std::uint8_t, 64>& a, const std::array<std::uint8_t, 64>& b)
{
    const double brighter = meanOf(a) - meanOf(b);
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        sum += std::abs(a[i] - b[i] - brighter);
    return sum / static_cast<double>(a.size());
}

double smallContrast(const std::array<std::uint8_t, 64>& small)
{
    const double mean = meanOf(small);
    double sum = 0;
    for (const std::uint8_t level : small)
        sum += (level - mean) * (level - mean);
    return std::sqrt(sum / static_cast<double>(small.size()));
}

} // namespace athanor
