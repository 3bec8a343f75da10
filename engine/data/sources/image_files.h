// Any thread. What the sources of image files share.
#pragma once

#include "engine/data/image_io.h"
#include "engine/data/sources/source.h"
#include "engine/data/transforms/resize.h"

#include <optional>

namespace athanor {

struct ImageOptions {
    ImageChannels channels = ImageChannels::Rgb;
    std::optional<ImageSize> size; ///< every image is scaled to it
};
/// From the parameters `grayscale` and `size`.
ImageOptions imageOptions(const SourceNode& node);

Status readImageFile(const std::filesystem::path& path, const ImageOptions& options, Value& image);

/// The layout of `image`: that of the first file; an extent that differs in some of 32 files spread over the list is
/// kVaries. The others are held against it when they are read.
Result<FieldLayout> imageLayout(const SourceNode& node, const std::vector<std::filesystem::path>& files,
                                const ImageOptions& options);

} // namespace athanor
