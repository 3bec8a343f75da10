#include "engine/store/series_tail.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace athanor {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool sameBits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

} // namespace

SeriesSummary emptySummary(const std::string& name, const std::string& unit, SeriesRole role)
{
    SeriesSummary summary;
    summary.name = name;
    summary.unit = unit;
    summary.role = role;
    summary.last = summary.min = summary.max = kNaN;
    return summary;
}

void addPoint(SeriesSummary& summary, std::int64_t step, double value)
{
    ++summary.count;
    summary.lastStep = step;
    summary.last = value;
    if (!std::isfinite(value)) {
        ++summary.nonFinite;
        return;
    }
    if (std::isnan(summary.min) || value < summary.min) {
        summary.min = value;
        summary.minStep = step;
    }
    if (std::isnan(summary.max) || value > summary.max) {
        summary.max = value;
        summary.maxStep = step;
    }
}

bool sameSummary(const SeriesSummary& a, const SeriesSummary& b)
{
    return a.count == b.count && a.nonFinite == b.nonFinite && a.lastStep == b.lastStep && a.minStep == b.minStep &&
           a.maxStep == b.maxStep && sameBits(a.last, b.last) && sameBits(a.min, b.min) && sameBits(a.max, b.max);
}

void bindDouble(SQLite::Statement& statement, int index, double value)
{
    if (sameBits(value, kNaN)) {
        statement.bind(index);
    } else if (std::isnan(value) || sameBits(value, -0.0)) {
        const PackedBlock packed = packBlock(std::array<std::int64_t, 1>{0}, std::array<double, 1>{value});
        statement.bind(index, packed.values.data(), static_cast<int>(packed.values.size()));
    } else {
        statement.bind(index, value);
    }
}

double columnDouble(const SQLite::Column& column)
{
    if (column.isNull())
        return kNaN;
    if (!column.isBlob())
        return column.getDouble();
    const std::string bytes = column.getString();
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < bytes.size() && i < 8; ++i)
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return std::bit_cast<double>(bits);
}

SeriesSummary readSummary(SQLite::Statement& row, int firstColumn)
{
    const auto column = [&](int offset) { return row.getColumn(firstColumn + offset); };
    SeriesSummary summary;
    summary.name = column(0).getString();
    summary.unit = column(1).getString();
    summary.role = seriesRoleFromName(column(2).getString()).value_or(SeriesRole::Essential);
    summary.count = column(3).getInt64();
    summary.nonFinite = column(4).getInt64();
    summary.lastStep = column(5).getInt64();
    summary.last = columnDouble(column(6));
    summary.min = columnDouble(column(7));
    summary.max = columnDouble(column(8));
    summary.minStep = column(9).getInt64();
    summary.maxStep = column(10).getInt64();
    return summary;
}

void writeSummary(SQLite::Database& db, std::int64_t seriesId, const SeriesSummary& summary)
{
    SQLite::Statement update(db, "UPDATE series SET count = ?, non_finite = ?, last_step = ?, last = ?, min = ?, "
                                 "max = ?, min_step = ?, max_step = ? WHERE id = ?");
    update.bind(1, summary.count);
    update.bind(2, summary.nonFinite);
    update.bind(3, summary.lastStep);
    bindDouble(update, 4, summary.last);
    bindDouble(update, 5, summary.min);
    bindDouble(update, 6, summary.max);
    update.bind(7, summary.minStep);
    update.bind(8, summary.maxStep);
    update.bind(9, seriesId);
    update.exec();
}

PackedBlock readBlock(SQLite::Statement& row, int firstColumn)
{
    const auto column = [&](int offset) { return row.getColumn(firstColumn + offset); };
    PackedBlock block;
    block.count = column(0).getInt64();
    block.firstStep = column(1).getInt64();
    block.lastStep = column(2).getInt64();
    if (!column(3).isNull())
        block.stride = column(3).getInt64();
    block.crc32 = column(4).getUInt();
    block.steps = column(5).getString();
    block.values = column(6).getString();
    return block;
}

BlockWriter::BlockWriter(SQLite::Database& db)
    : m_statement(db, "INSERT INTO block (series_id, number, count, first_step, last_step, stride, crc32, steps, "
                      "\"values\") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (series_id, number) DO UPDATE SET "
                      "count = excluded.count, first_step = excluded.first_step, last_step = excluded.last_step, "
                      "stride = excluded.stride, crc32 = excluded.crc32, steps = excluded.steps, "
                      "\"values\" = excluded.\"values\"")
{
}

void BlockWriter::write(std::int64_t seriesId, std::int64_t number, const PackedBlock& block)
{
    m_statement.reset();
    m_statement.bind(1, seriesId);
    m_statement.bind(2, number);
    m_statement.bind(3, block.count);
    m_statement.bind(4, block.firstStep);
    m_statement.bind(5, block.lastStep);
    if (block.stride)
        m_statement.bind(6, *block.stride);
    else
        m_statement.bind(6);
    m_statement.bind(7, block.crc32);
    m_statement.bindNoCopy(8, block.steps.data(), static_cast<int>(block.steps.size()));
    m_statement.bindNoCopy(9, block.values.data(), static_cast<int>(block.values.size()));
    m_statement.exec();
    m_statement.clearBindings();
}

SeriesTail SeriesTail::load(SQLite::Database& db, std::int64_t seriesId)
{
    SeriesTail tail;
    tail.m_seriesId = seriesId;
    SQLite::Statement summary(db, std::string("SELECT ") + kSummaryColumns + " FROM series WHERE id = ?");
    summary.bind(1, seriesId);
    if (summary.executeStep())
        tail.m_summary = readSummary(summary, 0);
    SQLite::Statement last(db, std::string("SELECT number, ") + kBlockColumns +
                                   " FROM block WHERE series_id = ? ORDER BY number DESC LIMIT 1");
    last.bind(1, seriesId);
    if (!last.executeStep())
        return tail;
    tail.m_number = last.getColumn(0).getInt64() + 1;
    auto block = unpackBlock(readBlock(last, 1));
    // A full block is left alone, and so is a damaged one: `verify` is to see it as it is.
    if (block.ok() && block->values.size() < kBlockPoints) {
        --tail.m_number;
        tail.m_steps = std::move(block->steps);
        tail.m_values = std::move(block->values);
    }
    return tail;
}

void SeriesTail::append(BlockWriter& writer, std::int64_t step, double value)
{
    // Blocks are searched by their first and last step, so one whose steps fell would hide points.
    if (!m_steps.empty() && step < m_steps.back())
        closeBlock(writer);
    m_steps.push_back(step);
    m_values.push_back(value);
    addPoint(m_summary, step, value);
    m_changed = true;
    if (m_values.size() == kBlockPoints)
        closeBlock(writer);
}

void SeriesTail::write(SQLite::Database& db, BlockWriter& writer)
{
    if (!m_changed)
        return;
    if (!m_values.empty())
        writeBlock(writer);
    writeSummary(db, m_seriesId, m_summary);
    m_changed = false;
}

void SeriesTail::writeBlock(BlockWriter& writer)
{
    writer.write(m_seriesId, m_number, packBlock(m_steps, m_values));
}

void SeriesTail::closeBlock(BlockWriter& writer)
{
    writeBlock(writer);
    ++m_number;
    m_steps.clear();
    m_values.clear();
}

} // namespace athanor
