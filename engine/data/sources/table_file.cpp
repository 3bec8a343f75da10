#include "engine/data/sources/table_file.h"

#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/text_encoding.h"
#include "engine/graph/name_match.h"

#include <algorithm>
#include <cmath>

namespace athanor {

Result<std::size_t> findColumn(const SourceNode& node, const std::string& parameter, const Json& column,
                               const std::vector<std::string>& names, bool named, const std::string& file)
{
    const std::string name = column.is_string() ? column.get<std::string>() : column.dump();
    if (const auto found = std::find(names.begin(), names.end(), name); column.is_string() && found != names.end())
        return static_cast<std::size_t>(found - names.begin());
    const auto width = static_cast<std::int64_t>(names.size());
    if (const std::optional<double> value = cellNumber(name);
        value && *value == std::floor(*value) && std::abs(*value) < 1e15) {
        const auto number = static_cast<std::int64_t>(*value);
        if (number < -width || number >= width)
            return node.error(ErrorCode::InvalidArgument, parameter,
                              file + " has no column " + std::to_string(number),
                              "Its columns are numbered from 0 to " + std::to_string(width - 1) +
                                  "; −1 is the last one");
        return static_cast<std::size_t>(number < 0 ? number + width : number);
    }
    std::string hint;
    if (!named)
        hint = "The table is read without a header; name the column by its number, or set header to true";
    else if (const std::string nearest = nearestName(name, names); !nearest.empty())
        hint = "Did you mean '" + nearest + "'?";
    else
        hint = "Its first columns are " + names.front() + " … " + names.back();
    return node.error(ErrorCode::InvalidArgument, parameter, file + " has no column named '" + name + "'", hint);
}

Result<TableFile> TableFile::read(const SourceNode& node)
{
    const std::filesystem::path path = node.path(node.params.at("path").get<std::string>());
    const auto failed = [&](const Error& error) {
        return node.error(error.code, "path", fileName(path) + ": " + error.message, error.hint);
    };
    Result<std::string> bytes = readTextFile(node, "path", path);
    if (!bytes)
        return bytes.error();
    Result<std::string> utf8 = toUtf8(std::move(*bytes), node.params.at("encoding").get<std::string>());
    if (!utf8)
        return failed(utf8.error());
    const auto separator = node.params.at("separator").get<std::string>();
    Result<CsvText> text = CsvText::parse(std::move(*utf8), separator == "auto" ? '\0' : separator.front());
    if (!text)
        return failed(text.error());
    TableFile table(std::move(*text));
    table.m_name = fileName(path);
    if (table.m_text.rowCount() == 0)
        return node.error(ErrorCode::Unreadable, "path", table.m_name + " is empty");
    const auto first = table.m_text.row(0);
    const Json& header = node.params.at("header");
    table.m_named = header.is_boolean()
                        ? header.get<bool>()
                        : std::none_of(first.begin(), first.end(), [](auto cell) { return cellNumber(cell); });
    for (std::size_t column = 0; column < first.size(); ++column)
        table.m_names.push_back(table.m_named ? std::string(first[column]) : "column " + std::to_string(column));
    for (std::size_t row = 1; row < table.m_text.rowCount(); ++row)
        if (table.m_text.row(row).size() != first.size())
            return node.error(ErrorCode::Unreadable, "path",
                              table.place(row) + ": " + std::to_string(table.m_text.row(row).size()) +
                                  " cells, but the first line has " + std::to_string(first.size()),
                              "Every line needs the same number of cells; quote cells that hold the separator");
    table.m_firstRow = table.m_named ? 1 : 0;
    if (table.rowCount() == 0)
        return node.error(ErrorCode::Unreadable, "path", table.m_name + " has a header but no rows");
    return table;
}

Result<std::size_t> TableFile::column(const SourceNode& node, const std::string& parameter,
                                      const Json& column) const
{
    return findColumn(node, parameter, column, m_names, m_named, m_name);
}

} // namespace athanor
