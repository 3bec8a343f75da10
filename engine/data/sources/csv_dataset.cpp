#include "engine/data/sources/csv_dataset.h"

#include "engine/data/sources/csv_cutter.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <unordered_map>

namespace athanor {

namespace {

/// A name for a field of a column: letters, digits and _.
std::string fieldName(const std::string& column)
{
    std::string name;
    for (const char c : column)
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    const bool taken = name == "features" || name == "label" || name == "target";
    return name.empty() || taken || std::isdigit(static_cast<unsigned char>(name[0])) != 0 ? "column_" + name : name;
}

bool isCoded(ColumnUse use)
{
    return use == ColumnUse::Category || use == ColumnUse::Class;
}

double medianOf(std::vector<float>& values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1)
        return *middle;
    return (static_cast<double>(*middle) + *std::max_element(values.begin(), middle)) / 2;
}

} // namespace

CsvDataset::CsvDataset(std::string file, CsvLayout layout, CsvOutput output, std::shared_ptr<CsvContent> content,
                       CsvColumns columns)
    : Dataset({}), m_file(std::move(file)), m_layout(std::move(layout)), m_output(output),
      m_content(std::move(content)), m_columns(std::move(columns))
{
    for (std::size_t column = 0; column < m_layout.width(); ++column) {
        const ColumnUse use = m_layout.rules.uses[column];
        if (use == ColumnUse::Ignored)
            continue;
        Column found;
        found.column = column;
        found.use = use;
        found.place = isCoded(use) ? m_codeCount++ : m_numberCount++;
        if (m_layout.target == column)
            m_target = found;
        else
            m_features.push_back(found);
    }
    if (m_target && m_target->use == ColumnUse::Class) {
        const std::vector<std::string>& texts = m_columns.texts[m_target->place];
        m_classNames = sortedClassNames(texts);
        std::unordered_map<std::string, std::int64_t> numbers;
        for (const std::string& name : m_classNames)
            numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
        for (const std::string& text : texts)
            m_classOf.push_back(numbers.at(text));
    }
    const bool coded = std::any_of(m_features.begin(), m_features.end(),
                                   [](const Column& column) { return isCoded(column.use); });
    const bool targetAmong = m_target && !isCoded(m_target->use) && m_target->place + 1 < m_numberCount;
    m_plain = !coded && !m_output.fill && !targetAmong;
    setFields(layouts());
}

CsvDataset::Row CsvDataset::find(std::int64_t index) const
{
    auto block = std::upper_bound(m_columns.blocks.begin(), m_columns.blocks.end(), index,
                                  [](std::int64_t row, const CsvBlock& other) { return row < other.firstRow; });
    --block;
    return {&*block, static_cast<std::size_t>(index - block->firstRow)};
}

std::int64_t CsvDataset::codeOf(const Row& row, std::size_t place) const
{
    const std::int32_t own = row.block->codes[row.row * m_codeCount + place];
    return own < 0 ? -1 : row.block->globalCodes[place][static_cast<std::size_t>(own)];
}

const float* CsvDataset::numbersOf(const Row& row) const
{
    return row.block->numbers + row.row * m_numberCount;
}

/// Before the training part is known every category has its code for its number.
std::int64_t CsvDataset::categoryOf(const Column& column, const Row& row) const
{
    const std::int64_t code = codeOf(row, column.place);
    return code < 0 || !m_learned ? code : column.numberOf[static_cast<std::size_t>(code)];
}

std::int64_t CsvDataset::featureCount() const
{
    std::int64_t count = 0;
    for (const Column& column : m_features)
        if (!isCoded(column.use))
            ++count;
        else if (m_output.oneHot)
            count += m_learned ? static_cast<std::int64_t>(column.known.size()) : 1;
    return count;
}

std::vector<FieldLayout> CsvDataset::layouts() const
{
    std::vector<FieldLayout> fields;
    FieldLayout features{"features", Element::Float32, {featureCount()}};
    for (const Column& column : m_features) {
        const std::string& name = m_layout.names[column.column];
        if (!isCoded(column.use) || (m_output.oneHot && !m_learned))
            features.columnNames.push_back(name);
        else if (m_output.oneHot)
            for (const std::string& category : column.known)
                features.columnNames.push_back(name + "=" + category);
    }
    if (!features.columnNames.empty())
        fields.push_back(std::move(features));
    if (m_target && m_target->use == ColumnUse::Class)
        fields.push_back(
            {"label", Element::Int64, {}, static_cast<std::int64_t>(m_classNames.size()), m_classNames});
    else if (m_target)
        fields.push_back({"target", Element::Float32, {1}, 0, {}, {m_layout.names[m_target->column]}});
    for (const Column& column : m_features) {
        if (!isCoded(column.use) || m_output.oneHot)
            continue;
        FieldLayout field{fieldName(m_layout.names[column.column]), Element::Int64, {}};
        while (std::any_of(fields.begin(), fields.end(),
                           [&](const FieldLayout& other) { return other.name == field.name; }))
            field.name += "_";
        if (m_learned) {
            field.classNames = {"(unknown)"};
            field.classNames.insert(field.classNames.end(), column.known.begin(), column.known.end());
            field.classes = static_cast<std::int64_t>(field.classNames.size());
        }
        fields.push_back(std::move(field));
    }
    return fields;
}

void CsvDataset::writeFeatures(const Row& row, Value& value) const
{
    auto* out = reinterpret_cast<float*>(value.write(Element::Float32, fields()[0].shape));
    const float* numbers = numbersOf(row);
    for (const Column& column : m_features) {
        if (!isCoded(column.use)) {
            const float number = numbers[column.place];
            *out++ = m_learned && m_output.fill && std::isnan(number) ? column.fill : number;
        } else if (m_output.oneHot && !m_learned) {
            *out++ = static_cast<float>(categoryOf(column, row));
        } else if (m_output.oneHot) {
            std::fill_n(out, column.known.size(), 0.0F);
            if (const std::int64_t number = categoryOf(column, row); number >= 0)
                out[number] = 1.0F;
            out += column.known.size();
        }
    }
}

Status CsvDataset::read(std::int64_t index, Sample& sample) const
{
    sample.resize(fields().size());
    const Row row = find(index);
    std::size_t field = 0;
    if (fields()[0].name == "features") {
        if (m_plain)
            sample[0].borrow(fields()[0], reinterpret_cast<const std::byte*>(numbersOf(row)));
        else
            writeFeatures(row, sample[0]);
        ++field;
    }
    if (m_target && m_target->use == ColumnUse::Class) {
        const std::int64_t label = m_classOf[static_cast<std::size_t>(codeOf(row, m_target->place))];
        *reinterpret_cast<std::int64_t*>(sample[field++].write(Element::Int64, {})) = label;
    } else if (m_target) {
        sample[field].borrow(fields()[field],
                             reinterpret_cast<const std::byte*>(numbersOf(row) + m_target->place));
        ++field;
    }
    for (const Column& column : m_features)
        if (isCoded(column.use) && !m_output.oneHot)
            *reinterpret_cast<std::int64_t*>(sample[field++].write(Element::Int64, {})) = categoryOf(column, row) + 1;
    return Done{};
}

std::int64_t CsvDataset::indexValue(std::size_t field, std::int64_t index) const
{
    const Row row = find(index);
    if (fields()[field].name == "label" && m_target)
        return m_classOf[static_cast<std::size_t>(codeOf(row, m_target->place))];
    std::size_t at = fields().size();
    for (auto column = m_features.rbegin(); column != m_features.rend(); ++column)
        if (isCoded(column->use) && --at == field)
            return categoryOf(*column, row) + 1;
    return 0;
}

std::string CsvDataset::sampleName(std::int64_t index) const
{
    const Row row = find(index);
    const std::scoped_lock lock(m_textMutex);
    if (m_textBlock != row.block)
        m_text = blockText(*m_content, *row.block, m_columns.latin1);
    m_textBlock = row.block;
    const std::size_t offset = row.block->rowOffsets[row.row];
    const std::int64_t before = countLines(std::string_view(m_text).substr(0, offset));
    return m_file + ", line " + std::to_string(m_layout.rulesLine + row.block->firstLine + before + 1);
}

std::string CsvDataset::keyText(std::size_t column, std::int64_t index) const
{
    const Row row = find(index);
    std::string text;
    {
        const std::scoped_lock lock(m_textMutex);
        if (m_textBlock != row.block)
            m_text = blockText(*m_content, *row.block, m_columns.latin1);
        m_textBlock = row.block;
        const std::size_t start = row.block->rowOffsets[row.row];
        const bool last = row.row + 1 == static_cast<std::size_t>(row.block->rows);
        const std::size_t end = last ? m_text.size() : row.block->rowOffsets[row.row + 1];
        if (start >= m_text.size() || end > m_text.size())
            return {}; // the file was cut off meanwhile
        text = m_text.substr(start, end - start);
    }
    std::vector<std::string_view> cells;
    CsvCutter cutter(text.data(), text.data() + text.size(), m_layout.rules.separator, m_layout.rules.quote);
    cutter.cutRow(cells);
    return column < cells.size() ? std::string(cells[column]) : std::string();
}

Status CsvDataset::learnFill(Column& column, const CsvDataset& training,
                             const std::vector<std::int64_t>& samples) const
{
    std::vector<float> values;
    double sum = 0;
    std::int64_t count = 0;
    for (const std::int64_t sample : samples)
        if (const float value = training.numbersOf(training.find(sample))[column.place]; std::isfinite(value)) {
            sum += value;
            if (m_output.median)
                values.push_back(value);
            ++count;
        }
    if (count == 0)
        return invalid("The column '" + m_layout.names[column.column] + "' has no value in the training part",
                       "Ignore it, or set missing to constant", "missing");
    column.fill = static_cast<float>(m_output.median ? medianOf(values) : sum / static_cast<double>(count));
    return Done{};
}

void CsvDataset::learnCategories(Column& column, const CsvDataset& training,
                                 const std::vector<std::int64_t>& samples) const
{
    const std::vector<std::string>& texts = training.m_columns.texts[column.place];
    std::vector<bool> met(texts.size(), false);
    for (const std::int64_t sample : samples)
        if (const std::int64_t code = training.codeOf(training.find(sample), column.place); code >= 0)
            met[static_cast<std::size_t>(code)] = true;
    column.known.clear();
    for (std::size_t code = 0; code < texts.size(); ++code)
        if (met[code])
            column.known.push_back(texts[code]);
    column.known = sortedClassNames(std::move(column.known));
    std::unordered_map<std::string, std::int64_t> numbers;
    for (const std::string& name : column.known)
        numbers.emplace(name, static_cast<std::int64_t>(numbers.size()));
    column.numberOf.clear();
    for (const std::string& text : m_columns.texts[column.place]) {
        const auto known = numbers.find(text);
        column.numberOf.push_back(known == numbers.end() ? -1 : known->second);
    }
}

Status CsvDataset::learnFrom(const Dataset& training, const std::vector<std::int64_t>& samples)
{
    const auto* other = dynamic_cast<const CsvDataset*>(&training);
    if (other == nullptr || other->m_layout.rules.uses != m_layout.rules.uses)
        return invalid("Its columns are read otherwise than those of the training part",
                       "All parts need the same columns with the same types");
    for (Column& column : m_features) {
        if (isCoded(column.use)) {
            learnCategories(column, *other, samples);
        } else if (m_output.fill) {
            if (const Status status = learnFill(column, *other, samples); !status)
                return status;
        }
    }
    m_learned = true;
    std::vector<FieldLayout> learned = layouts();
    for (FieldLayout& layout : learned) // class names may have been unified with those of other parts
        if (layout.name == "label")
            layout = *std::find_if(fields().begin(), fields().end(),
                                   [](const FieldLayout& field) { return field.name == "label"; });
    setFields(std::move(learned));
    return Done{};
}

void CsvDataset::mapClasses(std::size_t, const std::vector<std::int64_t>& map)
{
    for (std::int64_t& number : m_classOf)
        number = map[static_cast<std::size_t>(number)];
}

} // namespace athanor
