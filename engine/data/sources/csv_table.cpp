// Tables of text (CSV): what is wrong with a cell is said by the file's line and the column's name.
#include "engine/data/sources/csv_dataset.h"
#include "engine/data/sources/csv_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

namespace athanor {

namespace {

class CsvOpener {
public:
    explicit CsvOpener(const SourceNode& node)
        : m_node(node), m_path(node.path(node.params.at("path").get<std::string>())), m_file(fileName(m_path))
    {}

    OpenedDataset open()
    {
        Result<std::shared_ptr<CsvContent>> content =
            CsvContent::open(m_node, "path", m_path, m_node.params.at("encoding").get<std::string>());
        if (!content)
            return content.error();
        Result<CsvLayout> layout = findCsvLayout(m_node, **content, m_file);
        if (!layout)
            return layout.error();
        m_layout = std::move(*layout);
        CsvColumns columns = parseCsv(**content, m_layout.rules);
        if (columns.fault.kind != CsvFault::Kind::None)
            return error(columns.fault);
        if (columns.rows == 0)
            return m_node.error(ErrorCode::InvalidArgument, "missing",
                                "Every row of " + m_file + " lacks a value, so none is left",
                                "Ignore the columns that are empty, or fill the values in");
        if (const Status status = checkClasses(columns); !status)
            return status.error();
        const auto missing = m_node.params.at("missing").get<std::string>();
        const CsvOutput output{m_node.params.at("categories") == "one_hot", missing == "median",
                               missing == "mean" || missing == "median",
                               m_node.params.at("task") == "regression"};
        return std::unique_ptr<Dataset>(std::make_unique<CsvDataset>(m_file, m_layout, output, std::move(*content),
                                                                    std::move(columns)));
    }

private:
    /// Many different numbers with fractions are measurements, not classes.
    Status checkClasses(const CsvColumns& columns) const
    {
        constexpr std::size_t kFewClasses = 50;
        if (!m_layout.target || m_layout.rules.uses[*m_layout.target] != ColumnUse::Class)
            return Done{};
        std::size_t place = 0;
        for (std::size_t column = 0; column < *m_layout.target; ++column)
            place += m_layout.rules.uses[column] == ColumnUse::Category ? 1 : 0;
        const std::vector<std::string>& texts = columns.texts[place];
        const bool fractions = std::any_of(texts.begin(), texts.end(), [](const std::string& text) {
            const std::optional<double> number = cellNumber(text);
            return number && *number != std::floor(*number);
        });
        if (fractions && texts.size() > kFewClasses)
            return m_node.error(ErrorCode::InvalidArgument, "task",
                                "'" + m_layout.names[*m_layout.target] + "' has " + std::to_string(texts.size()) +
                                    " different values with fractions: these are no classes",
                                "Set task to regression, or target to the column of the classes");
        return Done{};
    }

    [[nodiscard]] Error unreadable(std::string message, std::string hint) const
    {
        return m_node.error(ErrorCode::Unreadable, "path", std::move(message), std::move(hint));
    }

    [[nodiscard]] Error error(const CsvFault& fault) const
    {
        const std::string line = "line " + std::to_string(m_layout.rulesLine + fault.lines + 1);
        const std::string place = m_file + ", " + line;
        switch (fault.kind) {
        case CsvFault::Kind::Cells:
            return unreadable(place + ": " + std::to_string(fault.cells) + " cells, but line " +
                                  std::to_string(m_layout.firstLine) + " has " +
                                  std::to_string(m_layout.width()),
                              "Every line needs the same number of cells; quote cells that hold the separator '" +
                                  std::string(1, m_layout.rules.separator) + "'");
        case CsvFault::Kind::OpenQuote:
            return unreadable(m_file + ": The quote opened on " + line + " is never closed",
                              "Close it, or write it twice for a quote inside a quoted cell");
        case CsvFault::Kind::NoText:
            return unreadable(m_file + ": This is no text file (it holds zero bytes)",
                              "Save the table as CSV in UTF-8");
        case CsvFault::Kind::Encoding:
            return unreadable(place + " holds characters that are not UTF-8",
                              "Set encoding to the table's, or save it as CSV in UTF-8");
        case CsvFault::Kind::TooMany:
            return m_node.error(ErrorCode::InvalidArgument, "types",
                                "'" + m_layout.names[fault.column] + "' has more than 100,000 different values",
                                "These are no categories: ignore the column");
        case CsvFault::Kind::Storage:
            return m_node.error(ErrorCode::OutOfMemory, "path", fault.text,
                                "Free some space there, or let TMPDIR name a folder with more");
        case CsvFault::Kind::NanClass:
            return m_node.error(ErrorCode::InvalidArgument, "path", place + ": the class is " + fault.text,
                                "Drop the row, or give it a class");
        default:
            return badCell(fault, place);
        }
    }

    [[nodiscard]] Error badCell(const CsvFault& fault, const std::string& place) const
    {
        const std::string where = place + ", column " + std::to_string(fault.column) +
                                  (m_layout.named ? " ('" + m_layout.names[fault.column] + "')" : std::string());
        const auto wrong = [&](const std::string& what, std::string hint) {
            return m_node.error(ErrorCode::InvalidArgument, "path", where + ": " + what, std::move(hint));
        };
        if (fault.kind == CsvFault::Kind::Empty)
            return wrong("the cell is empty", "Say what becomes of it by the parameter missing, or ignore the column");
        const std::string text = fmt::format("'{}'", fault.text.substr(0, 40));
        if (fault.kind == CsvFault::Kind::Date)
            return wrong(text + " is not a date", "Dates are written 2024-01-31 or 31.01.2024");
        std::string hint = "Give the column a type in types (category, date), or put it in ignore";
        if (m_layout.target == fault.column)
            hint = "A regression target must be a number; for classes set task to classification";
        else if (fault.text.find(',') != std::string::npos && m_layout.rules.separator != ',')
            hint = "Numbers are read with a decimal " +
                   std::string(m_layout.rules.decimal == ',' ? "comma" : "point") +
                   ": set decimal, or write all of them alike";
        else if (!m_layout.named && m_layout.rulesLine + fault.lines + 1 == m_layout.firstLine)
            hint = "Is this the header? Then set header to true; otherwise ignore this column, or give it a type";
        return wrong(text + " is not a number", hint);
    }

    const SourceNode& m_node;
    std::filesystem::path m_path;
    std::string m_file;
    CsvLayout m_layout;
};

} // namespace

OpenedDataset openCsvTable(const SourceNode& node)
{
    return CsvOpener(node).open();
}

} // namespace athanor
