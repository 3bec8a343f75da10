#include "engine/data/archive.h"

#include "engine/base/regular_file.h"

#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <memory>

namespace athanor {

namespace fs = std::filesystem;

namespace {

struct CloseArchive {
    void operator()(archive* reader) const { archive_read_free(reader); }
};
using Reader = std::unique_ptr<archive, CloseArchive>;

constexpr std::size_t kPiece = std::size_t{1} << 16;

Error unreadable(const fs::path& file, std::string what, std::string details = {})
{
    return {ErrorCode::Unreadable, file.filename().string() + " " + std::move(what), file.string(),
            "Fetch it again, or unpack it by hand", std::move(details)};
}

Error damaged(const fs::path& file, archive* reader)
{
    const char* text = archive_error_string(reader);
    return unreadable(file, "is a damaged archive, or none of a kind that can be read", text != nullptr ? text : "");
}

Result<Reader> openArchive(const fs::path& file)
{
    if (const std::string why = whyNoFile(file); !why.empty())
        return unreadable(file, why);
    std::error_code ignored;
    if (!fs::exists(file, ignored))
        return Error{ErrorCode::NotFound, "There is no " + file.string(), file.string(), {}, {}};
    Reader reader(archive_read_new());
    archive_read_support_filter_all(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_support_format_zip(reader.get());
    if (archive_read_open_filename(reader.get(), file.c_str(), kPiece) != ARCHIVE_OK)
        return damaged(file, reader.get());
    return reader;
}

/// The entry's name as a path that stays below where it is put; empty when it does not.
fs::path safePath(const std::string& name)
{
    const fs::path path = fs::path(name).lexically_normal();
    const bool leaves = std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
    return path.is_absolute() || leaves || name.find('\0') != std::string::npos ? fs::path() : path;
}

/// A link that stands in the folder could lead a file elsewhere.
bool leadsThroughLink(const fs::path& folder, const fs::path& path)
{
    fs::path so = folder;
    for (const fs::path& part : path) {
        so /= part;
        std::error_code ignored;
        if (fs::is_symlink(fs::symlink_status(so, ignored)))
            return true;
    }
    return false;
}

class Unpacker {
public:
    Unpacker(const fs::path& file, const fs::path& folder, std::stop_token stop,
             const std::function<void(const UnpackProgress&)>& progress)
        : m_file(file), m_folder(folder), m_stop(std::move(stop)), m_tell(progress)
    {}

    Result<std::int64_t> run()
    {
        Result<Reader> opened = openArchive(m_file);
        if (!opened)
            return opened.error();
        m_reader = std::move(*opened);
        std::error_code code;
        m_progress.size = static_cast<std::int64_t>(fs::file_size(m_file, code));
        fs::create_directories(m_folder, code);
        if (code)
            return cannotWrite(m_folder);
        while (true) {
            archive_entry* entry = nullptr;
            const int got = archive_read_next_header(m_reader.get(), &entry);
            if (got == ARCHIVE_EOF)
                return m_progress.files;
            if (got != ARCHIVE_OK && got != ARCHIVE_WARN)
                return damaged(m_file, m_reader.get());
            if (const Status status = unpack(entry); !status)
                return status.error();
        }
    }

private:
    Status unpack(archive_entry* entry)
    {
        const char* name = archive_entry_pathname(entry);
        const fs::path path = safePath(name != nullptr ? name : "");
        if (path.empty())
            return unreadable(m_file, std::string("wants to write outside its folder: ") + (name ? name : ""));
        const auto type = archive_entry_filetype(entry);
        const bool link = archive_entry_hardlink(entry) != nullptr;
        if ((type != AE_IFREG && type != AE_IFDIR) || link)
            return Done{};
        if (leadsThroughLink(m_folder, path))
            return unreadable(m_file, "wants to write through a link: " + path.string());
        std::error_code code;
        if (type == AE_IFDIR) {
            fs::create_directories(m_folder / path, code);
            return code ? Status(cannotWrite(m_folder / path)) : Done{};
        }
        fs::create_directories((m_folder / path).parent_path(), code);
        return writeFile(m_folder / path);
    }

    Status writeFile(const fs::path& path)
    {
        std::ofstream out(path, std::ios::binary | std::ios::trunc);
        std::array<char, kPiece> piece{};
        while (true) {
            if (m_stop.stop_requested())
                return Error{ErrorCode::Cancelled, "Unpacking was stopped", m_file.string(), {}, {}};
            const la_ssize_t got = archive_read_data(m_reader.get(), piece.data(), piece.size());
            if (got < 0)
                return damaged(m_file, m_reader.get());
            m_written += got;
            m_progress.read = archive_filter_bytes(m_reader.get(), -1);
            constexpr std::int64_t kMostTimes = 1000;
            constexpr std::int64_t kHarmless = std::int64_t{1} << 26;
            if (m_written > kHarmless && m_written / kMostTimes > m_progress.size)
                return unreadable(m_file, "unpacks to more than 1000 times its size");
            if (got == 0)
                break;
            if (!out.write(piece.data(), got))
                return cannotWrite(path);
            if (m_tell)
                m_tell(m_progress);
        }
        out.close();
        ++m_progress.files;
        return out ? Status(Done{}) : cannotWrite(path);
    }

    static Error cannotWrite(const fs::path& path)
    {
        return {ErrorCode::Unreadable, path.string() + " cannot be written", path.string(),
                "Is there room on the disk, and may you write there?", {}};
    }

    const fs::path& m_file;
    const fs::path& m_folder;
    std::stop_token m_stop;
    const std::function<void(const UnpackProgress&)>& m_tell;
    Reader m_reader;
    UnpackProgress m_progress;
    std::int64_t m_written = 0;
};

} // namespace

bool isArchive(const fs::path& file)
{
    std::string name = file.filename().string();
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    static constexpr std::array kEndings = {".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".zip"};
    return std::any_of(kEndings.begin(), kEndings.end(), [&](const char* ending) { return name.ends_with(ending); });
}

Result<std::int64_t> unpackArchive(const fs::path& archive, const fs::path& folder, std::stop_token stop,
                                   const std::function<void(const UnpackProgress&)>& progress)
{
    return Unpacker(archive, folder, std::move(stop), progress).run();
}

Result<std::string> readArchived(const fs::path& file, const std::string& name, std::int64_t limit)
{
    Result<Reader> reader = openArchive(file);
    if (!reader)
        return reader.error();
    archive_entry* entry = nullptr;
    int got = ARCHIVE_OK;
    while ((got = archive_read_next_header(reader->get(), &entry)) == ARCHIVE_OK || got == ARCHIVE_WARN) {
        const char* found = archive_entry_pathname(entry);
        if (found == nullptr || found != name)
            continue;
        std::string content;
        std::string piece(kPiece, '\0');
        la_ssize_t count = 0;
        while ((count = archive_read_data(reader->get(), piece.data(), piece.size())) > 0) {
            content.append(piece, 0, static_cast<std::size_t>(count));
            if (static_cast<std::int64_t>(content.size()) > limit)
                return Error{ErrorCode::OutOfMemory,
                             name + " in " + file.filename().string() + " unpacks to more than " +
                                 std::to_string(limit) + " bytes",
                             file.string(), "Save it without compression, as a .npy file of its own", {}};
        }
        if (count < 0)
            return damaged(file, reader->get());
        return content;
    }
    if (got != ARCHIVE_EOF)
        return damaged(file, reader->get());
    return Error{ErrorCode::NotFound, "There is no " + name + " in " + file.filename().string(), file.string(), {}, {}};
}

} // namespace athanor
