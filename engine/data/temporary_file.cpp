#include "engine/data/temporary_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace athanor {

int openTemporaryFile()
{
    std::error_code ignored;
    const char* wish = std::getenv("TMPDIR");
    std::filesystem::path folder = wish == nullptr ? "" : wish;
    if (folder.empty())
        folder = std::filesystem::is_directory("/var/tmp", ignored) ? "/var/tmp" : "/tmp";
    std::string name = (folder / "athanor-XXXXXX").string();
    const int file = mkostemp(name.data(), O_CLOEXEC);
    if (file >= 0)
        unlink(name.c_str());
    return file;
}

} // namespace athanor
