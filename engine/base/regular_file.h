// Any thread. Tells what stands under a file's name before it is read.
#pragma once

#include <filesystem>
#include <string>

namespace athanor {

/// Why what stands there cannot be read as a file: "is a folder, not a file", "is a device, a pipe or a socket, not a
/// file": those may never end, or never begin. Empty for a regular file, to which links are followed, and for one
/// that is not there or cannot be looked at: opening it tells that better.
std::string whyNoFile(const std::filesystem::path& file);

} // namespace athanor
