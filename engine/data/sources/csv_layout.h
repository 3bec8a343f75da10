// Session thread. What is known of a table from its first rows and its node's parameters.
#pragma once

#include "engine/data/sources/csv_parser.h"

#include <optional>

namespace athanor {

struct CsvLayout {
    CsvRules rules;
    std::vector<std::string> names; ///< per column
    bool named = false;             ///< by a header
    std::int64_t firstLine = 1;     ///< of the first row in the file, header or not
    std::int64_t rulesLine = 0;     ///< lines before CsvRules::firstByte
    std::optional<std::size_t> target;

    [[nodiscard]] std::size_t width() const { return names.size(); }
};

/// Finds separator, header, decimal mark and the columns' uses. Errors are at the node's parameters.
Result<CsvLayout> findCsvLayout(const SourceNode& node, const CsvContent& content, const std::string& file);

} // namespace athanor
