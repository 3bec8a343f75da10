// Deleted runs: the table trash, and what goes when they go for good.
#include "engine/store/run_trash.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/sqlite_wall.h"

#include <system_error>
#include <utility>

namespace athanor {
namespace {

constexpr int kBusyMs = 5000;

Error notInTrash(const std::filesystem::path& file, const std::string& run)
{
    return {ErrorCode::NotFound, "There is no run \"" + run + "\" in the trash", file.string(),
            "`athanor-cli runs list --trash` shows the runs that are there.", {}};
}

/// Checkpoints of a run that lie in the store's folder; those elsewhere are not ours to delete.
std::vector<std::filesystem::path> ownCheckpoints(SQLite::Database& db, RunId run)
{
    std::vector<std::filesystem::path> out;
    SQLite::Statement query(db, "SELECT file FROM checkpoint WHERE run_id = ?");
    query.bind(1, run);
    while (query.executeStep()) {
        const std::filesystem::path file = std::filesystem::path(query.getColumn(0).getString()).lexically_normal();
        if (file.is_relative() && !file.empty() && *file.begin() != "..")
            out.push_back(file);
    }
    return out;
}

} // namespace

struct RunTrash::Impl {
    Impl(std::filesystem::path storeFile, const Clock& storeClock, RunStore runStore)
        : file(std::move(storeFile)), clock(storeClock), store(std::move(runStore)),
          db(file.string(), SQLite::OPEN_READWRITE, kBusyMs)
    {
        db.exec("PRAGMA foreign_keys = ON");
    }

    std::filesystem::path file;
    const Clock& clock;
    RunStore store; ///< has brought the tables to the newest version
    SQLite::Database db;

    Status requireInTrash(std::span<const RunId> runs)
    {
        for (const RunId run : runs) {
            SQLite::Statement query(db, "SELECT 1 FROM trash WHERE run_id = ?");
            query.bind(1, run);
            if (!query.executeStep())
                return notInTrash(file, std::to_string(run));
        }
        return Done{};
    }

    void forEach(const char* sql, std::span<const RunId> runs)
    {
        SQLite::Statement statement(db, sql);
        for (const RunId run : runs) {
            statement.bind(1, run);
            statement.exec();
            statement.reset();
        }
    }
};

RunTrash::RunTrash(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunTrash::RunTrash(RunTrash&&) noexcept = default;
RunTrash& RunTrash::operator=(RunTrash&&) noexcept = default;
RunTrash::~RunTrash() = default;

Result<RunTrash> RunTrash::open(const std::filesystem::path& store, const Clock& clock)
{
    Result<RunStore> opened = RunStore::open(store, clock);
    if (!opened)
        return opened.error();
    const std::filesystem::path file = opened->file();
    return behindWall(file, [&]() -> Result<RunTrash> {
        return RunTrash(std::make_unique<Impl>(file, clock, std::move(*opened)));
    });
}

Result<std::vector<TrashedRun>> RunTrash::runs() const
{
    return behindWall(m_impl->file, [&]() -> Result<std::vector<TrashedRun>> {
        std::vector<TrashedRun> out;
        SQLite::Statement query(m_impl->db, "SELECT run_id, trashed_ms FROM trash ORDER BY trashed_ms DESC, run_id DESC");
        while (query.executeStep()) {
            auto info = m_impl->store.run(query.getColumn(0).getInt64());
            if (!info)
                return info.error();
            out.push_back({std::move(*info), query.getColumn(1).getInt64()});
        }
        return out;
    });
}

Result<RunId> RunTrash::find(const std::string& idOrName) const
{
    return behindWall(m_impl->file, [&]() -> Result<RunId> {
        // An id goes before a name that looks like it, also when its run is not in the trash: else `delete --for-good 2`
        // could take another run that is called 2.
        SQLite::Statement byId(m_impl->db, "SELECT id, id IN (SELECT run_id FROM trash) FROM run WHERE CAST(id AS TEXT) = ?");
        byId.bind(1, idOrName);
        if (byId.executeStep()) {
            if (byId.getColumn(1).getInt() == 0)
                return notInTrash(m_impl->file, idOrName);
            return byId.getColumn(0).getInt64();
        }
        std::vector<RunId> found;
        SQLite::Statement query(m_impl->db, "SELECT id FROM run JOIN trash ON run_id = id WHERE name = ? ORDER BY id");
        query.bind(1, idOrName);
        while (query.executeStep())
            found.push_back(query.getColumn(0).getInt64());
        if (found.empty())
            return notInTrash(m_impl->file, idOrName);
        if (found.size() == 1)
            return found.front();
        std::string ids;
        for (const RunId id : found)
            ids += (ids.empty() ? "" : ", ") + std::to_string(id);
        return Error{ErrorCode::InvalidArgument, "Several runs in the trash are called \"" + idOrName + "\"",
                     m_impl->file.string(), "Name one by its id: " + ids + ".", {}};
    });
}

Status RunTrash::put(std::span<const RunId> runs)
{
    return behindWall(m_impl->file, [&]() -> Status {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        for (const RunId run : runs) {
            const auto info = m_impl->store.run(run);
            if (!info)
                return info.error();
            if (info->status == RunStatus::Running || info->status == RunStatus::Paused) {
                return Error{ErrorCode::Busy, "Run " + std::to_string(run) + " is still going on",
                             m_impl->file.string(), "Stop it first.", {}};
            }
        }
        SQLite::Statement insert(m_impl->db, "INSERT OR IGNORE INTO trash (run_id, trashed_ms) VALUES (?, ?)");
        for (const RunId run : runs) {
            insert.bind(1, run);
            insert.bind(2, m_impl->clock.wallMilliseconds());
            insert.exec();
            insert.reset();
        }
        transaction.commit();
        return Done{};
    });
}

Status RunTrash::restore(std::span<const RunId> runs)
{
    return behindWall(m_impl->file, [&]() -> Status {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        if (Status there = m_impl->requireInTrash(runs); !there.ok())
            return there;
        m_impl->forEach("DELETE FROM trash WHERE run_id = ?", runs);
        transaction.commit();
        return Done{};
    });
}

Status RunTrash::purge(std::span<const RunId> runs)
{
    return behindWall(m_impl->file, [&]() -> Status {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        if (Status there = m_impl->requireInTrash(runs); !there.ok())
            return there;
        std::vector<std::filesystem::path> files;
        for (const RunId run : runs)
            for (const auto& file : ownCheckpoints(m_impl->db, run))
                files.push_back(m_impl->file.parent_path() / file);
        m_impl->forEach("DELETE FROM run WHERE id = ?", runs);
        transaction.commit();
        // Only now: a checkpoint that is left over takes room, one that is missed breaks a run.
        for (const auto& file : files) {
            std::error_code ignored;
            std::filesystem::remove(file, ignored);
            if (file.parent_path() != m_impl->file.parent_path() && std::filesystem::is_empty(file.parent_path(), ignored))
                std::filesystem::remove(file.parent_path(), ignored);
        }
        return Done{};
    });
}

} // namespace athanor
