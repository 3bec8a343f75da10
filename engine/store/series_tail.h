// The thread of its RunStore. The end of a series while it is written: its summary and its open block.
#pragma once

#include "engine/store/run_store.h"
#include "engine/store/series_blocks.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace athanor {

/// A block is closed when it holds this many points. Until then every flush writes it anew.
inline constexpr std::size_t kBlockPoints = 512;

/// A summary of no points.
SeriesSummary emptySummary(const std::string& name, const std::string& unit, SeriesRole role);
void addPoint(SeriesSummary& summary, std::int64_t step, double value);
/// Bit for bit, so that NaN equals itself and -0.0 differs from 0.0.
bool sameSummary(const SeriesSummary& a, const SeriesSummary& b);

/// A double in a column without type: REAL when SQLite keeps its bits, NULL for the usual NaN, else 8 bytes,
/// least significant first (SQLite would turn NaN into NULL and -0.0 into 0.0).
void bindDouble(SQLite::Statement& statement, int index, double value);
double columnDouble(const SQLite::Column& column);

// Columns of a summary as kSummaryColumns selects them.
inline constexpr const char* kSummaryColumns =
    "name, unit, role, count, non_finite, last_step, last, min, max, min_step, max_step";
SeriesSummary readSummary(SQLite::Statement& row, int firstColumn);
void writeSummary(SQLite::Database& db, std::int64_t seriesId, const SeriesSummary& summary);

// Columns of a block as kBlockColumns selects them.
inline constexpr const char* kBlockColumns = "count, first_step, last_step, stride, crc32, steps, \"values\"";
PackedBlock readBlock(SQLite::Statement& row, int firstColumn);

/// Writes blocks, new ones and again; keeps its statement for one transaction.
class BlockWriter {
public:
    explicit BlockWriter(SQLite::Database& db);
    void write(std::int64_t seriesId, std::int64_t number, const PackedBlock& block);

private:
    SQLite::Statement m_statement;
};

class SeriesTail {
public:
    /// Reads summary and last block; the series is in the store already.
    static SeriesTail load(SQLite::Database& db, std::int64_t seriesId);

    [[nodiscard]] std::int64_t seriesId() const { return m_seriesId; }
    /// Appends a point, writing the block when that closes it.
    void append(BlockWriter& writer, std::int64_t step, double value);
    /// Writes the open block and the summary if they changed.
    void write(SQLite::Database& db, BlockWriter& writer);

private:
    void writeBlock(BlockWriter& writer);
    void closeBlock(BlockWriter& writer);

    std::int64_t m_seriesId = 0;
    SeriesSummary m_summary;
    bool m_changed = false;
    std::int64_t m_number = 0; ///< of the open block
    std::vector<std::int64_t> m_steps;
    std::vector<double> m_values;
};

} // namespace athanor
