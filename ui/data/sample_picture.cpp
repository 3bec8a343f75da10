#include "ui/data/sample_picture.h"

#include "engine/data/transforms/transform.h"
#include "ui/bridge/text_format.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <limits>

namespace athanor {
namespace {

constexpr std::int64_t kShownNumbers = 6;
constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

struct Extents {
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::int64_t channels = 0;
};

/// UInt8 is H×W×C, floats are C×H×W.
Extents extentsOf(const Value& value)
{
    const auto& shape = value.shape();
    if (shape.size() != 3)
        return {};
    if (value.element() == Element::UInt8)
        return {shape[0], shape[1], shape[2]};
    return {shape[1], shape[2], shape[0]};
}

bool canShow(std::int64_t channels)
{
    return channels == 1 || channels == 3 || channels == 4;
}

/// How floats become brightness.
struct Scale {
    float offset = 0;
    float factor = 255;
};

Scale scaleOf(const Value& value)
{
    float least = std::numeric_limits<float>::infinity();
    float greatest = -least;
    for (std::int64_t i = 0; i < value.count(); ++i) {
        const float number = value.float32()[i];
        if (!std::isfinite(number))
            continue;
        least = std::min(least, number);
        greatest = std::max(greatest, number);
    }
    if (least >= 0 && greatest <= 1.0001F)
        return {};
    if (least >= 0 && greatest <= 255)
        return {0, 1};
    return {least, greatest > least ? 255 / (greatest - least) : 0};
}

int brightness(float number, const Scale& scale)
{
    if (!std::isfinite(number))
        return 128;
    return static_cast<int>(std::clamp(std::lround((number - scale.offset) * scale.factor), 0L, 255L));
}

} // namespace

bool isPicture(const FieldLayout& layout)
{
    if (!isImage(layout) || layout.shape.size() != 3)
        return false;
    return canShow(layout.element == Element::UInt8 ? layout.shape[2] : layout.shape[0]);
}

QImage pictureOf(const FieldLayout& layout, const Value& value)
{
    const Extents size = extentsOf(value);
    if (!isPicture(layout) || !canShow(size.channels) || size.width <= 0 || size.height <= 0 ||
        size.width * size.height > kMostPixels)
        return {};
    QImage image(static_cast<int>(size.width), static_cast<int>(size.height), QImage::Format_ARGB32);
    if (image.isNull())
        return {};
    const bool bytes = value.element() == Element::UInt8;
    const Scale scale = bytes ? Scale{} : scaleOf(value);
    const std::int64_t plane = size.width * size.height;
    for (std::int64_t y = 0; y < size.height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
        for (std::int64_t x = 0; x < size.width; ++x) {
            const std::int64_t pixel = y * size.width + x;
            const auto channel = [&](std::int64_t c) {
                return bytes ? int{value.uint8()[pixel * size.channels + c]}
                             : brightness(value.float32()[c * plane + pixel], scale);
            };
            const int red = channel(0);
            line[x] = size.channels == 1
                          ? qRgb(red, red, red)
                          : qRgba(red, channel(1), channel(2), size.channels == 4 ? channel(3) : 255);
        }
    }
    return image;
}

bool isText(const FieldLayout& layout)
{
    return layout.element == Element::UInt8 && layout.shape.size() == 1 && layout.name == "text";
}

QString elementText(const Value& value, std::int64_t place)
{
    switch (value.element()) {
    case Element::UInt8: return QString::number(value.uint8()[place]);
    case Element::Int64: return QString::number(value.int64()[place]);
    case Element::Float32: break;
    }
    return numberText(static_cast<double>(value.float32()[place]));
}

QString valueText(const FieldLayout& layout, const Value& value)
{
    if (isText(layout))
        return QString::fromUtf8(reinterpret_cast<const char*>(value.uint8()), value.count());
    if (value.element() == Element::Int64 && value.count() == 1) {
        const std::int64_t number = value.int64()[0];
        if (number >= 0 && number < static_cast<std::int64_t>(layout.classNames.size()))
            return QString::fromStdString(layout.classNames[static_cast<std::size_t>(number)]);
        return QString::number(number);
    }
    QStringList numbers;
    for (std::int64_t i = 0; i < std::min(value.count(), kShownNumbers); ++i)
        numbers.append(elementText(value, i));
    if (value.count() == 1)
        return numbers.front();
    if (value.count() > kShownNumbers)
        numbers.append(QStringLiteral("…"));
    return u'[' + numbers.join(QStringLiteral(", ")) + u']';
}

QString layoutText(const FieldLayout& layout)
{
    const QString type = layout.element == Element::UInt8   ? QStringLiteral("UInt8")
                         : layout.element == Element::Int64 ? QStringLiteral("Int64")
                                                            : QStringLiteral("Float32");
    if (layout.shape.empty())
        return type;
    QStringList extents;
    for (const std::int64_t extent : layout.shape)
        extents.append(extent == kVaries ? QStringLiteral("?") : QString::number(extent));
    return type + u' ' + extents.join(QStringLiteral("×"));
}

} // namespace athanor
