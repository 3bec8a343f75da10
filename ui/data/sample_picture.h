// Any thread. Samples as pictures and as text.
#pragma once

#include <QImage>
#include <QString>

#include <cstdint>

namespace athanor {

class Value;
struct FieldLayout;

/// Whether a sample's field can be shown as a picture: grey, colour, or colour with transparency.
[[nodiscard]] bool isPicture(const FieldLayout& layout);

/// The picture, at its own size. Floats between 0 and 1 are brightness, those up to 255 bytes; any other range is
/// stretched to black and white. What is not a number is mid grey. Null when it is no picture.
[[nodiscard]] QImage pictureOf(const FieldLayout& layout, const Value& value);

/// A field in a few words: "7 (trouser)", "0.25", "[1.5, 2, …]".
[[nodiscard]] QString valueText(const FieldLayout& layout, const Value& value);
/// One number of it.
[[nodiscard]] QString elementText(const Value& value, std::int64_t place);
/// Text that a source yields as bytes; what is no UTF-8 is replaced by U+FFFD.
[[nodiscard]] bool isText(const FieldLayout& layout);
/// "Float32 3×32×32"
[[nodiscard]] QString layoutText(const FieldLayout& layout);

} // namespace athanor
