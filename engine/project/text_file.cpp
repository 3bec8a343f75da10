#include "engine/project/text_file.h"

#include "engine/base/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <fstream>
#include <system_error>
#include <utility>

namespace athanor {
namespace {

namespace fs = std::filesystem;

Error fileError(ErrorCode code, const std::string& what, const fs::path& file, int reason,
                std::string hint = {})
{
    return Error{
        code, what + ": " + std::generic_category().message(reason), file.string(), std::move(hint), {}};
}

// A file descriptor that is closed on every way out.
class OpenFile {
public:
    OpenFile(const fs::path& file, int flags, mode_t mode = 0)
        : m_descriptor(::open(file.c_str(), flags | O_CLOEXEC, mode))
    {}
    ~OpenFile() { close(); }
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] bool isOpen() const { return m_descriptor >= 0; }
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    bool write(std::string_view text)
    {
        while (!text.empty()) {
            const ssize_t done = ::write(m_descriptor, text.data(), text.size());
            if (done < 0 && errno == EINTR)
                continue;
            if (done < 0)
                return false;
            text.remove_prefix(static_cast<std::size_t>(done));
        }
        return ::fsync(m_descriptor) == 0;
    }
    bool close()
    {
        const int descriptor = std::exchange(m_descriptor, -1);
        return descriptor < 0 || ::close(descriptor) == 0;
    }

private:
    int m_descriptor;
};

// Where a link leads, so that it stays a link.
fs::path linkTarget(const fs::path& file)
{
    std::error_code failed;
    if (!fs::is_symlink(file, failed))
        return file;
    const fs::path target = fs::weakly_canonical(file, failed);
    return failed ? file : target;
}

void syncFolder(const fs::path& folder)
{
    // So that the rename itself survives a power cut; a file system that cannot do it loses nothing else.
    const OpenFile opened(folder, O_RDONLY | O_DIRECTORY);
    if (opened.isOpen())
        ::fsync(opened.descriptor());
}

} // namespace

Result<std::string> readTextFile(const fs::path& file)
{
    constexpr std::size_t kLargest = 64u << 20;
    std::error_code failed;
    const fs::file_status status = fs::status(file, failed);
    if (status.type() == fs::file_type::not_found)
        return Error{ErrorCode::NotFound, "there is no such file", file.string(), "check the path", {}};
    if (std::string why = whyNoFile(file); !why.empty())
        return Error{ErrorCode::Unreadable, std::move(why), file.string(), {}, {}};
    std::ifstream stream(file, std::ios::binary);
    std::string text;
    char buffer[1 << 16];
    while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(stream.gcount()));
        if (text.size() > kLargest)
            return Error{ErrorCode::Unreadable,
                         "is larger than 64 MB, which no project file is",
                         file.string(),
                         {},
                         {}};
    }
    if (!stream.is_open() || stream.bad())
        return fileError(ErrorCode::Unreadable, "cannot be read", file, errno);
    return text;
}

Status replaceTextFile(const fs::path& file, std::string_view text)
{
    const fs::path target = linkTarget(file);
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    struct stat old = {};
    const bool replaces = ::stat(target.c_str(), &old) == 0;
    if (replaces && S_ISDIR(old.st_mode))
        return Error{ErrorCode::InvalidArgument, "is a folder, not a file", file.string(), {}, {}};
    if (replaces && ::access(target.c_str(), W_OK) != 0)
        return fileError(ErrorCode::Unreadable, "cannot be written", file, errno, "save under another name");
    static std::atomic<unsigned> number{0}; // two threads may save at once
    std::string draftName = ".";
    draftName += target.filename().string() + '.' + std::to_string(::getpid()) + '-' +
                 std::to_string(++number) + ".tmp";
    const fs::path draft = folder / draftName;
    OpenFile opened(draft, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0666);
    if (!opened.isOpen())
        return fileError(ErrorCode::Unreadable, "cannot be saved there", file, errno,
                         "choose a folder that exists and may be written");
    const bool kept = !replaces || ::fchmod(opened.descriptor(), old.st_mode & 07777) == 0;
    if (!kept || !opened.write(text) || !opened.close() || ::rename(draft.c_str(), target.c_str()) != 0) {
        const int reason = errno;
        ::unlink(draft.c_str());
        return fileError(ErrorCode::Unreadable, "could not be saved; the old file is untouched", file,
                         reason);
    }
    syncFolder(folder);
    return Done{};
}

} // namespace athanor
