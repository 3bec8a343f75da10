// Any thread, one call per archive. Unpacking of what people download: .tar, .tar.gz, .tar.bz2, .tar.xz, .zip.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

namespace athanor {

struct UnpackProgress {
    std::int64_t read = 0; ///< bytes of the archive so far
    std::int64_t size = 0; ///< bytes of the archive
    std::int64_t files = 0;
};

/// Whether the name ends as an archive's does.
bool isArchive(const std::filesystem::path& file);

/// Unpacks files and folders into `folder`, which is made when it is not there; files that stand there are
/// overwritten. Entries that would lead out of the folder (absolute paths, "..", through links) end it with an
/// error, as do archives that are damaged, are cut off, or unpack to more than 1000 times their size. Links and
/// devices are left out. Cancelled ends soon after `stop` is requested; what is unpacked by then stays. Gives the
/// number of files.
Result<std::int64_t> unpackArchive(const std::filesystem::path& archive, const std::filesystem::path& folder,
                                   std::stop_token stop = {},
                                   const std::function<void(const UnpackProgress&)>& progress = {});

/// One file of an archive as a whole; NotFound when it has none of that name, and for more than `limit` bytes
/// OutOfMemory.
Result<std::string> readArchived(const std::filesystem::path& archive, const std::string& name,
                                 std::int64_t limit);

} // namespace athanor
