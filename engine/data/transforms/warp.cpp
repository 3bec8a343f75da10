#include "engine/data/transforms/warp.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace athanor {

namespace {

double radians(double degrees)
{
    return degrees * std::numbers::pi / 180;
}

/// Solves the system whose right side is the last column; false when it has no single solution.
bool solve(std::array<std::array<double, 9>, 8>& rows)
{
    for (std::size_t column = 0; column < 8; ++column) {
        std::size_t best = column;
        for (std::size_t row = column + 1; row < 8; ++row)
            if (std::abs(rows[row][column]) > std::abs(rows[best][column]))
                best = row;
        if (std::abs(rows[best][column]) < 1e-9)
            return false;
        std::swap(rows[column], rows[best]);
        for (std::size_t row = 0; row < 8; ++row) {
            if (row == column)
                continue;
            const double factor = rows[row][column] / rows[column][column];
            for (std::size_t i = column; i < 9; ++i)
                rows[row][i] -= factor * rows[column][i];
        }
    }
    for (std::size_t row = 0; row < 8; ++row)
        rows[row][8] /= rows[row][row];
    return true;
}

// --- bytes, as Pillow ---

struct Bytes {
    const std::uint8_t* numbers;
    ImageSize size;
    std::int64_t channels;

    [[nodiscard]] bool holds(double x, double y) const
    {
        return x >= 0 && y >= 0 && x < static_cast<double>(size.width) && y < static_cast<double>(size.height);
    }
    [[nodiscard]] const std::uint8_t* at(std::int64_t x, std::int64_t y) const
    {
        return numbers + (y * size.width + x) * channels;
    }
    /// The pixel, or the nearest one at the edge.
    [[nodiscard]] const std::uint8_t* clamped(std::int64_t x, std::int64_t y) const
    {
        return at(std::clamp<std::int64_t>(x, 0, size.width - 1), std::clamp<std::int64_t>(y, 0, size.height - 1));
    }
};

void nearestPixel(const Bytes& in, double x, double y, std::uint8_t* out)
{
    const std::uint8_t* pixel = in.at(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y));
    for (std::int64_t channel = 0; channel < in.channels; ++channel)
        out[channel] = pixel[channel];
}

void bilinearPixel(const Bytes& in, double x, double y, std::uint8_t* out)
{
    const double left = std::floor(x - 0.5);
    const double top = std::floor(y - 0.5);
    const double dx = x - 0.5 - left;
    const double dy = y - 0.5 - top;
    const auto column = static_cast<std::int64_t>(left);
    const auto row = static_cast<std::int64_t>(top);
    const std::uint8_t* corners[4] = {in.clamped(column, row), in.clamped(column + 1, row),
                                      in.clamped(column, row + 1), in.clamped(column + 1, row + 1)};
    for (std::int64_t channel = 0; channel < in.channels; ++channel) {
        const double upper = corners[0][channel] + dx * (corners[1][channel] - corners[0][channel]);
        const double lower = corners[2][channel] + dx * (corners[3][channel] - corners[2][channel]);
        out[channel] = static_cast<std::uint8_t>(upper + dy * (lower - upper));
    }
}

/// Keys' cubic with a = −1.
double cubicBetween(const std::array<double, 4>& v, double d)
{
    const double p2 = v[2] - v[0];
    const double p3 = 2 * (v[0] - v[1]) + v[2] - v[3];
    const double p4 = -v[0] + v[1] - v[2] + v[3];
    return v[1] + d * (p2 + d * (p3 + d * p4));
}

void bicubicPixel(const Bytes& in, double x, double y, std::uint8_t* out)
{
    const double left = std::floor(x - 0.5);
    const double top = std::floor(y - 0.5);
    const double dx = x - 0.5 - left;
    const double dy = y - 0.5 - top;
    for (std::int64_t channel = 0; channel < in.channels; ++channel) {
        std::array<double, 4> rows{};
        for (std::int64_t row = 0; row < 4; ++row) {
            std::array<double, 4> line{};
            for (std::int64_t column = 0; column < 4; ++column)
                line[static_cast<std::size_t>(column)] = in.clamped(static_cast<std::int64_t>(left) - 1 + column,
                                                                    static_cast<std::int64_t>(top) - 1 + row)[channel];
            rows[static_cast<std::size_t>(row)] = cubicBetween(line, dx);
        }
        out[channel] = static_cast<std::uint8_t>(std::clamp(cubicBetween(rows, dy), 0.0, 255.0));
    }
}

template <typename Pixel>
void warpBytes(const Bytes& in, const Warp& warp, ImageSize size, Pixel pixel, std::uint8_t* out)
{
    for (std::int64_t row = 0; row < size.height; ++row) {
        for (std::int64_t column = 0; column < size.width; ++column, out += in.channels) {
            const double x = static_cast<double>(column) + 0.5;
            const double y = static_cast<double>(row) + 0.5;
            const double divisor = warp.g * x + warp.h * y + 1;
            const double sourceX = (warp.a * x + warp.b * y + warp.c) / divisor;
            const double sourceY = (warp.d * x + warp.e * y + warp.f) / divisor;
            if (in.holds(sourceX, sourceY))
                pixel(in, sourceX, sourceY, out);
        }
    }
}

/// Pillow's fixed point for the nearest pixel of an affine transform: 16 bits behind the point.
void warpBytesFixed(const Bytes& in, const Warp& warp, ImageSize size, std::uint8_t* out)
{
    const auto fixed = [](double value) { return static_cast<std::int64_t>(std::floor(value * 65536.0 + 0.5)); };
    const std::int64_t a = fixed(warp.a);
    const std::int64_t d = fixed(warp.d);
    std::int64_t rowX = fixed(warp.c + warp.a * 0.5 + warp.b * 0.5);
    std::int64_t rowY = fixed(warp.f + warp.d * 0.5 + warp.e * 0.5);
    for (std::int64_t row = 0; row < size.height; ++row, rowX += fixed(warp.b), rowY += fixed(warp.e)) {
        std::int64_t x = rowX;
        std::int64_t y = rowY;
        for (std::int64_t column = 0; column < size.width; ++column, x += a, y += d, out += in.channels) {
            const std::int64_t sourceX = x >> 16;
            const std::int64_t sourceY = y >> 16;
            if (sourceX < 0 || sourceX >= in.size.width || sourceY < 0 || sourceY >= in.size.height)
                continue;
            const std::uint8_t* pixel = in.at(sourceX, sourceY);
            for (std::int64_t channel = 0; channel < in.channels; ++channel)
                out[channel] = pixel[channel];
        }
    }
}

/// Pillow's fixed point holds 32 bits; beyond it uses floats.
bool fitsFixed(const Warp& warp, ImageSize size)
{
    for (const double x : {0.0, static_cast<double>(size.width)})
        for (const double y : {0.0, static_cast<double>(size.height)})
            if (std::abs(warp.a * x + warp.b * y + warp.c) >= 32768 ||
                std::abs(warp.d * x + warp.e * y + warp.f) >= 32768)
                return false;
    return true;
}

void warpBytes(const Bytes& in, const Warp& warp, ImageSize size, Interpolation interpolation, std::uint8_t* out)
{
    if (interpolation == Interpolation::Bilinear)
        warpBytes(in, warp, size, bilinearPixel, out);
    else if (interpolation == Interpolation::Bicubic)
        warpBytes(in, warp, size, bicubicPixel, out);
    else if (warp.isAffine() && (warp.b != 0 || warp.d != 0) && fitsFixed(warp, size))
        warpBytesFixed(in, warp, size, out);
    else
        warpBytes(in, warp, size, nearestPixel, out);
}

// --- floats, as grid_sample with zeros outside and the mask of torchvision's fill ---

struct Plane {
    const float* numbers;
    ImageSize size;

    [[nodiscard]] bool holds(std::int64_t x, std::int64_t y) const
    {
        return x >= 0 && y >= 0 && x < size.width && y < size.height;
    }
    [[nodiscard]] float at(std::int64_t x, std::int64_t y) const { return numbers[y * size.width + x]; }
};

float nearestNumber(const Plane& in, double x, double y, float fill)
{
    const auto column = static_cast<std::int64_t>(std::nearbyint(x));
    const auto row = static_cast<std::int64_t>(std::nearbyint(y));
    return in.holds(column, row) ? in.at(column, row) : fill;
}

float bilinearNumber(const Plane& in, double x, double y, float fill)
{
    const double left = std::floor(x);
    const double top = std::floor(y);
    double value = 0;
    double inside = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
        const std::int64_t column = static_cast<std::int64_t>(left) + i % 2;
        const std::int64_t row = static_cast<std::int64_t>(top) + i / 2;
        if (!in.holds(column, row))
            continue;
        const double weight = (1 - std::abs(x - static_cast<double>(column))) *
                              (1 - std::abs(y - static_cast<double>(row)));
        value += weight * in.at(column, row);
        inside += weight;
    }
    return static_cast<float>(value * inside + (1 - inside) * fill);
}

template <typename Number>
void warpPlane(const Plane& in, const Warp& warp, ImageSize size, float fill, Number number, float* out)
{
    for (std::int64_t row = 0; row < size.height; ++row) {
        for (std::int64_t column = 0; column < size.width; ++column, ++out) {
            const double x = static_cast<double>(column) + 0.5;
            const double y = static_cast<double>(row) + 0.5;
            const double divisor = warp.g * x + warp.h * y + 1;
            const double sourceX = (warp.a * x + warp.b * y + warp.c) / divisor - 0.5;
            const double sourceY = (warp.d * x + warp.e * y + warp.f) / divisor - 0.5;
            const bool isNear = sourceX > -2 && sourceY > -2 && sourceX < static_cast<double>(in.size.width) + 1 &&
                                sourceY < static_cast<double>(in.size.height) + 1; // not when it is not a number
            *out = isNear ? number(in, sourceX, sourceY, fill) : fill;
        }
    }
}

} // namespace

Warp inverseOf(const AffineMove& move, ImagePoint center, ImageSize from, ImageSize to)
{
    const double angle = radians(move.angle);
    const double shearX = std::tan(radians(move.shearX));
    const double shearY = radians(move.shearY);
    const double a = std::cos(angle - shearY) / std::cos(shearY);
    const double b = -a * shearX - std::sin(angle);
    const double c = std::sin(angle - shearY) / std::cos(shearY);
    const double d = -c * shearX + std::cos(angle);
    const auto exact = [](double value) { return std::abs(value) < 1e-15 ? 0.0 : value; }; // a quarter turn's cosine
    Warp warp{.a = exact(d / move.scale),
              .b = exact(-b / move.scale),
              .d = exact(-c / move.scale),
              .e = exact(a / move.scale)};
    const double x = center.x + move.translateX + static_cast<double>(to.width - from.width) / 2;
    const double y = center.y + move.translateY + static_cast<double>(to.height - from.height) / 2;
    warp.c = center.x - warp.a * x - warp.b * y;
    warp.f = center.y - warp.d * x - warp.e * y;
    return warp;
}

ImageSize sizeOfTurned(ImageSize size, double angle, Element element)
{
    const auto width = static_cast<double>(size.width);
    const auto height = static_cast<double>(size.height);
    const Warp turn = inverseOf({.angle = -angle}, {width / 2, height / 2}, size, size);
    double left = width;
    double right = 0;
    double top = height;
    double bottom = 0;
    for (const double x : {0.0, width}) {
        for (const double y : {0.0, height}) {
            left = std::min(left, turn.a * x + turn.b * y + turn.c);
            right = std::max(right, turn.a * x + turn.b * y + turn.c);
            top = std::min(top, turn.d * x + turn.e * y + turn.f);
            bottom = std::max(bottom, turn.d * x + turn.e * y + turn.f);
        }
    }
    const auto cut = [element](double value) { // floats lose what is below 1e-4
        return element == Element::UInt8 ? value : std::trunc(value * 1e4) / 1e4;
    };
    return {static_cast<std::int64_t>(std::ceil(cut(bottom)) - std::floor(cut(top))),
            static_cast<std::int64_t>(std::ceil(cut(right)) - std::floor(cut(left)))};
}

std::optional<Warp> perspectiveOf(const std::array<ImagePoint, 4>& start, const std::array<ImagePoint, 4>& end)
{
    std::array<std::array<double, 9>, 8> rows{};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto [x, y] = end[i];
        const auto [toX, toY] = start[i];
        rows[2 * i] = {x, y, 1, 0, 0, 0, -toX * x, -toX * y, toX};
        rows[2 * i + 1] = {0, 0, 0, x, y, 1, -toY * x, -toY * y, toY};
    }
    if (!solve(rows))
        return std::nullopt;
    return Warp{rows[0][8], rows[1][8], rows[2][8], rows[3][8], rows[4][8], rows[5][8], rows[6][8], rows[7][8]};
}

void warpImage(const Value& input, const Warp& warp, ImageSize size, Interpolation interpolation,
               const std::vector<float>& fill, Value& output)
{
    const ImageSize from = sizeOfImage(input.element(), input.shape());
    std::byte* bytes = output.write(input.element(), withImageSize(input.element(), input.shape(), size));
    if (input.element() == Element::UInt8) {
        auto* out = reinterpret_cast<std::uint8_t*>(bytes);
        const std::int64_t channels = input.shape()[2];
        for (std::int64_t pixel = 0; pixel < size.height * size.width; ++pixel)
            for (std::int64_t channel = 0; channel < channels; ++channel)
                out[pixel * channels + channel] =
                    static_cast<std::uint8_t>(std::clamp(fill[static_cast<std::size_t>(channel)], 0.0F, 255.0F));
        warpBytes({input.uint8(), from, channels}, warp, size, interpolation, out);
        return;
    }
    auto* out = reinterpret_cast<float*>(bytes);
    for (std::int64_t plane = 0; plane < input.shape()[0]; ++plane) {
        const Plane in{input.float32() + plane * from.height * from.width, from};
        const float edge = fill[static_cast<std::size_t>(plane)];
        float* target = out + plane * size.height * size.width;
        if (interpolation == Interpolation::Nearest)
            warpPlane(in, warp, size, edge, nearestNumber, target);
        else
            warpPlane(in, warp, size, edge, bilinearNumber, target);
    }
}

} // namespace athanor
