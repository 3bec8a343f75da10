// Texts as bytes of UTF-8: a folder per class, or a column of a table. Tokenize makes numbers of them.
#include "engine/data/sources/file_tree.h"
#include "engine/data/sources/gz_file.h"
#include "engine/data/sources/labels.h"
#include "engine/data/sources/table_file.h"
#include "engine/data/sources/text_encoding.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstring>

namespace athanor {

namespace fs = std::filesystem;

namespace {

FieldLayout textLayout()
{
    return {"text", Element::UInt8, {kVaries}};
}

void writeText(std::string_view text, Value& value)
{
    std::byte* out = value.write(Element::UInt8, {static_cast<std::int64_t>(text.size())});
    if (!text.empty())
        std::memcpy(out, text.data(), text.size());
}

class TextFolderDataset final : public Dataset {
public:
    TextFolderDataset(SourceNode node, FieldLayout label, std::vector<LabelledFile> files)
        : Dataset({textLayout(), std::move(label)}), m_node(std::move(node)),
          m_root(m_node.path(m_node.params.at("path").get<std::string>())),
          m_encoding(m_node.params.at("encoding").get<std::string>()), m_files(std::move(files))
    {}

    [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(2);
        Result<std::string> bytes = readTextFile(m_node, "path", at(index).path);
        if (!bytes)
            return bytes.error();
        const Result<std::string> text = toUtf8(std::move(*bytes), m_encoding);
        if (!text)
            return text.error();
        writeText(*text, sample[0]);
        sample[1].borrow(fields()[1], reinterpret_cast<const std::byte*>(&at(index).label));
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        return at(index).path.lexically_relative(m_root).string();
    }
    [[nodiscard]] std::int64_t indexValue(std::size_t, std::int64_t index) const override
    {
        return at(index).label;
    }
    [[nodiscard]] std::string filePath(std::int64_t index) const override { return at(index).path.string(); }
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return {"file", "stem", "part"}; }
    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        if (column == 2)
            return at(index).part;
        return (column == 0 ? at(index).path.filename() : at(index).path.stem()).string();
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>& map) override
    {
        for (LabelledFile& file : m_files)
            file.label = map[static_cast<std::size_t>(file.label)];
    }

private:
    [[nodiscard]] const LabelledFile& at(std::int64_t index) const
    {
        return m_files[static_cast<std::size_t>(index)];
    }

    SourceNode m_node;
    fs::path m_root;
    std::string m_encoding;
    std::vector<LabelledFile> m_files;
};

class TextCsvDataset final : public Dataset {
public:
    TextCsvDataset(TableFile table, std::size_t column, std::vector<MemoryField> answers)
        : Dataset(layouts(answers)), m_table(std::move(table)), m_column(column), m_answers(std::move(answers))
    {}

    [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_table.rowCount()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(fields().size());
        writeText(m_table.cell(static_cast<std::size_t>(index), m_column), sample[0]);
        for (std::size_t i = 0; i < m_answers.size(); ++i)
            sample[i + 1].borrow(fields()[i + 1], answer(i, index));
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        return m_table.place(static_cast<std::size_t>(index));
    }
    [[nodiscard]] std::int64_t indexValue(std::size_t field, std::int64_t index) const override
    {
        std::int64_t value = 0;
        std::memcpy(&value, answer(field - 1, index), sizeof value);
        return value;
    }
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return m_table.columns(); }
    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        return std::string(m_table.cell(static_cast<std::size_t>(index), column));
    }

protected:
    void mapClasses(std::size_t field, const std::vector<std::int64_t>& map) override
    {
        std::int64_t* labels = m_answers[field - 1].int64();
        std::transform(labels, labels + size(), labels,
                       [&](std::int64_t label) { return map[static_cast<std::size_t>(label)]; });
    }

private:
    static std::vector<FieldLayout> layouts(const std::vector<MemoryField>& answers)
    {
        std::vector<FieldLayout> fields = {textLayout()};
        for (const MemoryField& answer : answers)
            fields.push_back(answer.layout);
        return fields;
    }
    [[nodiscard]] const std::byte* answer(std::size_t field, std::int64_t index) const
    {
        const MemoryField& answers = m_answers[field];
        return answers.numbers.data() + static_cast<std::size_t>(index) * elementSize(answers.layout.element);
    }

    TableFile m_table;
    std::size_t m_column;
    std::vector<MemoryField> m_answers; // none or one, a single number each
};

Result<MemoryField> answersOf(const SourceNode& node, const TableFile& table, std::size_t column)
{
    const bool regression = node.params.at("task") == "regression";
    const auto rows = static_cast<std::int64_t>(table.rowCount());
    std::vector<std::string> labels;
    MemoryField values = makeMemoryField({"target", Element::Float32, {1}, 0, {}, {table.columns()[column]}}, rows);
    for (std::size_t row = 0; row < table.rowCount(); ++row) {
        const std::string_view cell = table.cell(row, column);
        const std::optional<double> number = cellNumber(cell);
        if (cell.empty() || (regression && !number))
            return node.error(ErrorCode::InvalidArgument, "path",
                              cell.empty() ? fmt::format("{}: the label is empty", table.place(row))
                                           : fmt::format("{}: '{}' is not a number", table.place(row),
                                                         cell.substr(0, 40)),
                              "Fill it in, or drop the line");
        if (regression)
            values.float32()[row] = static_cast<float>(*number);
        else
            labels.push_back(className(cell));
    }
    return regression ? std::move(values) : classField("label", labels);
}

} // namespace

OpenedDataset openTextFolder(const SourceNode& node)
{
    Result<LabelledFiles> found = labelledFiles(node, "texts");
    if (!found)
        return found.error();
    FieldLayout label{"label", Element::Int64, {}, static_cast<std::int64_t>(found->classes.size()),
                      std::move(found->classes)};
    return std::unique_ptr<Dataset>(
        std::make_unique<TextFolderDataset>(node, std::move(label), std::move(found->files)));
}

OpenedDataset openTextCsv(const SourceNode& node)
{
    Result<TableFile> table = TableFile::read(node);
    if (!table)
        return table.error();
    const Result<std::size_t> text = table->column(node, "text", node.params.at("text"));
    if (!text)
        return text.error();
    std::vector<MemoryField> answers;
    if (const Json& target = node.params.at("target"); !target.is_null()) {
        const Result<std::size_t> column = table->column(node, "target", target);
        if (!column)
            return column.error();
        if (*column == *text)
            return node.error(ErrorCode::InvalidArgument, "target", "The target is the column of the texts",
                              "Name the column of the labels");
        Result<MemoryField> field = answersOf(node, *table, *column);
        if (!field)
            return field.error();
        answers.push_back(std::move(*field));
    }
    return std::unique_ptr<Dataset>(
        std::make_unique<TextCsvDataset>(std::move(*table), *text, std::move(answers)));
}

} // namespace athanor
