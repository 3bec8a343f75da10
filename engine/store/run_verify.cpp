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

/// False when a table is not there, so that nothing more can be looked at.
bool checkTables(SQLite::Database& db, VerifyReport& report)
{
    bool complete = true;
    for (const char* table : {"run", "tag", "series", "block", "event", "checkpoint", "trash", "mark"}) {
        if (db.tableExists(table))
            continue;
        complete = false;
        report.problems.push_back(std::string("the table ") + table + " is missing");
    }
    return complete;
}

bool isUtf8(const std::string& text)
{
    try {
        (void)Json(text).dump();
        return true;
    } catch (const Json::type_error&) {
        return false;
    }
}

/// What is wrong with the row of a run; SQLite itself takes any value in any column.
std::vector<std::string> problemsOfRun(SQLite::Statement& row, const std::vector<std::string>& numbers)
{
    std::vector<std::string> problems;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const SQLite::Column value = row.getColumn(static_cast<int>(i) + 4);
        if (!value.isInteger() && !value.isFloat())
            problems.push_back(numbers[i] + " is no number");
    }
    if (!runStatusFromName(row.getColumn(1).getString()))
        problems.push_back("there is no status '" + row.getColumn(1).getString() + "'");
    if (!Json::parse(row.getColumn(2).getString(), nullptr, false).is_object())
        problems.emplace_back("its environment is no JSON object");
    if (!isUtf8(row.getColumn(3).getString()))
        problems.emplace_back("its name, project or note is no UTF-8");
    return problems;
}

void checkRuns(SQLite::Database& db, VerifyReport& report)
{
    const std::vector<std::string> numbers{"started_ms", "seconds", "steps", "epochs", "pid", "process_start",
                                           "heartbeat_ms"};
    std::string sql = "SELECT id, status, environment, name || project || note || failure";
    for (const std::string& number : numbers)
        sql += ", " + number;
    SQLite::Statement query(db, sql + " FROM run ORDER BY id");
    while (query.executeStep()) {
        ++report.runs;
        for (const std::string& problem : problemsOfRun(query, numbers))
            report.problems.push_back("run " + query.getColumn(0).getString() + ": " + problem);
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

void checkContents(SQLite::Database& db, VerifyReport& report)
{
    checkRuns(db, report);
    for (const StoredSeries& series : allSeries(db)) {
        ++report.series;
        checkSeries(db, series, report);
    }
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
            if (checkTables(m_impl->db, report))
                checkContents(m_impl->db, report);
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
