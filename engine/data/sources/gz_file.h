// Any thread, one object per thread. A file to read from, compressed by gzip or plain.
#pragma once

#include "engine/data/sources/source.h"

#include <memory>
#include <span>

struct gzFile_s;

namespace athanor {

class GzFile {
public:
    /// Fails when there is no file or it may not be read; the error is at the node's parameter.
    static Result<GzFile> open(const SourceNode& node, const std::string& parameter,
                               const std::filesystem::path& path);

    /// Reads up to `bytes.size()` bytes; fewer at the end of the file and where a compressed file is damaged.
    std::size_t read(std::span<std::byte> bytes);
    /// True when what was read so far came out of a damaged or cut-off compressed file.
    [[nodiscard]] bool isDamaged() const;

private:
    struct Close {
        void operator()(gzFile_s* file) const;
    };
    explicit GzFile(gzFile_s* file) : m_file(file) {}
    std::unique_ptr<gzFile_s, Close> m_file;
};

/// A text file as a whole, plain or .gz.
Result<std::string> readTextFile(const SourceNode& node, const std::string& parameter,
                                 const std::filesystem::path& path);

} // namespace athanor
