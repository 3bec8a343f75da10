#include "engine/data/transforms/blur.h"

#include "engine/data/transforms/gather.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace athanor {

namespace {

std::vector<float> gaussian(std::int64_t length, double sigma)
{
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
        const double place = static_cast<double>(i) - static_cast<double>(length - 1) / 2;
        weights.push_back(std::exp(-0.5 * (place / sigma) * (place / sigma)));
        sum += weights.back();
    }
    std::vector<float> result;
    for (const double weight : weights)
        result.push_back(static_cast<float>(weight / sum));
    return result;
}

/// Along the middle axis of outer × length × inner numbers.
template <typename T>
void blurAxis(const T* in, std::int64_t outer, std::int64_t length, std::int64_t inner,
              const std::vector<float>& weights, float* out)
{
    const auto taps = static_cast<std::int64_t>(weights.size());
    const IndexMap places = indexMap(-(taps / 2), length + taps - 1, length, Padding::Reflect);
    for (std::int64_t o = 0; o < outer; ++o) {
        const T* block = in + o * length * inner;
        for (std::int64_t at = 0; at < length; ++at, out += inner) {
            std::fill_n(out, inner, 0.0F);
            for (std::int64_t tap = 0; tap < taps; ++tap) {
                const float weight = weights[static_cast<std::size_t>(tap)];
                const T* source = block + places[static_cast<std::size_t>(at + tap)] * inner;
                for (std::int64_t i = 0; i < inner; ++i)
                    out[i] += weight * static_cast<float>(source[i]);
            }
        }
    }
}

template <typename T>
void blur(const Value& input, ImageSize kernel, double sigma, Value& output)
{
    constexpr bool kPlanes = std::is_same_v<T, float>;
    const ImageSize size = sizeOfImage(input.element(), input.shape());
    const std::int64_t channels = input.shape()[kPlanes ? 0 : 2];
    const std::int64_t outer = kPlanes ? channels : 1;
    const std::int64_t pixel = kPlanes ? 1 : channels;
    const std::int64_t count = input.count();
    auto* out = reinterpret_cast<T*>(output.write(input.element(), input.shape()));
    std::vector<float> lines(static_cast<std::size_t>(count));
    std::vector<float> whole(static_cast<std::size_t>(count));
    blurAxis(reinterpret_cast<const T*>(input.bytes()), outer, size.height, size.width * pixel,
             gaussian(kernel.height, sigma), lines.data());
    blurAxis(lines.data(), outer * size.height, size.width, pixel, gaussian(kernel.width, sigma), whole.data());
    for (std::int64_t i = 0; i < count; ++i) {
        if constexpr (kPlanes)
            out[i] = whole[static_cast<std::size_t>(i)];
        else
            out[i] = static_cast<T>(std::clamp(std::nearbyint(whole[static_cast<std::size_t>(i)]), 0.0F, 255.0F));
    }
}

} // namespace

void blurImage(const Value& input, ImageSize kernel, double sigma, Value& output)
{
    if (input.element() == Element::UInt8)
        blur<std::uint8_t>(input, kernel, sigma, output);
    else
        blur<float>(input, kernel, sigma, output);
}

} // namespace athanor
