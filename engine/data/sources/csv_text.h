// Any thread. Text tables cut into cells: separators, quotes, line ends. Knows nothing of columns' meaning.
#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

/// The rows of a table. Blank lines are left out; a quoted cell may hold separators, "" for a quote, and line
/// ends (RFC 4180). Cells without quotes lose the blanks around them.
class CsvText {
public:
    /// `separator` 0 finds it out: of , ; tab | and blanks the one that cuts the first lines into equally
    /// many cells, the most. Fails for an open quote and for what is no UTF-8 text;
    /// the error has no place yet.
    static Result<CsvText> parse(std::string text, char separator = 0, char quote = '"');

    [[nodiscard]] std::size_t rowCount() const { return m_rows.size(); }
    [[nodiscard]] std::span<const std::string_view> row(std::size_t row) const;
    [[nodiscard]] std::int64_t line(std::size_t row) const
    {
        return m_rows[row].line;
    } ///< in the file, from 1
    [[nodiscard]] char separator() const { return m_separator; }

private:
    struct Row {
        std::int64_t line;
        std::size_t first; ///< in m_cells
        std::size_t count;
    };

    CsvText() = default;
    Status cut(std::size_t maxRows);
    [[nodiscard]] char findSeparator() const;

    std::vector<char> m_text; // a vector, because its memory stays where it is when it is moved
    char m_separator = ',';
    char m_quote = '"';
    std::vector<std::string_view> m_cells; // into m_text
    std::vector<Row> m_rows;
};

/// A number as tables write it (12, -0.5, 1e-3, +2, nan, inf, Infinity), independent of the locale. Nothing
/// for any other text, and for an empty one. `decimal` is the point, or a comma instead.
std::optional<double> cellNumber(std::string_view cell, char decimal = '.');

} // namespace athanor
