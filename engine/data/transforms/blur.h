// Any thread. Blurring images with torchvision's arithmetic.
#pragma once

#include "engine/data/transforms/resize.h"

namespace athanor {

/// Convolves with exp(−x² / 2σ²), made 1 in sum; `kernel` is odd in height and width. Beyond the edge the image is
/// mirrored, the edge itself once. Bytes are rounded to the nearest, halves to the even one.
void blurImage(const Value& input, ImageSize kernel, double sigma, Value& output);

} // namespace athanor
