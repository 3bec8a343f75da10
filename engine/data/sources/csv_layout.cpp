#include "engine/data/sources/csv_layout.h"

#include "engine/data/sources/csv_cutter.h"
#include "engine/data/sources/csv_text.h"
#include "engine/data/sources/table_file.h"
#include "engine/data/sources/text_encoding.h"

#include <algorithm>

namespace athanor {

namespace {

class LayoutFinder {
public:
    LayoutFinder(const SourceNode& node, const CsvContent& content, const std::string& file)
        : m_node(node), m_content(content), m_file(file)
    {}

    Result<CsvLayout> find()
    {
        for (const auto step : {&LayoutFinder::readHead, &LayoutFinder::findHeader, &LayoutFinder::findUses,
                                &LayoutFinder::checkFeatures, &LayoutFinder::findDecimal}) {
            if (const Status status = (this->*step)(); !status)
                return status.error();
        }
        return std::move(m_layout);
    }

private:
    Status readHead();
    Status findHeader();
    Status findUses();
    Status findTypes();
    Status checkFeatures();
    Status findDecimal();
    [[nodiscard]] Result<std::size_t> columnOf(const Json& column, const std::string& parameter) const
    {
        return findColumn(m_node, parameter, column, m_layout.names, m_layout.named, m_file);
    }

    const SourceNode& m_node;
    const CsvContent& m_content;
    const std::string& m_file;
    CsvLayout m_layout;
    std::optional<CsvText> m_head;
};

/// The first rows as text. A row that the head's end cuts is left out; a head in which no row ends is read longer.
Status LayoutFinder::readHead()
{
    const auto encoding = m_node.params.at("encoding").get<std::string>();
    const auto separator = m_node.params.at("separator").get<std::string>();
    const auto quote = m_node.params.at("quote").get<std::string>();
    CsvRules& rules = m_layout.rules;
    rules.latin1 = encoding == "latin-1";
    rules.mayBeLatin1 = encoding == "auto";
    rules.quote = quote == "none" ? '\0' : quote.front();
    for (std::int64_t wanted = std::int64_t{1} << 18;; wanted *= 16) {
        std::string text = m_content.read(0, wanted);
        const bool whole = static_cast<std::int64_t>(text.size()) == m_content.size();
        if (!whole)
            text.resize(std::min(text.size(), text.rfind('\n') + 1)); // npos + 1 is 0
        if (text.find('\0') != std::string::npos)
            return m_node.error(ErrorCode::Unreadable, "path",
                                m_file + ": This is no text file (it holds zero bytes)",
                                "Save the table as CSV in UTF-8");
        if (rules.latin1 || (rules.mayBeLatin1 && lineOfBadUtf8(text) > 0))
            text = latin1ToUtf8(text);
        Result<CsvText> head =
            CsvText::parse(std::move(text), separator == "auto" ? '\0' : separator.front(), rules.quote);
        if (head && (whole || head->rowCount() > 1)) {
            rules.separator = head->separator();
            m_head = std::move(*head);
            return Done{};
        }
        if (whole)
            return head ? Status(Done{})
                        : m_node.error(head.error().code, "path", m_file + ": " + head.error().message,
                                       head.error().hint);
    }
}

/// Without a word from the user the first row is a header when it holds no number.
Status LayoutFinder::findHeader()
{
    if (!m_head || m_head->rowCount() == 0)
        return m_node.error(ErrorCode::Unreadable, "path", m_file + " is empty");
    const Json& header = m_node.params.at("header");
    const auto first = m_head->row(0);
    m_layout.firstLine = m_head->line(0);
    m_layout.named = header.is_boolean()
                         ? header.get<bool>()
                         : std::none_of(first.begin(), first.end(), [](auto cell) { return cellNumber(cell); });
    for (std::size_t column = 0; column < first.size(); ++column)
        m_layout.names.push_back(m_layout.named ? std::string(first[column]) : "column " + std::to_string(column));
    if (!m_layout.named)
        return Done{};
    if (m_head->rowCount() < 2)
        return m_node.error(ErrorCode::Unreadable, "path", m_file + " has a header but no rows");
    // The header ends where the cutter stands behind its first row; blank lines before it belong to it.
    std::string text = m_content.read(0, std::int64_t{1} << 26);
    CsvCutter cutter(text.data(), text.data() + text.size(), m_layout.rules.separator, m_layout.rules.quote);
    std::vector<std::string_view> cells;
    while (cells.empty() && !cutter.atEnd() && cutter.cutRow(cells)) {
    }
    m_layout.rules.firstByte = cutter.at() - text.data();
    m_layout.rulesLine = cutter.line() - 1;
    return Done{};
}

Status LayoutFinder::findUses()
{
    CsvRules& rules = m_layout.rules;
    rules.uses.assign(m_layout.width(), ColumnUse::Number);
    const auto missing = m_node.params.at("missing").get<std::string>();
    rules.missing = missing == "error"      ? MissingCell::Error
                    : missing == "constant" ? MissingCell::Constant
                    : missing == "drop"     ? MissingCell::Drop
                                            : MissingCell::Nan;
    rules.fillValue = m_node.params.at("fill_value").get<float>();
    for (const Json& text : m_node.params.at("na_values"))
        rules.missingTexts.insert(text.get<std::string>());
    if (const Json& target = m_node.params.at("target"); !target.is_null()) {
        const Result<std::size_t> column = columnOf(target, "target");
        if (!column)
            return column.error();
        m_layout.target = *column;
    }
    if (const Status status = findTypes(); !status)
        return status;
    if (m_layout.target)
        rules.uses[*m_layout.target] =
            m_node.params.at("task") == "regression" ? ColumnUse::Number : ColumnUse::Class;
    for (const Json& ignore : m_node.params.at("ignore")) {
        const Result<std::size_t> column = columnOf(ignore, "ignore");
        if (!column)
            return column.error();
        if (m_layout.target == *column)
            return m_node.error(ErrorCode::InvalidArgument, "ignore",
                                "'" + m_layout.names[*column] + "' is the target and cannot be ignored");
        rules.uses[*column] = ColumnUse::Ignored;
    }
    return Done{};
}

Status LayoutFinder::findTypes()
{
    static const std::map<std::string, ColumnUse> kUses = {{"number", ColumnUse::Number},
                                                           {"category", ColumnUse::Category},
                                                           {"date", ColumnUse::Date},
                                                           {"ignored", ColumnUse::Ignored}};
    const Json& types = m_node.params.at("types");
    if (!types.is_object())
        return m_node.error(ErrorCode::InvalidArgument, "types", "types must be an object of columns and types",
                            R"(such as {"sex": "category"})");
    for (const auto& [name, type] : types.items()) {
        const Result<std::size_t> column = columnOf(name, "types");
        if (!column)
            return column.error();
        const auto use = type.is_string() ? kUses.find(type.get<std::string>()) : kUses.end();
        if (use == kUses.end())
            return m_node.error(ErrorCode::InvalidArgument, "types",
                                "The type of '" + name + "' is none of number, category, date, ignored");
        if (m_layout.target == *column && use->second == ColumnUse::Ignored)
            return m_node.error(ErrorCode::InvalidArgument, "types", "'" + name + "' is the target");
        m_layout.rules.uses[*column] = use->second;
    }
    return Done{};
}

Status LayoutFinder::checkFeatures()
{
    for (std::size_t column = 0; column < m_layout.width(); ++column)
        if (m_layout.rules.uses[column] != ColumnUse::Ignored && m_layout.target != column)
            return Done{};
    const bool one = m_layout.width() == 1;
    return m_node.error(ErrorCode::InvalidArgument, one ? "path" : "ignore",
                        m_file + " has no column left for features",
                        one ? "Only one column was found: is the separator one of , ; tab | or blank?"
                            : "Ignore fewer columns");
}

/// A comma, where the first rows have numbers that only a comma makes numbers, and none with a point.
Status LayoutFinder::findDecimal()
{
    CsvRules& rules = m_layout.rules;
    const auto decimal = m_node.params.at("decimal").get<std::string>();
    rules.decimal = decimal == "," ? ',' : '.';
    if (decimal != "auto" || rules.separator == ',')
        return Done{};
    constexpr std::size_t kRows = 200;
    bool commas = false;
    const std::size_t first = m_layout.named ? 1 : 0;
    for (std::size_t row = first; row < std::min(m_head->rowCount(), first + kRows); ++row) {
        const auto cells = m_head->row(row);
        for (std::size_t column = 0; column < std::min(cells.size(), m_layout.width()); ++column) {
            if (rules.uses[column] != ColumnUse::Number)
                continue;
            const std::string_view cell = cells[column];
            if (cellNumber(cell) && cell.find('.') != std::string_view::npos)
                return Done{};
            commas = commas || (!cellNumber(cell) && cellNumber(cell, ','));
        }
    }
    rules.decimal = commas ? ',' : '.';
    return Done{};
}

} // namespace

Result<CsvLayout> findCsvLayout(const SourceNode& node, const CsvContent& content, const std::string& file)
{
    return LayoutFinder(node, content, file).find();
}

} // namespace athanor
