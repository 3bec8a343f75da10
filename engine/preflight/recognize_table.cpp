// What the columns of a table are: which of them is to be predicted, and whether as a class or as a number.
#include "engine/data/sources/csv_text.h"
#include "engine/data/sources/gz_file.h"
#include "engine/preflight/recognize.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

namespace athanor {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kHeadBytes = 4 << 20;
constexpr std::size_t kMostClasses = 30; // different whole numbers that are still classes

struct Column {
    std::string name;
    std::size_t filled = 0;
    std::size_t numbers = 0;
    std::size_t whole = 0;
    std::set<std::string> values; // up to kMostValues
    std::size_t longest = 0;
    std::size_t characters = 0;
    std::size_t missing = 0;
    bool dates = true;
    bool rising = true; // each cell comes after the one before
    std::string last;
    bool pictures = true;

    static constexpr std::size_t kMostValues = 1000;
    [[nodiscard]] bool isNumeric() const { return filled > 0 && numbers == filled; }
    [[nodiscard]] bool isWhole() const { return filled > 0 && whole == filled; }
    [[nodiscard]] double meanLength() const
    {
        return filled == 0 ? 0 : static_cast<double>(characters) / static_cast<double>(filled);
    }
};

std::string lowerCase(std::string text)
{
    std::ranges::transform(text, text.begin(),
                           [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// 1949-01, 1949-01-31, 31.01.1949, 1/31/1949, perhaps with a time behind it.
bool looksLikeDate(std::string_view cell)
{
    std::size_t digits = 0;
    std::size_t marks = 0;
    for (const char letter : cell.substr(0, cell.find_first_of(" T"))) {
        if (letter >= '0' && letter <= '9')
            ++digits;
        else if (letter == '-' || letter == '/' || letter == '.')
            ++marks;
        else
            return false;
    }
    return digits >= 5 && marks >= 1 && marks <= 2 && cell.front() != '-';
}

bool looksLikePicture(std::string_view cell)
{
    const std::string ending = lowerCase(fs::path(std::string(cell)).extension().string());
    for (const char* known : {".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp"})
        if (ending == known)
            return true;
    return false;
}

void look(Column& column, std::string_view cell)
{
    if (cell.empty() || cell == "?" || cell == "NA" || cell == "nan" || cell == "NaN") {
        ++column.missing;
        return;
    }
    ++column.filled;
    column.characters += cell.size();
    column.longest = std::max(column.longest, cell.size());
    if (const auto number = cellNumber(cell)) {
        ++column.numbers;
        column.whole += std::isfinite(*number) && *number == std::floor(*number) ? 1 : 0;
    }
    column.dates = column.dates && looksLikeDate(cell);
    column.rising = column.rising && column.last < cell;
    column.last = cell;
    column.pictures = column.pictures && looksLikePicture(cell);
    if (column.values.size() < Column::kMostValues)
        column.values.insert(std::string(cell));
}

/// The head of the file, cut at the end of a line.
Result<CsvText> readHead(const fs::path& file)
{
    const SourceNode node{"", "CsvTable", Json::object(), file.parent_path()};
    Result<GzFile> in = GzFile::open(node, "path", file);
    if (!in)
        return in.error();
    std::string text(kHeadBytes, '\0');
    text.resize(in->read(std::as_writable_bytes(std::span(text))));
    if (text.size() == kHeadBytes)
        text.resize(std::min(text.size(), text.rfind('\n') + 1));
    return CsvText::parse(std::move(text));
}

class TableLook {
public:
    TableLook(const fs::path& file, const CsvText& text) : m_file(file), m_text(text) {}

    Result<Recognized> run()
    {
        findHeader();
        readColumns();
        if (m_columns.size() < 2)
            return Error{ErrorCode::Unreadable,
                         m_file.filename().string() + " has only one column",
                         m_file.string(),
                         "A table to learn from needs columns to learn from and one to predict",
                         {}};
        if (const auto pictures = pictureColumn())
            return pictureTable(*pictures);
        const std::size_t target = findTarget();
        if (isSeries(target))
            return series(target);
        return m_columns[target].isNumeric() || !isText() ? table(target) : textTable(target);
    }

private:
    void findHeader()
    {
        const auto first = m_text.row(0);
        m_header =
            std::none_of(first.begin(), first.end(), [](auto cell) { return cellNumber(cell).has_value(); });
        // Where all rows are text, names differ from what stands below them.
        if (m_header && m_text.rowCount() > 2) {
            bool anyNumber = false;
            for (std::size_t column = 0; column < first.size(); ++column)
                anyNumber = anyNumber || (column < m_text.row(1).size() && cellNumber(m_text.row(1)[column]));
            if (!anyNumber) {
                std::size_t repeated = 0;
                for (std::size_t row = 1; row < std::min<std::size_t>(m_text.rowCount(), 200); ++row)
                    for (std::size_t column = 0; column < std::min(first.size(), m_text.row(row).size());
                         ++column)
                        repeated += m_text.row(row)[column] == first[column] ? 1 : 0;
                m_header = repeated == 0;
            }
        }
    }

    void readColumns()
    {
        const auto first = m_text.row(0);
        m_columns.resize(first.size());
        for (std::size_t column = 0; column < first.size(); ++column)
            m_columns[column].name = m_header ? std::string(first[column]) : std::to_string(column);
        for (std::size_t row = m_header ? 1 : 0; row < m_text.rowCount(); ++row, ++m_rows)
            for (std::size_t column = 0; column < std::min(first.size(), m_text.row(row).size()); ++column)
                look(m_columns[column], m_text.row(row)[column]);
    }

    [[nodiscard]] bool isText() const
    {
        constexpr double kSentence = 25; // characters
        return std::ranges::any_of(m_columns, [](const Column& column) {
            return !column.isNumeric() && !column.dates && column.meanLength() >= kSentence &&
                   column.values.size() > kMostClasses;
        });
    }

    std::size_t findTarget()
    {
        for (const char* known : {"label", "labels", "class", "target", "y", "species", "outcome",
                                  "diagnosis", "quality", "sentiment"})
            for (std::size_t column = 0; column < m_columns.size(); ++column)
                if (m_header && lowerCase(m_columns[column].name) == known) {
                    m_why = fmt::format("it is called '{}'", m_columns[column].name);
                    return column;
                }
        m_why = "it is the last column";
        // A first column of few words before nothing but numbers or text is a label too.
        const Column& first = m_columns.front();
        const Column& last = m_columns.back();
        if (!first.isNumeric() && first.values.size() <= kMostClasses && !first.dates && !last.isNumeric() &&
            last.values.size() > kMostClasses) {
            m_why = "it holds few different values, the last column many";
            return 0;
        }
        return m_columns.size() - 1;
    }

    [[nodiscard]] std::string nameOf(std::size_t column) const
    {
        return m_header ? "'" + m_columns[column].name + "'" : "column " + m_columns[column].name;
    }

    [[nodiscard]] Json keyOf(std::size_t column) const
    {
        return m_header ? Json(m_columns[column].name) : Json(column);
    }

    /// Few different whole numbers, or words, are classes. Many of either are not: words are then no target at all.
    [[nodiscard]] bool isClass(const Column& column) const
    {
        const std::size_t most = std::min(kMostClasses, std::max<std::size_t>(2, m_rows / 10));
        if (!column.isNumeric())
            return true;
        // Grades (quality 3 to 8, age in rings) have an order that numbers keep.
        constexpr std::size_t kGrades = 5;
        return column.isWhole() && column.values.size() <= std::min(most, kGrades);
    }

    Result<Recognized> table(std::size_t target)
    {
        Recognized found;
        found.kind = InputKind::Table;
        found.isClassification = isClass(m_columns[target]);
        Json params = {{"path", m_file.string()},
                       {"header", m_header},
                       {"target", keyOf(target)},
                       {"task", found.isClassification ? "classification" : "regression"}};
        found.what = fmt::format("a table of {} columns{}", m_columns.size(),
                                 m_header ? " with a header" : " without a header");
        found.choices.push_back(
            {"Target",
             fmt::format("{}, {}", nameOf(target),
                         found.isClassification ? fmt::format("{} classes", m_columns[target].values.size())
                                                : std::string("a number")),
             m_why, "data/table/target"});
        Json ignored = Json::array();
        Json types = Json::object();
        std::size_t missing = 0;
        for (std::size_t column = 0; column < m_columns.size(); ++column) {
            if (column == target)
                continue;
            const std::string why = reasonToIgnore(m_columns[column]);
            if (!why.empty()) {
                ignored.push_back(m_columns[column].name);
                found.notes.push_back(fmt::format("{} is left out: {}", nameOf(column), why));
                continue;
            }
            missing += m_columns[column].missing;
            if (!m_columns[column].isNumeric())
                types[m_columns[column].name] = "category";
        }
        if (ignored.size() + 1 >= m_columns.size())
            return Error{ErrorCode::Unsupported,
                         m_file.filename().string() + " has no column of numbers or categories to learn from",
                         m_file.string(),
                         "Columns of dates and of free text cannot be features of a table",
                         {}};
        if (!ignored.empty())
            params["ignore"] = std::move(ignored);
        if (!types.empty()) {
            found.choices.push_back(
                {"Categories",
                 fmt::format("{} of words",
                             types.size() == 1 ? "a column" : std::to_string(types.size()) + " columns"),
                 "each word becomes a column of 0 and 1", "data/table/types"});
            params["types"] = std::move(types);
        }
        if (missing > 0) {
            params["missing"] = "mean";
            found.choices.push_back({"Missing values",
                                     fmt::format("{} cells get their column's mean", missing),
                                     "measured on the training part", "data/table/missing"});
        }
        found.parts[0] = SourceDraft{"CsvTable", std::move(params)};
        return found;
    }

    /// Why a column cannot be a feature; empty: it can.
    [[nodiscard]] std::string reasonToIgnore(const Column& column) const
    {
        if (column.filled == 0)
            return "it is empty";
        if (column.isNumeric()) {
            const std::string name = lowerCase(column.name);
            const bool isNumber =
                column.isWhole() && column.values.size() == std::min(m_rows, Column::kMostValues);
            return isNumber && m_header &&
                           (name == "id" || name.ends_with("_id") || name == "index" || name.empty())
                       ? "it numbers the rows"
                       : "";
        }
        if (column.dates)
            return "it holds dates";
        return column.values.size() > kMostCategories ? "it holds many different words" : "";
    }

    static constexpr std::size_t kMostCategories = 100;

    [[nodiscard]] std::optional<std::size_t> pictureColumn() const
    {
        for (std::size_t column = 0; column < m_columns.size(); ++column)
            if (m_columns[column].filled > 0 && m_columns[column].pictures)
                return column;
        return std::nullopt;
    }

    Result<Recognized> pictureTable(std::size_t pictures)
    {
        const std::size_t target = pictures + 1 < m_columns.size() ? m_columns.size() - 1 : 0;
        Recognized found;
        found.kind = InputKind::ImageTable;
        found.isClassification = isClass(m_columns[target]);
        found.what = "a table of pictures' paths and labels";
        found.choices.push_back(
            {"Target",
             fmt::format("{}, {}", nameOf(target),
                         found.isClassification ? fmt::format("{} classes", m_columns[target].values.size())
                                                : std::string("a number")),
             "the column beside the paths", "data/pictures/labels"});
        found.parts[0] = SourceDraft{"ImageList",
                                     {{"path", m_file.string()},
                                      {"header", m_header},
                                      {"image", keyOf(pictures)},
                                      {"labels", Json::array({m_columns[target].name})},
                                      {"task", found.isClassification ? "classification" : "regression"}}};
        return found;
    }

    /// Rows in the order of time: a column of rising dates, numbers beside it, and no classes to tell.
    [[nodiscard]] bool isSeries(std::size_t target) const
    {
        constexpr std::size_t kFewestRows = 50;
        std::size_t dates = 0;
        for (const Column& column : m_columns) {
            if (!column.isNumeric() && !column.dates)
                return false;
            dates += !column.isNumeric() && column.dates && column.rising ? 1 : 0;
        }
        return dates == 1 && m_rows >= kFewestRows && m_columns[target].isNumeric() &&
               !isClass(m_columns[target]);
    }

    Result<Recognized> series(std::size_t target)
    {
        // A year of months or two weeks of days: what repeats should fit into the window.
        const std::int64_t window = m_rows < 400 ? 12 : 14;
        Recognized found;
        found.kind = InputKind::TimeSeries;
        found.isClassification = false;
        found.what = fmt::format("a time series of {} rows", m_rows);
        Json ignored = Json::array();
        for (const Column& column : m_columns)
            if (!column.isNumeric())
                ignored.push_back(column.name);
        found.choices.push_back(
            {"Target", fmt::format("the next value of {}, from the last {}", nameOf(target), window), m_why,
             "data/series/target"});
        std::int64_t number = 0; // of the target among the columns that are left
        for (std::size_t column = 0; column < target; ++column)
            number += m_columns[column].isNumeric() ? 1 : 0;
        found.parts[0] = SourceDraft{"SequenceWindows",
                                     {{"path", m_file.string()},
                                      {"header", m_header},
                                      {"window", window},
                                      {"target", number},
                                      {"ignore", std::move(ignored)}}};
        return found;
    }

    Result<Recognized> textTable(std::size_t target)
    {
        std::size_t text = target == 0 ? 1 : 0;
        for (std::size_t column = 0; column < m_columns.size(); ++column)
            if (column != target && m_columns[column].meanLength() > m_columns[text].meanLength())
                text = column;
        Recognized found;
        found.kind = InputKind::TextTable;
        found.what = "a table of texts and labels";
        found.choices.push_back({"Text", nameOf(text), "its cells are the longest", "data/texts/text"});
        found.choices.push_back(
            {"Target", fmt::format("{}, {} classes", nameOf(target), m_columns[target].values.size()), m_why,
             "data/texts/target"});
        found.parts[0] = SourceDraft{"TextCsv",
                                     {{"path", m_file.string()},
                                      {"header", m_header},
                                      {"text", keyOf(text)},
                                      {"target", keyOf(target)}}};
        return found;
    }

    const fs::path& m_file;
    const CsvText& m_text;
    bool m_header = false;
    std::size_t m_rows = 0;
    std::vector<Column> m_columns;
    std::string m_why;
};

} // namespace

Result<Recognized> recognizeTable(const fs::path& file)
{
    const Result<CsvText> text = readHead(file);
    if (!text) {
        Error error = text.error();
        error.where = file.string();
        return error;
    }
    if (text->rowCount() == 0)
        return Error{ErrorCode::Unreadable, file.filename().string() + " is empty", file.string(), {}, {}};
    return TableLook(file, *text).run();
}

} // namespace athanor
