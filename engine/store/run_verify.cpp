// `runs verify`: looks at everything in a store and repairs what follows from the points.
#include "engine/store/run_store.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/sqlite_wall.h"

#include <utility>

namespace athanor {
namespace {

struct StoredSeries {
    std::int64_t id = 0;
    std::string place; ///< "run 3, train/loss"
};

void checkStructure(SQLite::Database& db, VerifyReport& report)
{
    SQLite::Statement integrity(db, "PRAGMA integrity_check");
    while (integrity.executeStep()) {
        const std::string line = integrity.getColumn(0).getString();
        if (line != "ok")
            report.problems.push_back("the database's structure is damaged: " + line);
    }
    SQLite::Statement references(db, "PRAGMA foreign_key_check");
    while (references.executeStep()) {
        report.problems.push_back("table " + references.getColumn(0).getString() +
                                  " has a row that belongs to no " + references.getColumn(2).getString());
    }
}

std::vector<StoredSeries> allSeries(SQLite::Database& db)
{
    std::vector<StoredSeries> out;
    SQLite::Statement query(db, "SELECT id, run_id, name FROM series ORDER BY run_id, position");
    while (query.executeStep()) {
        out.push_back({query.getColumn(0).getInt64(),
                       "run " + query.getColumn(1).getString() + ", " + query.getColumn(2).getString()});
    }
    return out;
}

SeriesSummary storedSummary(SQLite::Database& db, std::int64_t seriesId)
{
    SQLite::Statement query(db, std::string("SELECT ") + kSummaryColumns + " FROM series WHERE id = ?");
    query.bind(1, seriesId);
    query.executeStep();
    return readSummary(query, 0);
}

// The summary and the blocks are read in one transaction: a writer may be at work meanwhile.
bool summaryIsRight(SQLite::Database& db, std::int64_t seriesId, RecomputedSummary& points)
{
    points = recomputeSummary(db, seriesId);
    return sameSummary(storedSummary(db, seriesId), points.summary);
}

void checkSeries(SQLite::Database& db, const StoredSeries& series, VerifyReport& report)
{
    RecomputedSummary points;
    bool isRight = false;
    {
        SQLite::Transaction snapshot(db);
        isRight = summaryIsRight(db, series.id, points);
    }
    report.points += points.summary.count;
    for (const std::string& problem : points.problems)
        report.problems.push_back(series.place + ": " + problem);
    // With points lost the summary is the only witness of what there was, and stays.
    if (isRight || !points.problems.empty())
        return;
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
    if (!summaryIsRight(db, series.id, points)) {
        writeSummary(db, series.id, points.summary);
        report.repairs.push_back(series.place + ": the summary did not agree with the points and was made anew");
    }
    transaction.commit();
}

} // namespace

RecomputedSummary recomputeSummary(SQLite::Database& db, std::int64_t seriesId)
{
    const SeriesSummary stored = storedSummary(db, seriesId);
    RecomputedSummary out{emptySummary(stored.name, stored.unit, stored.role), {}};
    SQLite::Statement query(db, std::string("SELECT number, ") + kBlockColumns +
                                    " FROM block WHERE series_id = ? ORDER BY number");
    query.bind(1, seriesId);
    while (query.executeStep()) {
        const auto block = unpackBlock(readBlock(query, 1));
        if (!block.ok()) {
            out.problems.push_back("block " + query.getColumn(0).getString() + ", steps " +
                                   query.getColumn(2).getString() + " to " + query.getColumn(3).getString() + ": " +
                                   block.error().message);
            continue;
        }
        for (std::size_t i = 0; i < block->steps.size(); ++i)
            addPoint(out.summary, block->steps[i], block->values[i]);
    }
    return out;
}

Result<VerifyReport> RunStore::verify()
{
    return behindWall(m_impl->file, [&]() -> Result<VerifyReport> {
        VerifyReport report;
        try {
            checkStructure(m_impl->db, report);
            report.runs = m_impl->db.execAndGet("SELECT count(*) FROM run").getInt64();
            for (const StoredSeries& series : allSeries(m_impl->db)) {
                ++report.series;
                checkSeries(m_impl->db, series, report);
            }
        } catch (const SQLite::Exception& e) {
            // Damage that stops the look-through is itself what was asked for.
            const Error error = storeError(e, m_impl->file);
            if (error.code != ErrorCode::Unreadable)
                return error;
            report.problems.push_back(error.message + ": " + error.details);
        }
        report.clean = report.problems.empty() && report.repairs.empty();
        return report;
    });
}

} // namespace athanor
