// Any thread. Turning, shearing and slanting images with torchvision's arithmetic.
#pragma once

#include "engine/data/transforms/resize.h"

#include <array>
#include <optional>

namespace athanor {

/// Where each output place comes from, in pixels with the upper left corner at 0 and the first pixel's middle at
/// 0.5: x' = (a x + b y + c) / (g x + h y + 1), y' = (d x + e y + f) / (g x + h y + 1).
struct Warp {
    double a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0;
    [[nodiscard]] bool isAffine() const { return g == 0 && h == 0; }
};

/// What an affine transform does around a centre, as torchvision's functional.affine.
struct AffineMove {
    double angle = 0; ///< degrees, clockwise
    double translateX = 0;
    double translateY = 0;
    double scale = 1;
    double shearX = 0; ///< degrees
    double shearY = 0;
};
struct ImagePoint {
    double x = 0;
    double y = 0;
};

/// The move turned round: from the output's places to the input's. `center` is in pixels; an output of another
/// size than the input has its middle where the input's is.
Warp inverseOf(const AffineMove& move, ImagePoint center, ImageSize from, ImageSize to);

/// The size that holds the whole image turned by `angle` degrees, as Pillow's for bytes, torchvision's for floats.
ImageSize sizeOfTurned(ImageSize size, double angle, Element element);

/// Moves the points `start` of the input to `end`; nothing when there is no such transform.
std::optional<Warp> perspectiveOf(const std::array<ImagePoint, 4>& start, const std::array<ImagePoint, 4>& end);

/// Bytes come out as Pillow's Image.transform makes them. Floats as torchvision's grid_sample (nearest and bilinear
/// only): at the edge pixels are mixed with `fill`, by the part that is outside. `fill` has one value per channel.
void warpImage(const Value& input, const Warp& warp, ImageSize size, Interpolation interpolation,
               const std::vector<float>& fill, Value& output);

} // namespace athanor
