#include "engine/data/sources/csv_content.h"

#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/text_encoding.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace athanor {

namespace {

constexpr std::int64_t kHead = 4096;

std::string readAt(int file, std::int64_t offset, std::int64_t count)
{
    std::string text(static_cast<std::size_t>(std::max<std::int64_t>(0, count)), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t got =
            pread(file, text.data() + done, text.size() - done, offset + static_cast<std::int64_t>(done));
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    text.resize(done);
    return text;
}

} // namespace

CsvContent::~CsvContent()
{
    if (m_file >= 0)
        close(m_file);
}

Result<std::shared_ptr<CsvContent>> CsvContent::open(const SourceNode& node, const std::string& parameter,
                                                     const std::filesystem::path& path,
                                                     const std::string& encoding)
{
    if (const Result<GzFile> file = GzFile::open(node, parameter, path); !file) // there, and a file?
        return file.error();
    const std::shared_ptr<CsvContent> content(new CsvContent);
    content->m_file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (content->m_file < 0 || fstat(content->m_file, &status) != 0)
        return node.error(ErrorCode::Unreadable, parameter, path.string() + " cannot be opened",
                          "Check that you may read it");
    content->m_size = status.st_size;
    if (readAt(content->m_file, 0, 2) == "\x1F\x8B")
        if (const Status unpacked = content->unpack(node, parameter, path); !unpacked)
            return unpacked.error();
    const std::string head = content->read(0, kHead);
    if (looksLikeUtf16(head, encoding)) {
        Result<std::string> text = toUtf8(content->read(0, content->m_size), encoding);
        if (!text)
            return node.error(text.error().code, parameter, fileName(path) + ": " + text.error().message,
                              text.error().hint);
        content->m_pieces.clear();
        content->m_size = 0;
        if (const Status kept = content->keep(*text); !kept)
            return node.error(kept.error().code, parameter, kept.error().message, kept.error().hint);
    } else if (head.starts_with("\xEF\xBB\xBF")) {
        content->m_start = 3;
        content->m_size -= 3;
    }
    return content;
}

Status CsvContent::keep(std::string_view text)
{
    Result<const std::byte*> stored = m_arena.store(std::as_bytes(std::span(text)));
    if (!stored)
        return stored.error();
    m_pieces.push_back({m_size, {reinterpret_cast<const char*>(*stored), text.size()}});
    m_size += static_cast<std::int64_t>(text.size());
    if (m_file >= 0)
        close(m_file);
    m_file = -1;
    return Done{};
}

Status CsvContent::unpack(const SourceNode& node, const std::string& parameter, const std::filesystem::path& path)
{
    Result<GzFile> file = GzFile::open(node, parameter, path);
    if (!file)
        return file.error();
    m_size = 0;
    std::string piece(std::size_t{1} << 22, '\0');
    while (const std::size_t got = file->read(std::as_writable_bytes(std::span(piece))))
        if (const Status kept = keep(std::string_view(piece).substr(0, got)); !kept)
            return node.error(kept.error().code, parameter, kept.error().message, kept.error().hint);
    if (file->isDamaged())
        return node.error(ErrorCode::Unreadable, parameter, fileName(path) + " is a damaged .gz file",
                          "It is cut off or its checksum does not fit; fetch it again");
    return m_pieces.empty() ? keep({}) : Status(Done{});
}

std::string CsvContent::read(std::int64_t offset, std::int64_t count) const
{
    offset += m_start;
    count = std::min(count, m_size + m_start - offset);
    if (count <= 0)
        return {};
    if (m_file >= 0)
        return readAt(m_file, offset, count);
    std::string text;
    text.reserve(static_cast<std::size_t>(count));
    auto piece = std::upper_bound(m_pieces.begin(), m_pieces.end(), offset,
                                  [](std::int64_t at, const Piece& other) { return at < other.offset; });
    for (--piece; piece != m_pieces.end() && static_cast<std::int64_t>(text.size()) < count; ++piece) {
        const auto from = static_cast<std::size_t>(std::max<std::int64_t>(0, offset - piece->offset));
        text += piece->text.substr(from, static_cast<std::size_t>(count) - text.size());
    }
    return text;
}

} // namespace athanor
