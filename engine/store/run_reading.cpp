// Reading runs: lists, series, points, events, checkpoints.
#include "engine/store/run_store.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/sqlite_wall.h"

#include <algorithm>
#include <limits>

namespace athanor {
namespace {

std::map<RunId, std::vector<std::string>> readTags(SQLite::Database& db)
{
    std::map<RunId, std::vector<std::string>> tags;
    SQLite::Statement query(db, "SELECT run_id, tag FROM tag ORDER BY run_id, position");
    while (query.executeStep())
        tags[query.getColumn(0).getInt64()].push_back(query.getColumn(1).getString());
    return tags;
}

/// Restricts a query of runs to those that were not deleted. A store of the first version that may not be written, and
/// so not be brought to the newest, has no trash.
std::string notInTrash(SQLite::Database& db)
{
    return db.tableExists("trash") ? "id NOT IN (SELECT run_id FROM trash)" : "1";
}

} // namespace

StoredRun readRun(SQLite::Statement& row)
{
    StoredRun run;
    RunInfo& info = run.info;
    info.id = row.getColumn(0).getInt64();
    info.name = row.getColumn(1).getString();
    info.project = row.getColumn(2).getString();
    info.projectFile = row.getColumn(3).getString();
    info.status = runStatusFromName(row.getColumn(4).getString()).value_or(RunStatus::Interrupted);
    info.startedMs = row.getColumn(5).getInt64();
    info.seconds = row.getColumn(6).getDouble();
    info.steps = row.getColumn(7).getInt64();
    info.epochs = row.getColumn(8).getDouble();
    info.note = row.getColumn(9).getString();
    info.environment = Json::parse(row.getColumn(10).getString(), nullptr, false);
    if (!info.environment.is_object())
        info.environment = Json::object();
    info.failure = row.getColumn(11).getString();
    run.process = {row.getColumn(12).getString(), row.getColumn(13).getInt64(), row.getColumn(14).getInt64()};
    info.heartbeatMs = row.getColumn(15).getInt64();
    return run;
}

std::optional<StoredRun> findStoredRun(SQLite::Database& db, RunId run)
{
    SQLite::Statement query(db, std::string("SELECT ") + kRunColumns + " FROM run WHERE id = ?");
    query.bind(1, run);
    if (!query.executeStep())
        return std::nullopt;
    return readRun(query);
}

Result<std::vector<RunInfo>> RunStore::runs() const
{
    return behindWall(m_impl->file, [&]() -> Result<std::vector<RunInfo>> {
        SQLite::Transaction snapshot(m_impl->db);
        auto tags = readTags(m_impl->db);
        std::vector<RunInfo> out;
        SQLite::Statement query(m_impl->db, std::string("SELECT ") + kRunColumns +
                                                " FROM run WHERE " + notInTrash(m_impl->db) +
                                                " ORDER BY started_ms DESC, id DESC");
        while (query.executeStep()) {
            StoredRun stored = readRun(query);
            if (stored.claimsToRun() && m_impl->isGone(stored.process, stored.info.heartbeatMs))
                stored.info.status = RunStatus::Interrupted;
            stored.info.tags = std::move(tags[stored.info.id]);
            out.push_back(std::move(stored.info));
        }
        return out;
    });
}

Result<RunInfo> RunStore::run(RunId run) const
{
    return behindWall(m_impl->file, [&]() -> Result<RunInfo> {
        SQLite::Transaction snapshot(m_impl->db);
        auto stored = findStoredRun(m_impl->db, run);
        if (!stored)
            return m_impl->noSuchRun(run);
        if (stored->claimsToRun() && m_impl->isGone(stored->process, stored->info.heartbeatMs))
            stored->info.status = RunStatus::Interrupted;
        SQLite::Statement query(m_impl->db, "SELECT tag FROM tag WHERE run_id = ? ORDER BY position");
        query.bind(1, run);
        while (query.executeStep())
            stored->info.tags.push_back(query.getColumn(0).getString());
        return std::move(stored->info);
    });
}

Result<RunId> RunStore::findRun(const std::string& idOrName) const
{
    return behindWall(m_impl->file, [&]() -> Result<RunId> {
        SQLite::Statement byId(m_impl->db, "SELECT id FROM run WHERE CAST(id AS TEXT) = ?");
        byId.bind(1, idOrName);
        if (byId.executeStep())
            return byId.getColumn(0).getInt64();
        std::vector<RunId> found;
        SQLite::Statement byName(m_impl->db, "SELECT id FROM run WHERE name = ? AND " + notInTrash(m_impl->db) + " ORDER BY id");
        byName.bind(1, idOrName);
        while (byName.executeStep())
            found.push_back(byName.getColumn(0).getInt64());
        if (found.size() == 1)
            return found.front();
        if (found.empty()) {
            return Error{ErrorCode::NotFound, "There is no run \"" + idOrName + "\" in this store",
                         m_impl->file.string(), "`athanor-cli runs list` shows the runs that are there.", {}};
        }
        std::string ids;
        for (const RunId id : found)
            ids += (ids.empty() ? "" : ", ") + std::to_string(id);
        return Error{ErrorCode::InvalidArgument, "Several runs are called \"" + idOrName + "\"",
                     m_impl->file.string(), "Name one by its id: " + ids + ".", {}};
    });
}

Result<std::string> RunStore::projectText(RunId run) const
{
    return behindWall(m_impl->file, [&]() -> Result<std::string> {
        SQLite::Statement query(m_impl->db, "SELECT project_text FROM run WHERE id = ?");
        query.bind(1, run);
        if (!query.executeStep())
            return m_impl->noSuchRun(run);
        return query.getColumn(0).getString();
    });
}

Result<std::vector<SeriesSummary>> RunStore::summaries(RunId run) const
{
    return behindWall(m_impl->file, [&]() -> Result<std::vector<SeriesSummary>> {
        if (!findStoredRun(m_impl->db, run))
            return m_impl->noSuchRun(run);
        std::vector<SeriesSummary> out;
        SQLite::Statement query(m_impl->db, std::string("SELECT ") + kSummaryColumns +
                                                " FROM series WHERE run_id = ? ORDER BY position");
        query.bind(1, run);
        while (query.executeStep())
            out.push_back(readSummary(query, 0));
        return out;
    });
}

Result<std::vector<Event>> RunStore::events(RunId run) const
{
    return behindWall(m_impl->file, [&]() -> Result<std::vector<Event>> {
        if (!findStoredRun(m_impl->db, run))
            return m_impl->noSuchRun(run);
        std::vector<Event> out;
        SQLite::Statement query(m_impl->db,
                                "SELECT step, wall_ms, kind, text, place FROM event WHERE run_id = ? ORDER BY id");
        query.bind(1, run);
        while (query.executeStep()) {
            out.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                           eventKindFromName(query.getColumn(2).getString()).value_or(EventKind::Note),
                           query.getColumn(3).getString(), query.getColumn(4).getString()});
        }
        return out;
    });
}

Result<std::vector<CheckpointInfo>> RunStore::checkpoints(RunId run) const
{
    return behindWall(m_impl->file, [&]() -> Result<std::vector<CheckpointInfo>> {
        if (!findStoredRun(m_impl->db, run))
            return m_impl->noSuchRun(run);
        std::vector<CheckpointInfo> out;
        SQLite::Statement query(
            m_impl->db, "SELECT step, file, best, monitored FROM checkpoint WHERE run_id = ? ORDER BY step, file");
        query.bind(1, run);
        while (query.executeStep()) {
            // An absolute path stays as it is when it is appended to the folder.
            const auto file = m_impl->file.parent_path() / query.getColumn(1).getString();
            out.push_back({query.getColumn(0).getInt64(), file.string(), query.getColumn(2).getInt() != 0,
                           columnDouble(query.getColumn(3))});
        }
        return out;
    });
}

Result<SeriesPoints> RunStore::points(RunId run, const std::string& series, std::optional<std::int64_t> from,
                                      std::optional<std::int64_t> to) const
{
    const std::int64_t first = from.value_or(std::numeric_limits<std::int64_t>::min());
    const std::int64_t last = to.value_or(std::numeric_limits<std::int64_t>::max());
    return behindWall(m_impl->file, [&]() -> Result<SeriesPoints> {
        SQLite::Transaction snapshot(m_impl->db);
        SQLite::Statement find(m_impl->db, "SELECT id FROM series WHERE run_id = ? AND name = ?");
        find.bind(1, run);
        find.bind(2, series);
        if (!find.executeStep()) {
            if (!findStoredRun(m_impl->db, run))
                return m_impl->noSuchRun(run);
            return Error{ErrorCode::NotFound, "Run " + std::to_string(run) + " has no series \"" + series + "\"",
                         m_impl->file.string(), "`athanor-cli runs show " + std::to_string(run) + "` lists them.", {}};
        }
        SQLite::Statement query(m_impl->db, std::string("SELECT ") + kBlockColumns +
                                                " FROM block WHERE series_id = ? AND last_step >= ? AND "
                                                "first_step <= ? ORDER BY number");
        query.bind(1, find.getColumn(0).getInt64());
        query.bind(2, first);
        query.bind(3, last);
        SeriesPoints out;
        while (query.executeStep()) {
            const auto block = unpackBlock(readBlock(query, 0));
            if (!block.ok()) {
                Error error = block.error();
                error.where = m_impl->file.string() + ", run " + std::to_string(run) + ", " + series;
                error.hint = "`athanor-cli runs verify` lists everything that is damaged.";
                return error;
            }
            for (std::size_t i = 0; i < block->steps.size(); ++i) {
                if (block->steps[i] < first || block->steps[i] > last)
                    continue;
                out.steps.push_back(block->steps[i]);
                out.values.push_back(block->values[i]);
            }
        }
        return out;
    });
}

} // namespace athanor
