// Any thread, one object per thread. Cuts the rows of a text table into cells, in place.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace athanor {

inline bool isBlank(char c)
{
    return c == ' ' || c == '\t';
}

inline std::string_view trimmed(std::string_view text)
{
    while (!text.empty() && isBlank(text.front()))
        text.remove_prefix(1);
    while (!text.empty() && isBlank(text.back()))
        text.remove_suffix(1);
    return text;
}

/// One row after the other. Quoted cells are unescaped in place: they only get shorter. A separator of ' ' stands for
/// any run of blanks; a quote of '\0' for none.
class CsvCutter {
public:
    CsvCutter(char* begin, char* end, char separator, char quote)
        : m_at(begin), m_end(end), m_separator(separator), m_quote(quote)
    {}

    [[nodiscard]] bool atEnd() const { return m_at >= m_end; }
    [[nodiscard]] char* at() const { return m_at; }
    void goTo(char* at) { m_at = at; }
    [[nodiscard]] std::int64_t line() const { return m_line; } ///< from 1
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
            if (m_separator == ' ')
                continue;
            ++m_at;        // the separator
            if (atEnd()) { // it is the very last character: one more, empty cell
                cells.emplace_back();
                return true;
            }
        }
    }

private:
    [[nodiscard]] bool isSeparator(char c) const { return m_separator == ' ' ? isBlank(c) : c == m_separator; }
    [[nodiscard]] bool inCell() const
    {
        return !atEnd() && !isSeparator(*m_at) && *m_at != '\n' && *m_at != '\r';
    }

    void skipBlanks()
    {
        while (!atEnd() && isBlank(*m_at) && (m_separator == ' ' || !isSeparator(*m_at)))
            ++m_at;
    }

    /// Goes past the end of a line; true at the end of the text too.
    bool endLine()
    {
        if (atEnd())
            return true;
        if (*m_at != '\n' && *m_at != '\r')
            return false;
        m_at += *m_at == '\r' && m_at + 1 < m_end && m_at[1] == '\n' ? 2 : 1;
        ++m_line;
        return true;
    }

    bool cutCell(std::vector<std::string_view>& cells)
    {
        skipBlanks();
        if (m_quote != '\0' && !atEnd() && *m_at == m_quote)
            return cutQuoted(cells);
        const char* start = m_at;
        while (inCell())
            ++m_at;
        cells.push_back(trimmed({start, static_cast<std::size_t>(m_at - start)}));
        return true;
    }

    bool cutQuoted(std::vector<std::string_view>& cells)
    {
        m_openQuoteLine = m_line;
        char* start = ++m_at;
        char* end = start;
        while (true) {
            if (atEnd())
                return false;
            const char c = *m_at++;
            if (c == '\n')
                ++m_line;
            if (c == m_quote) {
                if (atEnd() || *m_at != m_quote)
                    break;
                ++m_at;
            }
            *end++ = c;
        }
        // What stands between the closing quote and the separator belongs to the cell, as in spreadsheets.
        for (; inCell(); ++m_at)
            if (!isBlank(*m_at))
                *end++ = *m_at;
        cells.emplace_back(start, static_cast<std::size_t>(end - start));
        return true;
    }

    char* m_at;
    char* m_end;
    char m_separator;
    char m_quote;
    std::int64_t m_line = 1;
    std::int64_t m_openQuoteLine = 0;
};

} // namespace athanor
