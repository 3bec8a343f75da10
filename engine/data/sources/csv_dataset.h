// Any thread once learned (reading is const and thread-safe). The rows of a table as samples.
#pragma once

#include "engine/data/sources/csv_layout.h"

#include <mutex>

namespace athanor {

/// How cells become fields.
struct CsvOutput {
    bool oneHot = true;   ///< of categories; else an index field each
    bool median = false;  ///< what missing numbers become; nothing unless `fill`
    bool fill = false;    ///< by the training part's mean or median
    bool regression = false;
};

class CsvDataset final : public Dataset {
public:
    CsvDataset(std::string file, CsvLayout layout, CsvOutput output, std::shared_ptr<CsvContent> content,
               CsvColumns columns);

    [[nodiscard]] std::int64_t size() const override { return m_columns.rows; }
    Status read(std::int64_t index, Sample& sample) const override;
    [[nodiscard]] std::string sampleName(std::int64_t index) const override;
    [[nodiscard]] std::int64_t indexValue(std::size_t field, std::int64_t index) const override;
    [[nodiscard]] std::vector<std::string> keyColumns() const override { return m_layout.names; }
    [[nodiscard]] std::string keyText(std::size_t column, std::int64_t index) const override;
    Status learnFrom(const Dataset& training, const std::vector<std::int64_t>& samples) override;

protected:
    void mapClasses(std::size_t field, const std::vector<std::int64_t>& map) override;

private:
    /// A column that the fields are made of.
    struct Column {
        std::size_t column = 0; ///< in the file
        ColumnUse use = ColumnUse::Number;
        std::size_t place = 0;                   ///< among the numbers, or the codes, of a row
        float fill = 0;                          ///< for a missing number
        std::vector<std::string> known;          ///< categories of the training part
        std::vector<std::int64_t> numberOf;      ///< per code: index in `known`, −1: not known
    };
    struct Row {
        const CsvBlock* block;
        std::size_t row; ///< in the block
    };

    [[nodiscard]] Row find(std::int64_t index) const;
    [[nodiscard]] std::int64_t codeOf(const Row& row, std::size_t place) const;
    [[nodiscard]] const float* numbersOf(const Row& row) const;
    [[nodiscard]] std::int64_t categoryOf(const Column& column, const Row& row) const;
    [[nodiscard]] std::vector<FieldLayout> layouts() const;
    [[nodiscard]] std::int64_t featureCount() const;
    Status learnFill(Column& column, const CsvDataset& training, const std::vector<std::int64_t>& samples) const;
    void learnCategories(Column& column, const CsvDataset& training, const std::vector<std::int64_t>& samples) const;
    void writeFeatures(const Row& row, Value& value) const;

    std::string m_file;
    CsvLayout m_layout;
    CsvOutput m_output;
    std::shared_ptr<CsvContent> m_content;
    CsvColumns m_columns;
    std::size_t m_numberCount = 0; // per row
    std::size_t m_codeCount = 0;
    std::vector<Column> m_features;     // in the file's order
    std::optional<Column> m_target;
    std::vector<std::string> m_classNames;
    std::vector<std::int64_t> m_classOf; // per code of the target
    bool m_learned = false;
    bool m_plain = false; // the features stand as they are in the block
    mutable std::mutex m_textMutex;
    mutable const CsvBlock* m_textBlock = nullptr; // whose text m_text is
    mutable std::string m_text;
};

} // namespace athanor
