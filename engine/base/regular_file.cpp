#include "engine/base/regular_file.h"

#include <system_error>

namespace athanor {

std::string whyNoFile(const std::filesystem::path& file)
{
    using std::filesystem::file_type;
    std::error_code failed;
    switch (std::filesystem::status(file, failed).type()) {
    case file_type::regular:
    case file_type::none:
    case file_type::not_found:
    case file_type::unknown:
        return {};
    case file_type::directory:
        return "is a folder, not a file";
    default:
        return "is a device, a pipe or a socket, not a file";
    }
}

} // namespace athanor
