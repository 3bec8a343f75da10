// Any thread. Scaling images with torchvision's arithmetic.
#pragma once

#include "engine/data/dataset.h"

namespace athanor {

struct ImageSize {
    std::int64_t height = 0;
    std::int64_t width = 0;
};
enum class Interpolation { Nearest, Bilinear, Bicubic };

/// Scales a UInt8 H×W×C or a Float32 C×H×W image. Bytes come out as Pillow makes them: bilinear and bicubic are
/// antialiased when they shrink (each pixel is a weighted mean of all it covers). Floats come out as torch's
/// interpolate makes them, with or without `antialias`; nearest there takes the pixel at floor(place · scale).
void resizeImage(const Value& input, ImageSize size, Interpolation interpolation, Value& output,
                 bool antialias = false);

/// Height and width of a UInt8 H×W×C or Float32 C×H×W image.
ImageSize sizeOfImage(Element element, const std::vector<std::int64_t>& shape);
/// The same shape with another height and width.
std::vector<std::int64_t> withImageSize(Element element, std::vector<std::int64_t> shape, ImageSize size);

} // namespace athanor
