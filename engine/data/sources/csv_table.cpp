#include "engine/data/memory_dataset.h"
#include "engine/data/sources/csv_text.h"
#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/source.h"
#include "engine/graph/name_match.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace athanor {

namespace {

/// A table being read: text, names of its columns, which of them are features and which is the target.
class CsvReader {
public:
    explicit CsvReader(const SourceNode& node)
        : m_node(node), m_path(node.path(node.params.at("path").get<std::string>()))
    {}

    OpenedDataset open()
    {
        for (const auto step : {&CsvReader::load, &CsvReader::checkRows, &CsvReader::findHeader,
                                &CsvReader::findColumns, &CsvReader::readFeatures, &CsvReader::readTarget}) {
            if (const Status status = (this->*step)(); !status)
                return status.error();
        }
        std::vector<std::int64_t> lines;
        for (std::size_t row = m_firstRow; row < m_text->rowCount(); ++row)
            lines.push_back(m_text->line(row));
        return makeMemoryDataset(std::move(m_fields), samples(),
                                 [name = fileName(m_path), lines = std::move(lines)](std::int64_t index) {
                                     return name + ", line " +
                                            std::to_string(lines[static_cast<std::size_t>(index)]);
                                 });
    }

private:
    Status load();
    Status checkRows();
    Status findHeader();
    Status findColumns();
    Status readFeatures();
    Status readTarget();
    Status readRegressionTarget();
    Status readClasses();

    [[nodiscard]] Result<std::size_t> columnOf(const Json& column, const std::string& parameter) const;
    [[nodiscard]] Error badCell(std::size_t row, std::size_t column) const;
    [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const
    {
        return m_text->row(row)[column];
    }
    [[nodiscard]] std::string place(std::size_t row) const
    {
        return fileName(m_path) + ", line " + std::to_string(m_text->line(row));
    }
    [[nodiscard]] std::int64_t samples() const
    {
        return static_cast<std::int64_t>(m_text->rowCount() - m_firstRow);
    }

    const SourceNode& m_node;
    std::filesystem::path m_path;
    std::optional<CsvText> m_text;
    std::size_t m_firstRow = 0; // of the samples
    std::vector<std::string> m_names;
    bool m_named = false; // by a header
    std::vector<std::size_t> m_features;
    std::optional<std::size_t> m_target;
    std::vector<MemoryField> m_fields;
};

Status CsvReader::load()
{
    Result<std::string> text = readTextFile(m_node, "path", m_path);
    if (!text)
        return text.error();
    const auto separator = m_node.params.at("separator").get<std::string>();
    Result<CsvText> table = CsvText::parse(std::move(*text), separator == "auto" ? '\0' : separator.front());
    if (!table)
        return m_node.error(table.error().code, "path", fileName(m_path) + ": " + table.error().message,
                            table.error().hint);
    m_text = std::move(*table);
    return Done{};
}

Status CsvReader::checkRows()
{
    if (m_text->rowCount() == 0)
        return m_node.error(ErrorCode::Unreadable, "path", fileName(m_path) + " is empty");
    const std::size_t width = m_text->row(0).size();
    for (std::size_t row = 1; row < m_text->rowCount(); ++row)
        if (m_text->row(row).size() != width)
            return m_node.error(
                ErrorCode::Unreadable, "path",
                place(row) + ": " + std::to_string(m_text->row(row).size()) + " cells, but line " +
                    std::to_string(m_text->line(0)) + " has " + std::to_string(width),
                "Every line needs the same number of cells; quote cells that hold the separator '" +
                    std::string(1, m_text->separator()) + "'");
    return Done{};
}

/// Without a word from the user the first row is a header when it holds no number.
Status CsvReader::findHeader()
{
    const Json& header = m_node.params.at("header");
    const auto first = m_text->row(0);
    m_named = header.is_boolean()
                  ? header.get<bool>()
                  : std::none_of(first.begin(), first.end(), [](auto cell) { return cellNumber(cell); });
    m_firstRow = m_named ? 1 : 0;
    if (m_firstRow >= m_text->rowCount())
        return m_node.error(ErrorCode::Unreadable, "path", fileName(m_path) + " has a header but no rows");
    for (std::size_t column = 0; column < first.size(); ++column)
        m_names.push_back(m_named ? std::string(first[column]) : "column " + std::to_string(column));
    return Done{};
}

Result<std::size_t> CsvReader::columnOf(const Json& column, const std::string& parameter) const
{
    const std::string name = column.is_string() ? column.get<std::string>() : column.dump();
    if (const auto found = std::find(m_names.begin(), m_names.end(), name);
        column.is_string() && found != m_names.end())
        return static_cast<std::size_t>(found - m_names.begin());
    const auto width = static_cast<std::int64_t>(m_names.size());
    if (const std::optional<double> value = cellNumber(name); value && *value == std::floor(*value)) {
        const auto number = static_cast<std::int64_t>(*value);
        if (number < -width || number >= width)
            return m_node.error(ErrorCode::InvalidArgument, parameter,
                                fileName(m_path) + " has no column " + std::to_string(number),
                                "Its columns are numbered from 0 to " + std::to_string(width - 1) +
                                    "; −1 is the last one");
        return static_cast<std::size_t>(number < 0 ? number + width : number);
    }
    std::string hint;
    if (!m_named)
        hint = "The table is read without a header; name the column by its number, or set header to true";
    else if (const std::string nearest = nearestName(name, m_names); !nearest.empty())
        hint = "Did you mean '" + nearest + "'?";
    else
        hint = "Its first columns are " + m_names.front() + " … " + m_names.back();
    return m_node.error(ErrorCode::InvalidArgument, parameter,
                        fileName(m_path) + " has no column named '" + name + "'", hint);
}

Status CsvReader::findColumns()
{
    std::vector<bool> used(m_names.size(), true);
    if (const Json& target = m_node.params.at("target"); !target.is_null()) {
        const Result<std::size_t> column = columnOf(target, "target");
        if (!column)
            return column.error();
        m_target = *column;
        used[*column] = false;
    }
    for (const Json& ignore : m_node.params.at("ignore")) {
        const Result<std::size_t> column = columnOf(ignore, "ignore");
        if (!column)
            return column.error();
        if (m_target == *column)
            return m_node.error(ErrorCode::InvalidArgument, "ignore",
                                "'" + m_names[*column] + "' is the target and cannot be ignored");
        used[*column] = false;
    }
    for (std::size_t column = 0; column < used.size(); ++column)
        if (used[column])
            m_features.push_back(column);
    if (m_features.empty())
        return m_node.error(ErrorCode::InvalidArgument, m_names.size() == 1 ? "path" : "ignore",
                            fileName(m_path) + " has no column left for features",
                            m_names.size() == 1
                                ? "Only one column was found: is the separator one of , ; tab | or blank?"
                                : "Ignore fewer columns");
    return Done{};
}

/// The error for a cell that should be a number.
Error CsvReader::badCell(std::size_t row, std::size_t column) const
{
    const std::string_view text = cell(row, column);
    const std::string where = place(row) + ", column " + std::to_string(column) +
                              (m_named ? " ('" + m_names[column] + "')" : std::string());
    if (text.empty())
        return m_node.error(ErrorCode::InvalidArgument, "path", where + ": the cell is empty",
                            "Fill in the value, drop the row, or ignore the column");
    std::string hint = "Text cannot be a feature: encode it as numbers, or put the column in ignore";
    if (m_target == column)
        hint = "A regression target must be a number; for classes set task to classification";
    else if (text.find(',') != std::string_view::npos && m_text->separator() != ',')
        hint = "Numbers are written with a decimal point: export the table with points instead of commas";
    else if (row == 0)
        hint = "Is this the header? Then set header to true; otherwise ignore this column, text cannot be a "
               "feature";
    return m_node.error(ErrorCode::InvalidArgument, "path",
                        where + ": '" + std::string(text.substr(0, 40)) + "' is not a number", hint);
}

Status CsvReader::readFeatures()
{
    FieldLayout layout{"features", Element::Float32, {static_cast<std::int64_t>(m_features.size())}};
    for (const std::size_t column : m_features)
        layout.columnNames.push_back(m_names[column]);
    MemoryField field = makeMemoryField(std::move(layout), samples());
    float* out = field.float32();
    for (std::size_t row = m_firstRow; row < m_text->rowCount(); ++row) {
        const auto cells = m_text->row(row);
        for (const std::size_t column : m_features) {
            const std::optional<double> number = cellNumber(cells[column]);
            if (!number)
                return badCell(row, column);
            *out++ = static_cast<float>(*number);
        }
    }
    m_fields.push_back(std::move(field));
    return Done{};
}

Status CsvReader::readTarget()
{
    if (!m_target)
        return Done{};
    return m_node.params.at("task") == "regression" ? readRegressionTarget() : readClasses();
}

Status CsvReader::readRegressionTarget()
{
    FieldLayout layout{"target", Element::Float32, {1}, 0, {}, {m_names[*m_target]}};
    MemoryField field = makeMemoryField(std::move(layout), samples());
    float* out = field.float32();
    for (std::size_t row = m_firstRow; row < m_text->rowCount(); ++row) {
        const std::optional<double> number = cellNumber(cell(row, *m_target));
        if (!number)
            return badCell(row, *m_target);
        *out++ = static_cast<float>(*number);
    }
    m_fields.push_back(std::move(field));
    return Done{};
}

/// A label as its class is named: "1", "01" and "1.0" are the same whole number.
std::string className(std::string_view cell)
{
    const std::optional<double> number = cellNumber(cell);
    if (number && std::abs(*number) < 1e15 && *number == std::floor(*number))
        return std::to_string(static_cast<std::int64_t>(*number));
    return std::string(cell);
}

Status CsvReader::readClasses()
{
    constexpr std::size_t kFewClasses = 50;
    std::map<std::string, std::int64_t> numbers;
    std::vector<std::string> labels;
    bool fractions = false;
    for (std::size_t row = m_firstRow; row < m_text->rowCount(); ++row) {
        const std::string_view text = cell(row, *m_target);
        if (text.empty())
            return badCell(row, *m_target);
        labels.push_back(className(text));
        numbers.emplace(labels.back(), 0);
        const std::optional<double> number = cellNumber(text);
        if (number && !std::isfinite(*number))
            return m_node.error(ErrorCode::InvalidArgument, "path",
                                place(row) + ": the class is " + std::string(text),
                                "Drop the row, or give it a class");
        fractions = fractions || (number && *number != std::floor(*number));
    }
    if (fractions && numbers.size() > kFewClasses)
        return m_node.error(ErrorCode::InvalidArgument, "task",
                            "'" + m_names[*m_target] + "' has " + std::to_string(numbers.size()) +
                                " different values with fractions: these are no classes",
                            "Set task to regression, or target to the column of the classes");
    FieldLayout layout{"label", Element::Int64, {}};
    for (const auto& [name, number] : numbers)
        layout.classNames.push_back(name);
    layout.classNames = sortedClassNames(std::move(layout.classNames));
    layout.classes = static_cast<std::int64_t>(layout.classNames.size());
    for (std::size_t i = 0; i < layout.classNames.size(); ++i)
        numbers[layout.classNames[i]] = static_cast<std::int64_t>(i);
    MemoryField field = makeMemoryField(std::move(layout), samples());
    std::transform(labels.begin(), labels.end(), field.int64(),
                   [&](const auto& label) { return numbers[label]; });
    m_fields.push_back(std::move(field));
    return Done{};
}

} // namespace

OpenedDataset openCsvTable(const SourceNode& node)
{
    return CsvReader(node).open();
}

} // namespace athanor
