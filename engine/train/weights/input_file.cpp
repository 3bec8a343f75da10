#include "engine/train/weights/input_file.h"

#include "engine/script/torch_errors.h"
#include "engine/train/weights/weights_errors.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace athanor {

InputFile::InputFile(const std::filesystem::path& file)
    : m_descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) // a pipe must not block
{
    const int reason = errno;
    struct stat status = {};
    if (m_descriptor < 0 && reason == ENOENT)
        throw PlacedError({ErrorCode::NotFound, "There is no such file.", {}, "Check the path.", {}});
    if (m_descriptor < 0 || ::fstat(m_descriptor, &status) != 0)
        throw PlacedError({ErrorCode::Unreadable,
                           "The file cannot be read: " + std::generic_category().message(reason) + ".",
                           {},
                           "Check its permissions.",
                           {}});
    if (!S_ISREG(status.st_mode)) {
        ::close(m_descriptor);
        throw PlacedError(
            {ErrorCode::Unreadable, "This is a folder or a device, not a file of weights.", {}, {}, {}});
    }
    m_size = static_cast<std::uint64_t>(status.st_size);
}

InputFile::InputFile(InputFile&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_size(other.m_size)
{}

InputFile::~InputFile()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

void InputFile::read(std::uint64_t offset, std::span<char> into) const
{
    if (!holds(offset, into.size()))
        throwDamaged("it ends too early");
    while (!into.empty()) {
        const auto done = ::pread(m_descriptor, into.data(), into.size(), static_cast<off_t>(offset));
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            throwDamaged("it cannot be read: " + std::generic_category().message(errno), "Check the disk.");
        if (done == 0)
            throwDamaged("it became shorter while it was read");
        into = into.subspan(static_cast<std::size_t>(done));
        offset += static_cast<std::uint64_t>(done);
    }
}

std::string InputFile::read(std::uint64_t offset, std::uint64_t length) const
{
    if (!holds(offset, length))
        throwDamaged("it ends too early");
    std::string bytes(length, '\0');
    read(offset, std::span(bytes.data(), bytes.size()));
    return bytes;
}

} // namespace athanor
