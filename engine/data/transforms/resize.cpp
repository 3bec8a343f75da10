#include "engine/data/transforms/resize.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace athanor {

namespace {

/// The input pixels that one output pixel is made of.
struct Window {
    std::int64_t first = 0;
    std::vector<double> weights; // sum 1
};

double triangle(double x)
{
    return std::max(0.0, 1 - std::abs(x));
}

/// Keys' cubic with a = −0.5.
double cubic(double x)
{
    constexpr double a = -0.5;
    x = std::abs(x);
    if (x < 1)
        return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? (((x - 5) * x + 8) * x - 4) * a : 0;
}

/// How pixels between pixels are made.
struct Method {
    Interpolation interpolation;
    bool bytes;
    bool antialias;
};

Window nearestWindow(std::int64_t from, std::int64_t to, std::int64_t at)
{
    const float ratio = static_cast<float>(from) / static_cast<float>(to);
    return {std::min(static_cast<std::int64_t>(static_cast<float>(at) * ratio), from - 1), {1.0}};
}

Window filterWindow(std::int64_t from, std::int64_t to, std::int64_t at, Interpolation interpolation)
{
    const bool bilinear = interpolation == Interpolation::Bilinear;
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double stretch = std::max(scale, 1.0); // antialias when shrinking
    const double support = (bilinear ? 1 : 2) * stretch;
    const double center = scale * (static_cast<double>(at) + 0.5);
    Window window;
    window.first = std::max<std::int64_t>(0, static_cast<std::int64_t>(center - support + 0.5));
    const std::int64_t end = std::min(from, static_cast<std::int64_t>(center + support + 0.5));
    double sum = 0;
    for (std::int64_t x = window.first; x < end; ++x) {
        const double distance = (static_cast<double>(x) - center + 0.5) * (1.0 / stretch);
        window.weights.push_back(bilinear ? triangle(distance) : cubic(distance));
        sum += window.weights.back();
    }
    for (double& weight : window.weights)
        weight /= sum;
    return window;
}

/// torch's interpolate without antialias: the two or four pixels around the place (the cubic with a = −0.75),
/// those beyond the edge being the edge's.
Window pointWindow(std::int64_t from, std::int64_t to, std::int64_t at, bool bilinear)
{
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    const double place = scale * (static_cast<double>(at) + 0.5) - 0.5;
    const auto before = static_cast<std::int64_t>(std::floor(place));
    const double t = place - static_cast<double>(before);
    const auto outer = [](double x) { return ((x - 5) * x + 8) * x * -0.75 + 3; };
    const auto inner = [](double x) { return (1.25 * x - 2.25) * x * x + 1; };
    const std::vector<double> weights =
        bilinear ? std::vector{0.0, 1 - t, t, 0.0} : std::vector{outer(t + 1), inner(t), inner(1 - t), outer(2 - t)};
    Window window;
    window.first = std::clamp<std::int64_t>(before - 1, 0, from - 1);
    const std::int64_t last = std::clamp<std::int64_t>(before + 2, 0, from - 1);
    window.weights.resize(static_cast<std::size_t>(last - window.first + 1));
    for (std::int64_t i = 0; i < 4; ++i)
        window.weights[static_cast<std::size_t>(std::clamp<std::int64_t>(before - 1 + i, 0, from - 1) -
                                                window.first)] += weights[static_cast<std::size_t>(i)];
    return window;
}

std::vector<Window> windows(std::int64_t from, std::int64_t to, const Method& method)
{
    std::vector<Window> result;
    const double scale = static_cast<double>(from) / static_cast<double>(to);
    double place = scale * 0.5; // added up, as Pillow does: rounding decides between neighbours
    for (std::int64_t at = 0; at < to; ++at, place += scale) {
        if (method.interpolation == Interpolation::Nearest && method.bytes)
            result.push_back({std::min(static_cast<std::int64_t>(place), from - 1), {1.0}});
        else if (method.interpolation == Interpolation::Nearest)
            result.push_back(nearestWindow(from, to, at));
        else if (method.bytes || method.antialias)
            result.push_back(filterWindow(from, to, at, method.interpolation));
        else
            result.push_back(pointWindow(from, to, at, method.interpolation == Interpolation::Bilinear));
    }
    return result;
}

/// Weighted sums of bytes in Pillow's fixed point, and of floats.
template <typename T>
struct Arithmetic;

template <>
struct Arithmetic<std::uint8_t> {
    using Number = int;
    static constexpr int kBits = 32 - 8 - 2;
    static constexpr Number kStart = 1 << (kBits - 1);
    static Number weight(double value)
    {
        return static_cast<int>(value * (1 << kBits) + (value < 0 ? -0.5 : 0.5));
    }
    static std::uint8_t result(Number sum)
    {
        return static_cast<std::uint8_t>(std::clamp(sum >> kBits, 0, 255));
    }
};

template <>
struct Arithmetic<float> {
    using Number = float;
    static constexpr Number kStart = 0;
    static Number weight(double value) { return static_cast<float>(value); }
    static float result(Number sum) { return sum; }
};

/// Scales the middle axis of an array of outer × from × inner numbers.
template <typename T>
void scaleAxis(const T* in, std::int64_t outer, std::int64_t from, std::int64_t inner,
               const std::vector<Window>& axis, T* out)
{
    using Number = typename Arithmetic<T>::Number;
    std::vector<std::vector<Number>> weights(axis.size());
    for (std::size_t at = 0; at < axis.size(); ++at)
        for (const double weight : axis[at].weights)
            weights[at].push_back(Arithmetic<T>::weight(weight));
    std::vector<Number> sums(static_cast<std::size_t>(inner));
    for (std::int64_t o = 0; o < outer; ++o) {
        for (std::size_t at = 0; at < axis.size(); ++at) {
            std::fill(sums.begin(), sums.end(), Arithmetic<T>::kStart);
            const T* source = in + (o * from + axis[at].first) * inner;
            for (const Number weight : weights[at])
                for (Number& sum : sums)
                    sum += *source++ * weight;
            out = std::transform(sums.begin(), sums.end(), out, Arithmetic<T>::result);
        }
    }
}

/// First along the width, then along the height; an axis that keeps its length is left alone.
template <typename T>
void scaleImage(const Value& input, ImageSize from, ImageSize to, const Method& method, Value& output)
{
    const bool planes = std::is_same_v<T, float>; // C×H×W
    const std::int64_t channels = planes ? input.shape()[0] : input.shape()[2];
    const std::int64_t outer = planes ? channels : 1;
    const std::int64_t inner = planes ? 1 : channels;
    const auto shape = withImageSize(input.element(), input.shape(), to);
    auto* out = reinterpret_cast<T*>(output.write(input.element(), shape));
    const auto* in = reinterpret_cast<const T*>(input.bytes());
    std::vector<T> middle;
    if (from.width != to.width) {
        middle.resize(static_cast<std::size_t>(channels * from.height * to.width));
        scaleAxis(in, outer * from.height, from.width, inner, windows(from.width, to.width, method),
                  from.height == to.height ? out : middle.data());
        if (from.height == to.height)
            return;
        in = middle.data();
    }
    if (from.height != to.height)
        scaleAxis(in, outer, from.height, to.width * inner, windows(from.height, to.height, method), out);
    else
        std::copy_n(in, input.count(), out);
}

} // namespace

ImageSize sizeOfImage(Element element, const std::vector<std::int64_t>& shape)
{
    return element == Element::UInt8 ? ImageSize{shape[0], shape[1]} : ImageSize{shape[1], shape[2]};
}

std::vector<std::int64_t> withImageSize(Element element, std::vector<std::int64_t> shape, ImageSize size)
{
    const std::size_t axis = element == Element::UInt8 ? 0 : 1;
    shape[axis] = size.height;
    shape[axis + 1] = size.width;
    return shape;
}

void resizeImage(const Value& input, ImageSize size, Interpolation interpolation, Value& output,
                 bool antialias)
{
    const ImageSize from = sizeOfImage(input.element(), input.shape());
    const Method method{interpolation, input.element() == Element::UInt8, antialias};
    if (method.bytes)
        scaleImage<std::uint8_t>(input, from, size, method, output);
    else
        scaleImage<float>(input, from, size, method, output);
}

} // namespace athanor
