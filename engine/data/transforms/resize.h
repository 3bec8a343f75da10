// Any thread. Scaling images with torchvision's arithmetic.
#pragma once

#include "engine/data/dataset.h"

namespace athanor {

struct ImageSize {
    std::int64_t height = 0;
    std::int64_t width = 0;
};
enum class Interpolation { Nearest, Bilinear, Bicubic };

/// Scales a UInt8 H×W×C or a Float32 C×H×W image. Bilinear and bicubic are antialiased when they shrink: each
/// pixel is a weighted mean of all it covers. Bytes come out as Pillow makes them, bit for bit; floats as
/// torch's interpolate with antialias.
void resizeImage(const Value& input, ImageSize size, Interpolation interpolation, Value& output);

/// Height and width of a UInt8 H×W×C or Float32 C×H×W image.
ImageSize sizeOfImage(Element element, const std::vector<std::int64_t>& shape);
/// The same shape with another height and width.
std::vector<std::int64_t> withImageSize(Element element, std::vector<std::int64_t> shape, ImageSize size);

} // namespace athanor
