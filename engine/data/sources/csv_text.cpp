#include "engine/data/sources/csv_text.h"

#include "engine/data/sources/csv_cutter.h"
#include "engine/data/sources/text_encoding.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace athanor {

namespace {

Error unreadable(std::string message, std::string hint)
{
    return {ErrorCode::Unreadable, std::move(message), {}, std::move(hint), {}};
}

} // namespace

Result<CsvText> CsvText::parse(std::string text, char separator, char quote)
{
    if (text.find('\0') != std::string::npos)
        return unreadable("This is no text file (it holds zero bytes)", "Save the table as CSV in UTF-8");
    if (const std::int64_t line = lineOfBadUtf8(text); line > 0)
        return unreadable("Line " + std::to_string(line) + " holds characters that are not UTF-8",
                          "Save the table as CSV in UTF-8");
    if (text.starts_with("\xEF\xBB\xBF"))
        text.erase(0, 3);
    CsvText table;
    table.m_text.assign(text.begin(), text.end());
    table.m_quote = quote;
    table.m_separator = separator != 0 ? separator : table.findSeparator();
    if (const Status status = table.cut(std::numeric_limits<std::size_t>::max()); !status)
        return status.error();
    return table;
}

Status CsvText::cut(std::size_t maxRows)
{
    CsvCutter cutter(m_text.data(), m_text.data() + m_text.size(), m_separator, m_quote);
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
        trial.m_quote = m_quote;
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
        const bool commasAreDecimal = best == ',' && candidate == ';' && cells == bestCells && cells > 1 &&
                                      std::all_of(trial.m_cells.begin() + static_cast<std::ptrdiff_t>(cells),
                                                  trial.m_cells.end(),
                                                  [](std::string_view cell) { return cellNumber(cell, ','); });
        if (even && (cells > bestCells || commasAreDecimal) && (candidate != ' ' || bestCells == 1)) {
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

std::optional<double> cellNumber(std::string_view cell, char decimal)
{
    if (decimal == ',') {
        constexpr std::size_t kLongest = 64; // of a number that anyone writes
        const std::size_t comma = cell.find(',');
        if (cell.size() > kLongest || cell.find('.') != std::string_view::npos)
            return std::nullopt;
        if (comma != std::string_view::npos) {
            std::string pointed(cell);
            pointed[comma] = '.';
            return cellNumber(pointed);
        }
    }
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
