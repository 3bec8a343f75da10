// Any thread. Whole files in and out, for projects and exports.
#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace athanor {

/// Reads a file of at most 64 MB. Errors: NotFound, Unreadable (with the system's reason).
Result<std::string> readTextFile(const std::filesystem::path& file);

/// Writes beside it, syncs, renames: after a crash or on a full disk the old file is there, or the new one,
/// never a part. A link is followed, the permissions of an old file stay.
Status replaceTextFile(const std::filesystem::path& file, std::string_view text);

} // namespace athanor
