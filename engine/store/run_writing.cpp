// Writing a run: its start, flushes, checkpoints, end, and taking it up again.
#include "engine/store/run_store.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/sqlite_wall.h"

#include <cmath>
#include <utility>

namespace athanor {
namespace {

// The times are for display; a NaN among them must not stop the points from being stored.
double finiteOrZero(double value)
{
    return std::isfinite(value) ? value : 0;
}

std::int64_t seriesRow(SQLite::Database& db, RunId run, const SeriesInfo& info)
{
    SQLite::Statement find(db, "SELECT id FROM series WHERE run_id = ? AND name = ?");
    find.bind(1, run);
    find.bind(2, info.name);
    if (find.executeStep())
        return find.getColumn(0).getInt64();
    SQLite::Statement insert(db, "INSERT INTO series (run_id, position, name, unit, role) VALUES (?1, "
                                 "(SELECT coalesce(max(position) + 1, 0) FROM series WHERE run_id = ?1), ?2, ?3, ?4)");
    insert.bind(1, run);
    insert.bind(2, info.name);
    insert.bind(3, info.unit);
    insert.bind(4, seriesRoleName(info.role));
    insert.exec();
    return db.getLastInsertRowid();
}

void insertEvents(SQLite::Database& db, RunId run, std::span<const Event> events)
{
    SQLite::Statement insert(db, "INSERT INTO event (run_id, step, wall_ms, kind, text, place) VALUES (?,?,?,?,?,?)");
    for (const Event& event : events) {
        insert.bind(1, run);
        insert.bind(2, event.step);
        insert.bind(3, event.wallMilliseconds);
        insert.bind(4, eventKindName(event.kind));
        insert.bind(5, event.text);
        insert.bind(6, event.where);
        insert.exec();
        insert.reset();
    }
}

Status appendSamples(std::vector<SeriesTail>& tails, BlockWriter& blocks, std::span<const Sample> samples)
{
    for (const Sample& sample : samples) {
        if (sample.series >= tails.size()) {
            return Error{ErrorCode::InvalidArgument, "A sample names series " + std::to_string(sample.series) +
                                                         ", which was not registered",
                         "run store", "Please report this as a bug.", {}};
        }
        tails[sample.series].append(blocks, sample.step, sample.value);
    }
    return Done{};
}

bool updateProgress(SQLite::Database& db, RunId run, const RunStore::Flush& flush, std::int64_t nowMs)
{
    SQLite::Statement update(
        db, "UPDATE run SET status = ?, seconds = ?, steps = ?, epochs = ?, heartbeat_ms = ? WHERE id = ?");
    update.bind(1, runStatusName(flush.status));
    update.bind(2, finiteOrZero(flush.seconds));
    update.bind(3, flush.steps);
    update.bind(4, finiteOrZero(flush.epochs));
    update.bind(5, nowMs);
    update.bind(6, run);
    return update.exec() > 0;
}

// Removes the points of one series after `step`; true when there were any.
bool dropPoints(SQLite::Database& db, std::int64_t seriesId, std::int64_t step)
{
    std::vector<std::pair<std::int64_t, PackedBlock>> affected;
    SQLite::Statement query(db, std::string("SELECT number, ") + kBlockColumns +
                                    " FROM block WHERE series_id = ? AND last_step > ?");
    query.bind(1, seriesId);
    query.bind(2, step);
    while (query.executeStep())
        affected.emplace_back(query.getColumn(0).getInt64(), readBlock(query, 1));
    BlockWriter writer(db);
    SQLite::Statement remove(db, "DELETE FROM block WHERE series_id = ? AND number = ?");
    for (const auto& [number, packed] : affected) {
        const auto block = unpackBlock(packed);
        // Steps never fall within a block, so those to keep are at its front.
        std::size_t kept = 0;
        while (block.ok() && kept < block->steps.size() && block->steps[kept] <= step)
            ++kept;
        if (kept > 0) {
            writer.write(seriesId, number, packBlock(std::span(block->steps).first(kept),
                                                     std::span(block->values).first(kept)));
            continue;
        }
        remove.bind(1, seriesId);
        remove.bind(2, number);
        remove.exec();
        remove.reset();
    }
    return !affected.empty();
}

void dropAfter(SQLite::Database& db, RunId run, std::int64_t step)
{
    std::vector<std::int64_t> series;
    SQLite::Statement query(db, "SELECT id FROM series WHERE run_id = ?");
    query.bind(1, run);
    while (query.executeStep())
        series.push_back(query.getColumn(0).getInt64());
    for (const std::int64_t id : series) {
        if (dropPoints(db, id, step))
            writeSummary(db, id, recomputeSummary(db, id).summary);
    }
    for (const char* sql : {"DELETE FROM event WHERE run_id = ? AND step > ?",
                            "DELETE FROM checkpoint WHERE run_id = ? AND step > ?"}) {
        SQLite::Statement remove(db, sql);
        remove.bind(1, run);
        remove.bind(2, step);
        remove.exec();
    }
}

} // namespace

// The series of a run in the order of their positions, unless this store started or reopened the run.
RunWriter& RunStore::Impl::writer(RunId run)
{
    const auto [entry, isNew] = writers.try_emplace(run);
    RunWriter& writer = entry->second;
    if (isNew) {
        SQLite::Statement query(db, "SELECT id FROM series WHERE run_id = ? ORDER BY position");
        query.bind(1, run);
        while (query.executeStep())
            writer.tails.push_back(SeriesTail::load(db, query.getColumn(0).getInt64()));
    } else if (writer.outdated) {
        for (SeriesTail& tail : writer.tails)
            tail = SeriesTail::load(db, tail.seriesId());
    }
    writer.outdated = false;
    return writer;
}

Result<RunId> RunStore::startRun(const NewRun& run)
{
    return behindWall(m_impl->file, [&]() -> Result<RunId> {
        SQLite::Database& db = m_impl->db;
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement insert(db, "INSERT INTO run (name, project, project_file, project_text, semantic_hash, "
                                     "environment, status, started_ms, heartbeat_ms, machine, pid, process_start) "
                                     "VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'running', ?7, ?7, ?8, ?9, ?10)");
        insert.bind(1, run.name);
        insert.bind(2, run.project);
        insert.bind(3, run.projectFile);
        insert.bind(4, run.projectText);
        insert.bind(5, run.semanticHash);
        insert.bind(6, run.environment.dump(-1, ' ', false, Json::error_handler_t::replace));
        insert.bind(7, m_impl->clock.wallMilliseconds());
        insert.bind(8, m_impl->self.machine);
        insert.bind(9, m_impl->self.pid);
        insert.bind(10, m_impl->self.startTicks);
        insert.exec();
        const RunId id = db.getLastInsertRowid();
        if (run.name.empty()) {
            SQLite::Statement name(db, "UPDATE run SET name = ? WHERE id = ?");
            name.bind(1, (run.project.empty() ? "run" : run.project) + "-" + std::to_string(id));
            name.bind(2, id);
            name.exec();
        }
        transaction.commit();
        m_impl->writers[id] = {};
        return id;
    });
}

Status RunStore::flush(RunId run, const Flush& flush)
{
    // Until the transaction is through, the tails are ahead of the store.
    RunWriter* writer = nullptr;
    std::size_t known = 0;
    const Status done = behindWall(m_impl->file, [&]() -> Status {
        if (Status there = m_impl->isInPlace(); !there.ok())
            return there;
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        if (!updateProgress(m_impl->db, run, flush, m_impl->clock.wallMilliseconds()))
            return m_impl->noSuchRun(run);
        writer = &m_impl->writer(run);
        known = writer->tails.size();
        for (const SeriesInfo& info : flush.newSeries)
            writer->tails.push_back(SeriesTail::load(m_impl->db, seriesRow(m_impl->db, run, info)));
        BlockWriter blocks(m_impl->db);
        if (Status appended = appendSamples(writer->tails, blocks, flush.samples); !appended.ok())
            return appended;
        for (SeriesTail& tail : writer->tails)
            tail.write(m_impl->db, blocks);
        insertEvents(m_impl->db, run, flush.events);
        for (const CheckpointInfo& checkpoint : flush.checkpoints)
            m_impl->insertCheckpoint(run, checkpoint);
        transaction.commit();
        return Done{};
    });
    if (!done.ok() && writer) {
        writer->tails.erase(writer->tails.begin() + static_cast<std::ptrdiff_t>(known), writer->tails.end());
        writer->outdated = true;
    }
    return done;
}

Status RunStore::finishRun(RunId run, RunStatus status, const std::string& failure)
{
    m_impl->writers.erase(run);
    if (Status there = m_impl->isInPlace(); !there.ok())
        return there;
    return m_impl->inRun(run, "UPDATE run SET status = ?, failure = ? WHERE id = ?", {runStatusName(status), failure});
}

Status RunStore::addCheckpoint(RunId run, const CheckpointInfo& checkpoint)
{
    return behindWall(m_impl->file, [&]() -> Status {
        m_impl->insertCheckpoint(run, checkpoint);
        return Done{};
    });
}

void RunStore::Impl::insertCheckpoint(RunId run, const CheckpointInfo& checkpoint)
{
    // Inside the store's folder paths are relative, so that the folder can be moved as a whole.
    const auto absolute = std::filesystem::absolute(checkpoint.file);
    const auto relative = absolute.lexically_relative(file.parent_path());
    const bool isInside = !relative.empty() && *relative.begin() != "..";
    SQLite::Statement insert(db, "INSERT OR REPLACE INTO checkpoint (run_id, step, file, best, monitored) "
                                 "VALUES (?, ?, ?, ?, ?)");
    insert.bind(1, run);
    insert.bind(2, checkpoint.step);
    insert.bind(3, (isInside ? relative : absolute).string());
    insert.bind(4, checkpoint.best ? 1 : 0);
    bindDouble(insert, 5, checkpoint.monitored);
    insert.exec();
}

void RunStore::Impl::nameProcess(RunId run, const RunClaim& claim)
{
    SQLite::Statement update(db, "UPDATE run SET status = ?, heartbeat_ms = ?, machine = ?, pid = ?, "
                                 "process_start = ? WHERE id = ?");
    update.bind(1, claim.status);
    update.bind(2, claim.heartbeatMs);
    update.bind(3, claim.machine);
    update.bind(4, claim.pid);
    update.bind(5, claim.processStart);
    update.bind(6, run);
    update.exec();
}

Result<RunClaim> RunStore::claimRun(RunId run)
{
    return behindWall(m_impl->file, [&]() -> Result<RunClaim> {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        const auto stored = findStoredRun(m_impl->db, run);
        if (!stored)
            return m_impl->noSuchRun(run);
        if (stored->claimsToRun() && !m_impl->isGone(stored->process, stored->info.heartbeatMs)) {
            return Error{ErrorCode::Busy, "Run " + std::to_string(run) + " is still going on in process " +
                                              std::to_string(stored->process.pid),
                         m_impl->file.string(), "Stop it there first.", {}};
        }
        const ProcessIdentity& process = stored->process;
        const RunClaim before{runStatusName(stored->info.status), stored->info.heartbeatMs, process.machine,
                              process.pid, process.startTicks};
        const ProcessIdentity& self = m_impl->self;
        m_impl->nameProcess(run, {runStatusName(RunStatus::Running), m_impl->clock.wallMilliseconds(), self.machine,
                                  self.pid, self.startTicks});
        transaction.commit();
        return before;
    });
}

Status RunStore::releaseRun(RunId run, const RunClaim& before)
{
    return behindWall(m_impl->file, [&]() -> Status {
        m_impl->nameProcess(run, before);
        return Done{};
    });
}

Status RunStore::rewindRun(RunId run, std::int64_t step)
{
    return behindWall(m_impl->file, [&]() -> Status {
        if (const Status there = m_impl->isInPlace(); !there.ok())
            return there;
        SQLite::Database& db = m_impl->db;
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        if (!findStoredRun(db, run))
            return m_impl->noSuchRun(run);
        dropAfter(db, run, step);
        SQLite::Statement restore(db, "DELETE FROM trash WHERE run_id = ?"); // a run that goes on is not deleted
        restore.bind(1, run);
        restore.exec();
        SQLite::Statement update(db, "UPDATE run SET status = 'running', failure = '', steps = ? WHERE id = ?");
        update.bind(1, step);
        update.bind(2, run);
        update.exec();
        transaction.commit();
        m_impl->writers[run] = {};
        return Done{};
    });
}

} // namespace athanor
