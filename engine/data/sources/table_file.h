// Session thread. Small tables (lists of files, of texts) read whole, with their columns' names.
#pragma once

#include "engine/data/sources/csv_text.h"
#include "engine/data/sources/source.h"

namespace athanor {

/// A text file named by parameter `path`, with the parameters `separator`, `header`, `encoding`. Every row has the
/// same number of cells, and there is at least one.
class TableFile {
public:
    static Result<TableFile> read(const SourceNode& node);

    [[nodiscard]] std::size_t rowCount() const { return m_text.rowCount() - m_firstRow; }
    [[nodiscard]] std::string_view cell(std::size_t row, std::size_t column) const
    {
        return m_text.row(row + m_firstRow)[column];
    }
    [[nodiscard]] const std::vector<std::string>& columns() const { return m_names; }
    [[nodiscard]] std::string place(std::size_t row) const ///< "list.csv, line 4"
    {
        return m_name + ", line " + std::to_string(m_text.line(row + m_firstRow));
    }
    /// The column that a parameter names by name or by number (negative: from the end).
    [[nodiscard]] Result<std::size_t> column(const SourceNode& node, const std::string& parameter,
                                             const Json& column) const;

private:
    explicit TableFile(CsvText text) : m_text(std::move(text)) {}

    CsvText m_text;
    std::string m_name;
    std::size_t m_firstRow = 0;
    std::vector<std::string> m_names;
    bool m_named = false;
};

/// As TableFile::column, for columns of those names; `named` when a header gave them.
Result<std::size_t> findColumn(const SourceNode& node, const std::string& parameter, const Json& column,
                               const std::vector<std::string>& names, bool named, const std::string& file);

} // namespace athanor
