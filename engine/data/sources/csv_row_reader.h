// One thread per object. The rows of one block of a table.
#pragma once

#include "engine/data/sources/csv_cutter.h"
#include "engine/data/sources/csv_parser.h"

#include <deque>
#include <unordered_map>

namespace athanor {

/// What a block's rows say, before it is stored.
class CsvRowReader {
public:
    /// `text` is cut in place.
    CsvRowReader(const CsvRules& rules, std::string& text);

    /// Reads all rows; stops at the first fault.
    void read();

    [[nodiscard]] const CsvFault& fault() const { return m_fault; } ///< offset and lines within the block
    [[nodiscard]] const std::vector<std::uint32_t>& rowOffsets() const { return m_rowOffsets; }
    [[nodiscard]] const std::vector<float>& numbers() const { return m_numbers; }
    [[nodiscard]] const std::vector<std::int32_t>& codes() const { return m_codes; }
    [[nodiscard]] std::vector<std::deque<std::string>>& texts() { return m_texts; }

private:
    bool readPlainRow();
    bool readAnyRow();
    bool takeCell(std::size_t column, std::string_view cell);
    bool takeNumber(std::size_t column, std::string_view cell);
    bool takeMissing(std::size_t column);
    bool takeCode(std::size_t column, std::string_view cell);
    void endRow(const char* row);
    bool fail(CsvFault::Kind kind, std::size_t column, std::string_view text = {});
    [[nodiscard]] bool isMissing(std::string_view cell) const;

    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    using Table = std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>;

    const CsvRules& m_rules;
    std::string& m_text;
    CsvCutter m_cutter;
    std::vector<std::string_view> m_cells;
    std::vector<float> m_rowNumbers;
    std::vector<std::int32_t> m_rowCodes;
    std::size_t m_numberAt = 0; // in m_rowNumbers
    std::size_t m_codeAt = 0;
    bool m_dropped = false; // the row at hand
    const char* m_rowStart = nullptr;
    std::vector<std::uint32_t> m_rowOffsets;
    std::vector<float> m_numbers;
    std::vector<std::int32_t> m_codes;
    std::vector<Table> m_tables;
    std::vector<std::deque<std::string>> m_texts; // per coded column
    CsvFault m_fault;
};

} // namespace athanor
