#include "engine/data/sources/gz_file.h"

#include "engine/base/regular_file.h"

#include <zlib.h>

#include <algorithm>

namespace athanor {

void GzFile::Close::operator()(gzFile_s* file) const
{
    gzclose(file);
}

Result<GzFile> GzFile::open(const SourceNode& node, const std::string& parameter,
                            const std::filesystem::path& path)
{
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored))
        return node.missing(parameter, path);
    if (const std::string why = whyNoFile(path); !why.empty())
        return node.error(ErrorCode::Unreadable, parameter, path.string() + " " + why, "Name a file");
    gzFile_s* file = gzopen(path.c_str(), "rb");
    if (file == nullptr)
        return node.error(ErrorCode::Unreadable, parameter, path.string() + " cannot be opened",
                          "Check that you may read it");
    return GzFile(file);
}

std::size_t GzFile::read(std::span<std::byte> bytes)
{
    constexpr std::size_t kChunk = 1U << 24;
    std::size_t done = 0;
    while (done < bytes.size()) {
        const auto wanted = static_cast<unsigned>(std::min(kChunk, bytes.size() - done));
        const int got = gzread(m_file.get(), bytes.data() + done, wanted);
        if (got <= 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

bool GzFile::isDamaged() const
{
    int status = Z_OK;
    gzerror(m_file.get(), &status);
    return status != Z_OK && status != Z_STREAM_END;
}

Result<std::string> readTextFile(const SourceNode& node, const std::string& parameter,
                                 const std::filesystem::path& path)
{
    Result<GzFile> file = GzFile::open(node, parameter, path);
    if (!file)
        return file.error();
    constexpr std::size_t kChunk = 1U << 20;
    std::string text;
    std::size_t got = kChunk;
    while (got == kChunk) {
        const std::size_t start = text.size();
        text.resize(start + kChunk);
        got = file->read(std::as_writable_bytes(std::span(text)).subspan(start));
        text.resize(start + got);
    }
    if (file->isDamaged())
        return node.error(ErrorCode::Unreadable, parameter, fileName(path) + " is a damaged .gz file",
                          "It is cut off or its checksum does not fit; fetch it again");
    return text;
}

} // namespace athanor
