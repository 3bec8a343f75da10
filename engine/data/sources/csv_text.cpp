#include "engine/data/sources/csv_text.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace athanor {

namespace {

bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

Error unreadable(std::string message, std::string hint)
{
    return {ErrorCode::Unreadable, std::move(message), {}, std::move(hint), {}};
}

/// Bytes of the UTF-8 character that starts there; 0 when it is none.
std::size_t characterLength(std::string_view text)
{
    const auto first = static_cast<unsigned char>(text[0]);
    const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (length == 0 || first > 0xF4 || length > text.size())
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80)
            return 0;
    return length;
}

/// The line of the first byte that is no UTF-8 text, from 1; 0 when all is well. Names of columns and classes
/// go into JSON, which is UTF-8.
std::int64_t lineOfBadText(std::string_view text)
{
    std::int64_t line = 1;
    while (!text.empty()) {
        const std::size_t length = characterLength(text);
        if (length == 0)
            return line;
        line += text[0] == '\n' ? 1 : 0;
        text.remove_prefix(length);
    }
    return 0;
}

/// Cuts one row after the other. Quoted cells are unescaped in place: they only get shorter.
class Cutter {
public:
    Cutter(std::vector<char>& text, char separator) : m_text(text), m_separator(separator) {}

    [[nodiscard]] bool atEnd() const { return m_at >= m_text.size(); }
    [[nodiscard]] std::int64_t line() const { return m_line; }
    [[nodiscard]] std::int64_t openQuoteLine() const { return m_openQuoteLine; }

    /// Appends the cells of the next row; nothing for a blank line. False where a quote is never closed.
    bool cutRow(std::vector<std::string_view>& cells)
    {
        skipBlanks();
        if (endLine())
            return true;
        while (true) {
            if (!cutCell(cells))
                return false;
            if (m_separator == ' ')
                skipBlanks();
            if (endLine())
                return true;
            if (m_separator != ' ')
                ++m_at; // the separator
            else
                continue;
            if (atEnd()) { // a separator is the very last character: one more, empty cell
                cells.emplace_back();
                return true;
            }
        }
    }

private:
    [[nodiscard]] bool isSeparator(char c) const
    {
        return m_separator == ' ' ? isBlank(c) : c == m_separator;
    }

    void skipBlanks()
    {
        while (!atEnd() && isBlank(m_text[m_at]) && (m_separator == ' ' || !isSeparator(m_text[m_at])))
            ++m_at;
    }

    /// Goes past the end of a line; true at the end of the text too.
    bool endLine()
    {
        if (atEnd())
            return true;
        if (m_text[m_at] != '\n' && m_text[m_at] != '\r')
            return false;
        m_at += m_text[m_at] == '\r' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\n' ? 2 : 1;
        ++m_line;
        return true;
    }

    bool cutCell(std::vector<std::string_view>& cells)
    {
        skipBlanks();
        if (!atEnd() && m_text[m_at] == '"')
            return cutQuoted(cells);
        const std::size_t start = m_at;
        while (!atEnd() && !isSeparator(m_text[m_at]) && m_text[m_at] != '\n' && m_text[m_at] != '\r')
            ++m_at;
        cells.push_back(trimmed({m_text.data() + start, m_at - start}));
        return true;
    }

    bool cutQuoted(std::vector<std::string_view>& cells)
    {
        m_openQuoteLine = m_line;
        const std::size_t start = ++m_at;
        std::size_t end = start;
        while (true) {
            if (atEnd())
                return false;
            const char c = m_text[m_at++];
            if (c == '\n')
                ++m_line;
            if (c == '"') {
                if (atEnd() || m_text[m_at] != '"')
                    break;
                ++m_at;
            }
            m_text[end++] = c;
        }
        // What stands between the closing quote and the separator belongs to the cell, as in spreadsheets.
        while (!atEnd() && !isSeparator(m_text[m_at]) && m_text[m_at] != '\n' && m_text[m_at] != '\r') {
            if (!isBlank(m_text[m_at]))
                m_text[end++] = m_text[m_at];
            ++m_at;
        }
        cells.emplace_back(m_text.data() + start, end - start);
        return true;
    }

    std::vector<char>& m_text;
    char m_separator;
    std::size_t m_at = 0;
    std::int64_t m_line = 1;
    std::int64_t m_openQuoteLine = 0;
};

} // namespace

Result<CsvText> CsvText::parse(std::string text, char separator)
{
    if (text.find('\0') != std::string::npos)
        return unreadable("This is no text file (it holds zero bytes)", "Save the table as CSV in UTF-8");
    if (const std::int64_t line = lineOfBadText(text); line > 0)
        return unreadable("Line " + std::to_string(line) + " holds characters that are not UTF-8",
                          "Save the table as CSV in UTF-8");
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    CsvText table;
    table.m_text.assign(text.begin(), text.end());
    table.m_separator = separator != 0 ? separator : table.findSeparator();
    if (const Status status = table.cut(std::numeric_limits<std::size_t>::max()); !status)
        return status.error();
    return table;
}

Status CsvText::cut(std::size_t maxRows)
{
    Cutter cutter(m_text, m_separator);
    while (!cutter.atEnd() && m_rows.size() < maxRows) {
        const std::int64_t line = cutter.line();
        const std::size_t first = m_cells.size();
        if (!cutter.cutRow(m_cells))
            return unreadable("The quote opened on line " + std::to_string(cutter.openQuoteLine()) +
                                  " is never closed",
                              "Close it, or write \"\" for a quote inside a quoted cell");
        if (m_cells.size() > first)
            m_rows.push_back({line, first, m_cells.size() - first});
    }
    return Done{};
}

char CsvText::findSeparator() const
{
    constexpr std::size_t kLines = 20;
    constexpr std::size_t kBytes = 1U << 18;
    char best = ',';
    std::size_t bestCells = 1;
    for (const char candidate : {',', ';', '\t', '|', ' '}) {
        CsvText trial;
        trial.m_text.assign(m_text.begin(),
                            m_text.begin() + static_cast<std::ptrdiff_t>(std::min(kBytes, m_text.size())));
        trial.m_separator = candidate;
        const bool whole = trial.cut(kLines).ok();
        if (trial.m_text.size() < m_text.size() && trial.m_rows.size() > 1 &&
            (!whole || trial.m_rows.size() < kLines))
            trial.m_rows.pop_back(); // cut off in its middle
        if (trial.m_rows.empty())
            continue;
        const std::size_t cells = trial.m_rows.front().count;
        const bool even = std::all_of(trial.m_rows.begin(), trial.m_rows.end(),
                                      [&](const Row& row) { return row.count == cells; });
        // Blanks are the last resort: they stand inside the cells of other tables.
        if (even && cells > bestCells && (candidate != ' ' || bestCells == 1)) {
            best = candidate;
            bestCells = cells;
        }
    }
    return best;
}

std::span<const std::string_view> CsvText::row(std::size_t row) const
{
    return std::span(m_cells).subspan(m_rows[row].first, m_rows[row].count);
}

std::optional<double> cellNumber(std::string_view cell)
{
    if (cell.starts_with('+') && cell.size() > 1 && cell[1] != '-')
        cell.remove_prefix(1);
    const char* end = cell.data() + cell.size();
    double value = 0;
    const auto read = std::from_chars(cell.data(), end, value);
    if (read.ec == std::errc() && read.ptr == end)
        return value;
    if (read.ec != std::errc::result_out_of_range)
        return std::nullopt;
    long double wide = 0; // 1e999 is inf and 1e-999 is 0, as everywhere else
    const auto readWide = std::from_chars(cell.data(), end, wide);
    if (readWide.ec != std::errc() || readWide.ptr != end)
        return std::nullopt;
    return static_cast<double>(wide);
}

} // namespace athanor
