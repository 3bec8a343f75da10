// Any thread. Numbers about the numbers that are looked at: of a tensor, of the columns of a table. Torch-free.
#pragma once

#include "engine/data/preview.h"

#include <functional>

namespace athanor {

struct TensorFacts {
    std::int64_t count = 0;     ///< numbers, finite or not
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t distinct = 0;  ///< different finite numbers, at most kMostDistinct (a column only)
    double least = 0;           ///< of the finite ones, as all below; 0 when there are none
    double greatest = 0;
    double mean = 0;
    double deviation = 0;       ///< of the population
    std::vector<std::int64_t> histogram; ///< kBins equal steps from least to greatest; empty: no finite number
    static constexpr std::size_t kBins = 32;
    static constexpr std::int64_t kMostDistinct = 10'000;
};

/// Of all numbers of these values, of whatever element.
TensorFacts factsOf(const std::vector<const Value*>& values);

struct ColumnFacts {
    std::string name;
    TensorFacts facts; ///< nans: missing
};
struct TableFacts {
    std::vector<ColumnFacts> columns;
    std::int64_t rows = 0; ///< that were looked at, evenly spread over the part
};

/// Of every column of a field that is one row of numbers (shape [columns], or a single number). Reads at most
/// `mostRows` rows, and fewer when there are very many columns; `progress` gets the share done, 0 to 1.
Result<TableFacts> tableFacts(const DataPreview& preview, const NodeId& node, DataPart part, std::size_t field,
                              std::int64_t mostRows, std::stop_token stop,
                              const std::function<void(double)>& progress);

} // namespace athanor
