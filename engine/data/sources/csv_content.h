// Any thread once opened (reading is const and thread-safe). The text of a table, however large.
#pragma once

#include "engine/data/sources/source.h"
#include "engine/data/sources/spill_arena.h"

#include <cstdint>
#include <memory>
#include <string>

namespace athanor {

/// Bytes of a table in UTF-8 or Latin-1. A plain file is read where it lies; a compressed one, and one in UTF-16, is
/// kept unpacked (in memory up to a limit, then in a temporary file).
class CsvContent {
public:
    static Result<std::shared_ptr<CsvContent>> open(const SourceNode& node, const std::string& parameter,
                                                    const std::filesystem::path& path, const std::string& encoding);
    ~CsvContent();
    CsvContent(const CsvContent&) = delete;
    CsvContent& operator=(const CsvContent&) = delete;

    [[nodiscard]] std::int64_t size() const { return m_size; }
    /// Bytes offset … offset + count − 1; fewer at the end, and where a file has been cut off meanwhile.
    [[nodiscard]] std::string read(std::int64_t offset, std::int64_t count) const;

private:
    CsvContent() : m_arena(kMemory) {}
    Status keep(std::string_view text);
    Status unpack(const SourceNode& node, const std::string& parameter, const std::filesystem::path& path);

    static constexpr std::size_t kMemory = std::size_t{1} << 28;
    struct Piece {
        std::int64_t offset;
        std::string_view text;
    };
    int m_file = -1;
    std::int64_t m_start = 0; // of the text in the file: behind a byte order mark
    std::int64_t m_size = 0;
    SpillArena m_arena;
    std::vector<Piece> m_pieces; // instead of the file
};

} // namespace athanor
