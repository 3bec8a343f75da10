// Session thread (its own threads are inside). A table's text as columns of numbers and codes, block by block.
#pragma once

#include "engine/data/sources/csv_content.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace athanor {

enum class ColumnUse { Ignored, Number, Date, Category, Class };
enum class MissingCell { Error, Nan, Constant, Drop };

struct CsvRules {
    char separator = ',';
    char quote = '"';
    char decimal = '.';
    std::vector<ColumnUse> uses; ///< per column
    std::int64_t firstByte = 0;  ///< where the rows begin, behind a header
    MissingCell missing = MissingCell::Error;
    float fillValue = 0;
    std::set<std::string, std::less<>> missingTexts; ///< beside the empty one and nan, unless missing is Error
    bool latin1 = false;
    bool mayBeLatin1 = false; ///< when it turns out to be no UTF-8
};

/// Some rows that follow each other in the text. Numbers (Number, Date) and codes (Category, Class) stand row by
/// row, in the order of the columns.
struct CsvBlock {
    std::int64_t offset = 0; ///< of the text
    std::int64_t bytes = 0;
    std::int64_t firstRow = 0;
    std::int64_t rows = 0;
    std::int64_t firstLine = 0;                  ///< in the file, from 0, relative to CsvRules::firstByte
    const std::uint32_t* rowOffsets = nullptr;   ///< in the block's text
    const float* numbers = nullptr;
    const std::int32_t* codes = nullptr;         ///< in the block's own tables
    std::vector<std::vector<std::int32_t>> globalCodes; ///< per coded column: own code → CsvTexts
};

/// A cell or row that is wrong.
struct CsvFault {
    enum class Kind { None, Cells, Number, Date, Empty, NanClass, OpenQuote, NoText, Encoding, TooMany, Storage };
    Kind kind = Kind::None;
    std::int64_t offset = 0; ///< of the row, in the text
    std::int64_t lines = 0;  ///< from CsvRules::firstByte to the row
    std::size_t column = 0;
    std::string text; ///< of the cell, or the reason
    std::size_t cells = 0;
};

struct CsvColumns {
    std::vector<CsvBlock> blocks;
    std::int64_t rows = 0;
    std::vector<std::vector<std::string>> texts; ///< per coded column: text of each code
    bool latin1 = false;
    std::shared_ptr<SpillArena> arena; ///< holds the numbers
    CsvFault fault;                    ///< the first one in the text; the rest is undefined then
};

/// Reads all rows with as many threads as there are processors. Numbers beyond `memoryLimit` bytes go into a
/// temporary file; beside them a block per thread is in memory.
CsvColumns parseCsv(const CsvContent& content, const CsvRules& rules,
                    std::size_t memoryLimit = std::size_t{1} << 30);

/// The text of a block as rowOffsets count it (UTF-8).
std::string blockText(const CsvContent& content, const CsvBlock& block, bool latin1);
/// Ends of lines, as \n, \r\n or \r.
std::int64_t countLines(std::string_view text);
/// Days since 1970-01-01 of YYYY-MM-DD, YYYY/MM/DD or DD.MM.YYYY, with or without a time of day (HH:MM, HH:MM:SS).
std::optional<double> cellDate(std::string_view cell);

} // namespace athanor
