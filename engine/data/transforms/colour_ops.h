// Any thread. Brightness and colours of images of 1 or 3 channels: on bytes the arithmetic of Pillow, on floats
// (0 to 1) that of torchvision.
#pragma once

#include "engine/data/dataset.h"

namespace athanor {

/// `output` may be `input`. Factor 0: black, 1: as it is, 2: twice as bright.
void adjustBrightness(const Value& input, double factor, Value& output);
/// Factor 0: even grey, 1: as it is.
void adjustContrast(const Value& input, double factor, Value& output);
/// Factor 0: grey values, 1: as it is. Grey images stay.
void adjustSaturation(const Value& input, double factor, Value& output);
/// Turns the hue by `factor` of the circle, −0.5 to 0.5. Grey images stay.
void adjustHue(const Value& input, double factor, Value& output);
/// Factor 0: smoothed, 1: as it is, 2: sharpened. Images below 3 pixels stay.
void adjustSharpness(const Value& input, double factor, Value& output);

void invertImage(const Value& input, Value& output);
/// Keeps the `bits` highest bits of each byte; bytes only.
void posterizeImage(const Value& input, int bits, Value& output);
/// Inverts all that is not below the threshold.
void solarizeImage(const Value& input, double threshold, Value& output);
/// Stretches each channel to the whole range.
void autocontrastImage(const Value& input, Value& output);
/// Makes all values of each channel equally frequent; bytes only.
void equalizeImage(const Value& input, Value& output);

/// Brightness of all pixels, one or three equal channels.
void grayImage(const Value& input, std::int64_t channels, Value& output);

} // namespace athanor
