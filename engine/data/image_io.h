// Any thread. Decoding image files (OpenCV stays in the .cpp).
#pragma once

#include "engine/data/dataset.h"

#include <filesystem>

namespace athanor {

enum class ImageChannels { Rgb, Gray };

/// Reads a PNG, JPEG, BMP, TIFF, WebP or PNM file as UInt8 H×W×3 (red first) or H×W×1. Transparency is
/// dropped, 16 bits become 8, the orientation a camera noted is applied. Grey is made of the colours as in
/// grayLevel. A damaged or cut-off file is an error, never half an image.
Status readImage(const std::filesystem::path& file, ImageChannels channels, Value& image);

/// Brightness of a pixel: 0.299 R + 0.587 G + 0.114 B, rounded (ITU-R 601, as Pillow's mode L).
inline std::uint8_t grayLevel(std::uint8_t red, std::uint8_t green, std::uint8_t blue)
{
    return static_cast<std::uint8_t>((red * 19595U + green * 38470U + blue * 7471U + 0x8000U) >> 16U);
}

} // namespace athanor
