#include "engine/data/sources/csv_row_reader.h"

#include "engine/data/sources/csv_text.h"
#include "engine/data/sources/labels.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace athanor {

namespace {

constexpr std::size_t kMostCategories = 100000; // of one column

bool isDigit(char c)
{
    return static_cast<unsigned char>(c - '0') < 10;
}

/// A plain number of up to 15 digits or so: its digits are an exact double, and so is the power of ten, so that the
/// one division rounds right. Gives the first character behind it; nullptr for all other spellings.
const char* plainNumber(const char* at, const char* end, char decimal, double& value)
{
    static constexpr std::array<double, 20> kTens = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,
                                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    const bool negative = at < end && *at == '-';
    at += negative ? 1 : 0;
    const char* start = at;
    std::uint64_t digits = 0;
    while (at < end && isDigit(*at))
        digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
    std::ptrdiff_t count = at - start;
    std::ptrdiff_t fraction = 0;
    if (at < end && *at == decimal) {
        start = ++at;
        while (at < end && isDigit(*at))
            digits = digits * 10 + static_cast<std::uint64_t>(*at++ - '0');
        fraction = at - start;
        count += fraction;
    }
    if (count == 0 || count > 19 || digits > (std::uint64_t{1} << 53))
        return nullptr;
    value = static_cast<double>(digits) / kTens[static_cast<std::size_t>(fraction)];
    value = negative ? -value : value;
    return at;
}

std::optional<int> wholeNumber(std::string_view text)
{
    int value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() && !text.empty() && isDigit(text[0])
               ? std::optional(value)
               : std::nullopt;
}

/// Howard Hinnant's days from civil: of the proleptic Gregorian calendar.
double daysOf(int year, int month, int day)
{
    const int y = year - (month <= 2 ? 1 : 0);
    const int era = (y >= 0 ? y : y - 399) / 400;
    const int yearOfEra = y - era * 400;
    const int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097.0 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

/// Part of a day of HH:MM or HH:MM:SS, with an ending Z or fraction of a second.
std::optional<double> timeOf(std::string_view text)
{
    if (text.ends_with('Z'))
        text.remove_suffix(1);
    if (text.size() > 8 && text[8] == '.')
        text = text.substr(0, 8);
    if ((text.size() != 5 && text.size() != 8) || text[2] != ':' || (text.size() == 8 && text[5] != ':'))
        return std::nullopt;
    const auto hour = wholeNumber(text.substr(0, 2));
    const auto minute = wholeNumber(text.substr(3, 2));
    const auto second = text.size() == 8 ? wholeNumber(text.substr(6, 2)) : std::optional(0);
    if (!hour || !minute || !second || *hour > 24 || *minute > 59 || *second > 60)
        return std::nullopt;
    return (*hour * 3600 + *minute * 60 + *second) / 86400.0;
}

} // namespace

std::optional<double> cellDate(std::string_view cell)
{
    constexpr std::size_t kDate = 10; // characters of YYYY-MM-DD
    double time = 0;
    if (cell.size() > kDate) {
        if (cell[kDate] != ' ' && cell[kDate] != 'T')
            return std::nullopt;
        const std::optional<double> read = timeOf(cell.substr(kDate + 1));
        if (!read)
            return std::nullopt;
        time = *read;
        cell = cell.substr(0, kDate);
    }
    if (cell.size() != kDate)
        return std::nullopt;
    const bool yearFirst = (cell[4] == '-' || cell[4] == '/') && cell[7] == cell[4];
    const bool dayFirst = cell[2] == '.' && cell[5] == '.';
    if (!yearFirst && !dayFirst)
        return std::nullopt;
    const auto year = wholeNumber(cell.substr(yearFirst ? 0 : 6, 4));
    const auto month = wholeNumber(cell.substr(yearFirst ? 5 : 3, 2));
    const auto day = wholeNumber(cell.substr(yearFirst ? 8 : 0, 2));
    if (!year || !month || !day || *month < 1 || *month > 12 || *day < 1)
        return std::nullopt;
    static constexpr std::array<int, 12> kDays = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = *year % 4 == 0 && (*year % 100 != 0 || *year % 400 == 0);
    if (*day > kDays[static_cast<std::size_t>(*month - 1)] || (*month == 2 && *day == 29 && !leap))
        return std::nullopt;
    return daysOf(*year, *month, *day) + time;
}

std::int64_t countLines(std::string_view text)
{
    std::int64_t lines = std::count(text.begin(), text.end(), '\n');
    for (std::size_t at = text.find('\r'); at != std::string_view::npos; at = text.find('\r', at + 1))
        lines += at + 1 < text.size() && text[at + 1] == '\n' ? 0 : 1;
    return lines;
}

CsvRowReader::CsvRowReader(const CsvRules& rules, std::string& text)
    : m_rules(rules), m_text(text),
      m_cutter(text.data(), text.data() + text.size(), rules.separator, rules.quote)
{
    std::size_t numbers = 0;
    std::size_t codes = 0;
    for (const ColumnUse use : rules.uses) {
        numbers += use == ColumnUse::Number || use == ColumnUse::Date ? 1 : 0;
        codes += use == ColumnUse::Category || use == ColumnUse::Class ? 1 : 0;
    }
    constexpr std::size_t kCell = 8; // bytes of a number and its separator, about
    m_numbers.reserve(numbers * (text.size() / (kCell * std::max<std::size_t>(1, rules.uses.size()))));
    m_rowNumbers.resize(numbers);
    m_rowCodes.resize(codes);
    m_tables.resize(codes);
    m_texts.resize(codes);
}

void CsvRowReader::read()
{
    while (!m_cutter.atEnd() && m_fault.kind == CsvFault::Kind::None) {
        char* row = m_cutter.at();
        m_rowStart = row;
        m_numberAt = m_codeAt = 0;
        m_dropped = false;
        if (m_rules.separator != ' ' && readPlainRow())
            continue;
        if (m_fault.kind != CsvFault::Kind::None)
            return;
        m_cutter.goTo(row);
        m_numberAt = m_codeAt = 0;
        m_dropped = false;
        if (!readAnyRow())
            return;
    }
}

/// A row of plain numbers and texts without blanks around them and without quotes; false, and nothing taken, for any
/// other.
bool CsvRowReader::readPlainRow()
{
    const char* at = m_cutter.at();
    const char* end = m_text.data() + m_text.size();
    const char separator = m_rules.separator;
    const std::size_t width = m_rules.uses.size();
    for (std::size_t column = 0; column < width; ++column) {
        const char* start = at;
        const ColumnUse use = m_rules.uses[column];
        double value = 0;
        const char* behind =
            use == ColumnUse::Number ? plainNumber(at, end, m_rules.decimal, value) : nullptr;
        if (behind != nullptr && behind < end && (*behind == separator || *behind == '\n' || *behind == '\r')) {
            m_rowNumbers[m_numberAt++] = static_cast<float>(value);
            at = behind;
        } else {
            while (at < end && *at != separator && *at != '\n' && *at != '\r')
                ++at;
            const std::string_view cell(start, static_cast<std::size_t>(at - start));
            if (at == end || (!cell.empty() && (isBlank(cell.front()) || isBlank(cell.back()) ||
                                                (m_rules.quote != '\0' && cell.front() == m_rules.quote))))
                return false;
            if (cell.empty() && column == 0 && *at != separator)
                return false; // a blank line
            if (!takeCell(column, cell))
                return false;
        }
        const bool last = column + 1 == width;
        if (last == (*at == separator))
            return false; // too few cells, or too many
        if (!last)
            ++at;
    }
    at += *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
    endRow(m_rowStart);
    m_cutter.goTo(m_text.data() + (at - m_text.data()));
    return true;
}

bool CsvRowReader::readAnyRow()
{
    m_cells.clear();
    if (!m_cutter.cutRow(m_cells))
        return fail(CsvFault::Kind::OpenQuote, 0);
    if (m_cells.empty())
        return true;
    if (m_cells.size() != m_rules.uses.size()) {
        m_fault.cells = m_cells.size();
        return fail(CsvFault::Kind::Cells, 0);
    }
    for (std::size_t column = 0; column < m_cells.size(); ++column)
        if (!takeCell(column, m_cells[column]))
            return false;
    endRow(m_rowStart);
    return true;
}

bool CsvRowReader::takeCell(std::size_t column, std::string_view cell)
{
    switch (m_rules.uses[column]) {
    case ColumnUse::Ignored:
        return true;
    case ColumnUse::Number:
    case ColumnUse::Date:
        return takeNumber(column, cell);
    case ColumnUse::Category:
    case ColumnUse::Class:
        return takeCode(column, cell);
    }
    return true;
}

bool CsvRowReader::isMissing(std::string_view cell) const
{
    return cell.empty() || (m_rules.missing != MissingCell::Error && m_rules.missingTexts.contains(cell));
}

bool CsvRowReader::takeNumber(std::size_t column, std::string_view cell)
{
    if (isMissing(cell))
        return m_rules.missing == MissingCell::Error ? fail(CsvFault::Kind::Empty, column) : takeMissing(column);
    const bool date = m_rules.uses[column] == ColumnUse::Date;
    const std::optional<double> value = date ? cellDate(cell) : cellNumber(cell, m_rules.decimal);
    if (!value)
        return fail(date ? CsvFault::Kind::Date : CsvFault::Kind::Number, column, cell);
    if (std::isnan(*value) && m_rules.missing != MissingCell::Error)
        return takeMissing(column);
    m_rowNumbers[m_numberAt++] = static_cast<float>(*value);
    return true;
}

bool CsvRowReader::takeMissing(std::size_t)
{
    m_dropped = m_dropped || m_rules.missing == MissingCell::Drop;
    m_rowNumbers[m_numberAt++] =
        m_rules.missing == MissingCell::Constant ? m_rules.fillValue : std::numeric_limits<float>::quiet_NaN();
    return true;
}

bool CsvRowReader::takeCode(std::size_t column, std::string_view cell)
{
    const bool isClass = m_rules.uses[column] == ColumnUse::Class;
    std::int32_t& code = m_rowCodes[m_codeAt];
    Table& table = m_tables[m_codeAt];
    std::deque<std::string>& texts = m_texts[m_codeAt];
    ++m_codeAt;
    code = -1;
    if (isMissing(cell)) {
        m_dropped = m_dropped || m_rules.missing == MissingCell::Drop;
        return m_dropped || (m_rules.missing != MissingCell::Error && !isClass) ||
               fail(CsvFault::Kind::Empty, column);
    }
    if (const auto known = table.find(cell); known != table.end()) {
        code = known->second;
        return true;
    }
    const std::optional<double> number = cellNumber(cell, m_rules.decimal);
    if (isClass && number && !std::isfinite(*number))
        return fail(CsvFault::Kind::NanClass, column, cell);
    if (texts.size() >= kMostCategories)
        return fail(CsvFault::Kind::TooMany, column);
    std::string name = className(cell); // "1" and "01" are one
    const auto [same, isNew] = table.emplace(name, static_cast<std::int32_t>(texts.size()));
    code = same->second;
    if (isNew)
        texts.push_back(std::move(name));
    table.emplace(std::string(cell), code);
    return true;
}

void CsvRowReader::endRow(const char* row)
{
    if (m_dropped)
        return;
    m_rowOffsets.push_back(static_cast<std::uint32_t>(row - m_text.data()));
    m_numbers.insert(m_numbers.end(), m_rowNumbers.begin(), m_rowNumbers.end());
    m_codes.insert(m_codes.end(), m_rowCodes.begin(), m_rowCodes.end());
}

bool CsvRowReader::fail(CsvFault::Kind kind, std::size_t column, std::string_view text)
{
    m_fault.kind = kind;
    m_fault.column = column;
    m_fault.text = text;
    m_fault.offset = m_rowStart - m_text.data();
    return false;
}

} // namespace athanor
