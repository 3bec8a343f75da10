#include "engine/data/sources/image_files.h"

#include <algorithm>

namespace athanor {

namespace {

void widenLayout(FieldLayout& layout, const std::vector<std::int64_t>& shape)
{
    for (std::size_t axis = 0; axis < layout.shape.size(); ++axis)
        if (layout.shape[axis] != shape[axis])
            layout.shape[axis] = kVaries;
}

} // namespace

ImageOptions imageOptions(const SourceNode& node)
{
    ImageOptions options;
    if (node.params.at("grayscale").get<bool>())
        options.channels = ImageChannels::Gray;
    if (const Json& size = node.params.at("size"); size.is_array())
        options.size = ImageSize{size.front().get<std::int64_t>(), size.back().get<std::int64_t>()};
    return options;
}

Status readImageFile(const std::filesystem::path& path, const ImageOptions& options, Value& image)
{
    Status status = readImage(path, options.channels, image);
    if (!status || !options.size)
        return status;
    Value scaled;
    resizeImage(image, *options.size, Interpolation::Bilinear, scaled);
    std::swap(image, scaled);
    return Done{};
}

Result<FieldLayout> imageLayout(const SourceNode& node, const std::vector<std::filesystem::path>& files,
                                const ImageOptions& options)
{
    constexpr std::size_t kLookedAt = 32;
    const std::size_t step = options.size ? files.size() : std::max<std::size_t>(1, files.size() / kLookedAt);
    FieldLayout layout{"image", Element::UInt8, {}};
    Value image;
    for (std::size_t i = 0; i < files.size(); i += step) {
        const Status status = readImageFile(files[i], options, image);
        if (!status && i == 0)
            return node.error(status.error().code, "path", files[i].string() + ": " + status.error().message,
                              status.error().hint);
        if (!status)
            continue; // told when it is read, as for the files that are not looked at
        if (i == 0)
            layout.shape = image.shape();
        widenLayout(layout, image.shape());
    }
    return layout;
}

} // namespace athanor
