// Images named by a table: a column of paths, columns of labels.
#include "engine/data/sources/image_files.h"
#include "engine/data/sources/labels.h"
#include "engine/data/sources/table_file.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace athanor {

namespace fs = std::filesystem;

namespace {

class ImageListDataset final : public Dataset {
public:
    ImageListDataset(FieldLayout image, MemoryField answers, std::vector<fs::path> files, TableFile table,
                     ImageOptions options)
        : Dataset({std::move(image), answers.layout}), m_answers(std::move(answers)), m_files(std::move(files)),
          m_table(std::move(table)), m_options(options),
          m_stride(m_answers.numbers.size() / std::max<std::size_t>(1, m_files.size()))
    {}

    [[nodiscard]] std::int64_t size() const override { return static_cast<std::int64_t>(m_files.size()); }

    Status read(std::int64_t index, Sample& sample) const override
    {
        sample.resize(2);
        const auto i = static_cast<std::size_t>(index);
        if (const Status status = readImageFile(m_files[i], m_options, sample[0]); !status)
            return status;
        sample[1].borrow(fields()[1], m_answers.numbers.data() + i * m_stride);
        return Done{};
    }

    [[nodiscard]] std::string sampleName(std::int64_t index) const override
    {
        const auto i = static_cast<std::size_t>(index);
        return m_table.place(i) + " (" + fileName(m_files[i]) + ")";
    }

    [[nodiscard]] std::int64_t indexValue(std::size_t, std::int64_t index) const override
    {
        std::int64_t value = 0;
        std::memcpy(&value, m_answers.numbers.data() + static_cast<std::size_t>(index) * m_stride, sizeof value);
        return value;
    }

    [[nodiscard]] std::string filePath(std::int64_t index) const override
    {
        return m_files[static_cast<std::size_t>(index)].string();
    }
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return m_table.columns(); }
    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override
    {
        return std::string(m_table.cell(static_cast<std::size_t>(index), column));
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>& map) override
    {
        for (std::size_t i = 0; i < m_files.size(); ++i)
            m_answers.int64()[i] = map[static_cast<std::size_t>(m_answers.int64()[i])];
    }

private:
    MemoryField m_answers;
    std::vector<fs::path> m_files;
    TableFile m_table;
    ImageOptions m_options;
    std::size_t m_stride; // bytes of one sample's answer
};

class ListReader {
public:
    ListReader(const SourceNode& node, TableFile table) : m_node(node), m_table(std::move(table)) {}

    OpenedDataset open()
    {
        if (const Status status = findFiles(); !status)
            return status.error();
        if (const Status status = findLabels(); !status)
            return status.error();
        const auto task = m_node.params.at("task").get<std::string>();
        Result<MemoryField> answers = task == "classification" ? classes()
                                      : task == "multi_label"  ? tags()
                                                               : values();
        if (!answers)
            return answers.error();
        const ImageOptions options = imageOptions(m_node);
        const Result<FieldLayout> image = imageLayout(m_node, m_files, options);
        if (!image)
            return image.error();
        return std::unique_ptr<Dataset>(std::make_unique<ImageListDataset>(
            *image, std::move(*answers), std::move(m_files), std::move(m_table), options));
    }

private:
    Status findFiles()
    {
        const Result<std::size_t> column = m_table.column(m_node, "image", m_node.params.at("image"));
        if (!column)
            return column.error();
        m_image = *column;
        const fs::path root = imageRoot(m_node);
        for (std::size_t row = 0; row < m_table.rowCount(); ++row) {
            const std::string_view cell = m_table.cell(row, m_image);
            if (cell.empty())
                return badCell(row, "no file is named", "Write the image's path, or drop the line");
            m_files.push_back((root / fs::path(cell)).lexically_normal());
        }
        return Done{};
    }

    Status findLabels()
    {
        const Json& labels = m_node.params.at("labels");
        for (const Json& label : labels) {
            const Result<std::size_t> column = m_table.column(m_node, "labels", label);
            if (!column)
                return column.error();
            m_labels.push_back(*column);
        }
        for (std::size_t column = 0; labels.empty() && column < m_table.columns().size(); ++column)
            if (column != m_image)
                m_labels.push_back(column);
        if (m_labels.empty())
            return m_node.error(ErrorCode::InvalidArgument, "labels", "The table has no column of labels",
                                "Is the separator one of , ; tab | or blank?");
        if (m_labels.size() > 1 && m_node.params.at("task") == "classification")
            return m_node.error(ErrorCode::InvalidArgument, "labels",
                                "A class is one column, but there are " + std::to_string(m_labels.size()),
                                "Name one, or set task to multi_label or regression");
        return Done{};
    }

    Result<MemoryField> classes() const
    {
        std::vector<std::string> labels;
        for (std::size_t row = 0; row < m_table.rowCount(); ++row) {
            labels.push_back(className(m_table.cell(row, m_labels[0])));
            if (labels.back().empty())
                return badCell(row, "the label is empty", "Write the class, or drop the line");
        }
        return classField("label", labels);
    }

    Result<MemoryField> values() const
    {
        FieldLayout layout{"target", Element::Float32, {static_cast<std::int64_t>(m_labels.size())}};
        for (const std::size_t column : m_labels)
            layout.columnNames.push_back(m_table.columns()[column]);
        MemoryField field = makeMemoryField(std::move(layout), static_cast<std::int64_t>(m_files.size()));
        float* out = field.float32();
        for (std::size_t row = 0; row < m_table.rowCount(); ++row)
            for (const std::size_t column : m_labels) {
                const std::optional<double> number = cellNumber(m_table.cell(row, column));
                if (!number)
                    return badCell(row,
                                   fmt::format("'{}' in column '{}' is not a number", m_table.cell(row, column),
                                               m_table.columns()[column]),
                                   "A value to predict must be a number");
                *out++ = static_cast<float>(*number);
            }
        return field;
    }

    /// Columns of 0 and 1, or one column of names divided by |, ; or blanks.
    Result<MemoryField> tags() const
    {
        if (m_labels.size() > 1) {
            Result<MemoryField> field = values();
            if (field)
                for (std::size_t i = 0; i < m_files.size() * m_labels.size(); ++i)
                    if (const float value = field->float32()[i]; value != 0.0F && value != 1.0F)
                        return badCell(i / m_labels.size(), "a label is neither 0 nor 1",
                                       "One column per label holds 0 or 1");
            return field;
        }
        std::vector<std::set<std::string>> names;
        std::vector<std::string> all;
        for (std::size_t row = 0; row < m_table.rowCount(); ++row) {
            names.push_back(namesIn(m_table.cell(row, m_labels[0])));
            all.insert(all.end(), names.back().begin(), names.back().end());
        }
        all = sortedClassNames(std::move(all));
        if (all.empty())
            return m_node.error(ErrorCode::InvalidArgument, "labels", "No image has a label");
        const std::size_t width = all.size();
        MemoryField field = makeMemoryField({"target", Element::Float32, {static_cast<std::int64_t>(width)}, 0, {}, all},
                                            static_cast<std::int64_t>(m_files.size()));
        for (std::size_t row = 0; row < names.size(); ++row)
            for (std::size_t i = 0; i < width; ++i)
                field.float32()[row * width + i] = names[row].contains(all[i]) ? 1.0F : 0.0F;
        return field;
    }

    static std::set<std::string> namesIn(std::string_view cell)
    {
        std::set<std::string> names;
        while (!cell.empty()) {
            const std::size_t end = std::min(cell.size(), cell.find_first_of("|; ,"));
            if (end > 0)
                names.insert(className(cell.substr(0, end)));
            cell.remove_prefix(std::min(cell.size(), end + 1));
        }
        return names;
    }

    [[nodiscard]] Error badCell(std::size_t row, const std::string& what, const std::string& hint) const
    {
        return m_node.error(ErrorCode::InvalidArgument, "path", m_table.place(row) + ": " + what, hint);
    }

public:
    static fs::path imageRoot(const SourceNode& node)
    {
        const Json& root = node.params.at("root");
        return root.is_null() ? node.path(node.params.at("path").get<std::string>()).parent_path()
                              : node.path(root.get<std::string>());
    }

private:
    const SourceNode& m_node;
    TableFile m_table;
    std::size_t m_image = 0;
    std::vector<std::size_t> m_labels;
    std::vector<fs::path> m_files;
};

/// A list without header is all text too: its first line tells by naming a file that is there.
bool firstLineIsAnImage(const SourceNode& node, const TableFile& table)
{
    const Result<std::size_t> column = table.column(node, "image", node.params.at("image"));
    std::error_code ignored;
    return node.params.at("header").is_null() && column &&
           fs::is_regular_file(ListReader::imageRoot(node) / table.columns()[*column], ignored);
}

} // namespace

OpenedDataset openImageList(const SourceNode& node)
{
    Result<TableFile> table = TableFile::read(node);
    if (!table)
        return table.error();
    if (firstLineIsAnImage(node, *table)) {
        SourceNode headless = node;
        headless.params["header"] = false;
        table = TableFile::read(headless);
        if (!table)
            return table.error();
    }
    return ListReader(node, std::move(*table)).open();
}

} // namespace athanor
