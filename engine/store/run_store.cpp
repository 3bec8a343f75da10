// Opening a store, what its runs are called, and whether they still go on.
#include "engine/store/run_store.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/schema.h"
#include "engine/store/sqlite_wall.h"

#include <sqlite3.h>
#include <sys/stat.h>

#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace athanor {
namespace {

constexpr std::chrono::milliseconds kBusyTimeout{5000};

/// A heartbeat of another machine that is older than this means that its run was interrupted.
constexpr std::int64_t kStaleMs = 10'000;

// These names stand in stored runs: they may be added to, never changed.
constexpr std::array kStatusNames{
    std::pair{RunStatus::Running, std::string_view("running")},
    std::pair{RunStatus::Paused, std::string_view("paused")},
    std::pair{RunStatus::Finished, std::string_view("finished")},
    std::pair{RunStatus::Stopped, std::string_view("stopped")},
    std::pair{RunStatus::Diverged, std::string_view("diverged")},
    std::pair{RunStatus::Failed, std::string_view("failed")},
    std::pair{RunStatus::Interrupted, std::string_view("interrupted")},
};

std::string environmentText(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// The file's address for SQLite, to be read as it is: without the files that a store in use has beside it.
std::string immutableAddress(const std::filesystem::path& file)
{
    std::string address = "file:";
    for (const char c : file.string())
        address += c == '%' ? "%25" : c == '?' ? "%3f" : c == '#' ? "%23" : std::string(1, c);
    return address + "?immutable=1";
}

/// A connection that writes nothing. SQLite wants to make a file beside the store even to read it; where it may not,
/// a store that nobody has open can be read without.
SQLite::Database openReadOnly(const std::filesystem::path& file)
{
    const auto timeout = static_cast<int>(kBusyTimeout.count());
    try {
        SQLite::Database db(file.string(), SQLite::OPEN_READONLY, timeout);
        db.execAndGet("SELECT count(*) FROM sqlite_schema");
        return db;
    } catch (const SQLite::Exception& e) {
        std::error_code none;
        const auto waiting = std::filesystem::file_size(file.string() + "-wal", none);
        const int code = e.getErrorCode() & 0xff;
        if ((code != SQLITE_CANTOPEN && code != SQLITE_READONLY) || (!none && waiting > 0))
            throw;
    }
    return {immutableAddress(file), SQLite::OPEN_READONLY | SQLite::OPEN_URI, timeout};
}

Error noStore(const std::filesystem::path& file)
{
    return {ErrorCode::NotFound, "There is no run store of this name", file.string(),
            "Check the path; `athanor-cli train` makes a store.", {}};
}

} // namespace

FileIdentity FileIdentity::of(const std::filesystem::path& file)
{
    struct stat status = {};
    return ::stat(file.c_str(), &status) == 0 ? FileIdentity{status.st_dev, status.st_ino} : FileIdentity{};
}

Status RunStore::Impl::isInPlace() const
{
    if (FileIdentity::of(file) == opened)
        return Done{};
    return Error{ErrorCode::NotFound, "The run store was deleted or replaced while it was in use", file.string(),
                 "Put it back while the run goes on; else what was measured since is lost.", {}};
}

std::string runStatusName(RunStatus status)
{
    for (const auto& [value, name] : kStatusNames) {
        if (value == status)
            return std::string(name);
    }
    return {};
}

std::optional<RunStatus> runStatusFromName(std::string_view name)
{
    for (const auto& [value, text] : kStatusNames) {
        if (text == name)
            return value;
    }
    return std::nullopt;
}

RunStore::RunStore(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunStore::RunStore(RunStore&&) noexcept = default;
RunStore& RunStore::operator=(RunStore&&) noexcept = default;
RunStore::~RunStore() = default;

std::filesystem::path RunStore::defaultFile()
{
    if (const std::string file = environmentText("ATHANOR_STORE"); !file.empty())
        return file;
    std::filesystem::path data = environmentText("XDG_DATA_HOME");
    if (data.empty())
        data = std::filesystem::path(environmentText("HOME")) / ".local" / "share";
    return data / "athanor" / "runs.sqlite";
}

Result<RunStore> RunStore::open(const std::filesystem::path& file, const Clock& clock)
{
    const std::filesystem::path whole = std::filesystem::absolute(file);
    std::error_code failed;
    std::filesystem::create_directories(whole.parent_path(), failed);
    if (failed) {
        return Error{ErrorCode::Unsupported, "The folder of the run store cannot be made", whole.parent_path().string(),
                     "Name another file with --store or ATHANOR_STORE.", failed.message()};
    }
    return behindWall(whole, [&]() -> Result<RunStore> {
        SQLite::Database db(whole.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE,
                            static_cast<int>(kBusyTimeout.count()));
        if (const Status usable = inspectStore(db, whole); !usable.ok())
            return usable.error();
        prepareStore(db, kBusyTimeout);
        return RunStore(std::make_unique<Impl>(whole, clock, std::move(db)));
    });
}

Result<RunStore> RunStore::openToRead(const std::filesystem::path& file, const Clock& clock)
{
    const std::filesystem::path whole = std::filesystem::absolute(file);
    std::error_code failed;
    if (!std::filesystem::exists(whole, failed))
        return noStore(whole);
    bool isOld = false;
    auto store = behindWall(whole, [&]() -> Result<RunStore> {
        SQLite::Database db = openReadOnly(whole);
        if (const Status usable = inspectStore(db, whole); !usable.ok())
            return usable.error();
        const int version = storeVersion(db);
        if (version == 0)
            return noStore(whole);
        isOld = version < kStoreVersion;
        return RunStore(std::make_unique<Impl>(whole, clock, std::move(db)));
    });
    if (!isOld)
        return store;
    auto newest = open(file, clock);
    // What may not be written is read as it is: every version's tables are still understood.
    return newest.ok() ? std::move(newest) : std::move(store);
}

const std::filesystem::path& RunStore::file() const
{
    return m_impl->file;
}

void RunStore::setBusyTimeout(std::chrono::milliseconds timeout)
{
    m_impl->db.setBusyTimeout(static_cast<int>(timeout.count()));
}

Result<int> RunStore::markInterrupted()
{
    return behindWall(m_impl->file, [&]() -> Result<int> {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        std::vector<RunId> gone;
        SQLite::Statement query(m_impl->db, std::string("SELECT ") + kRunColumns +
                                                " FROM run WHERE status IN ('running', 'paused')");
        while (query.executeStep()) {
            const StoredRun stored = readRun(query);
            if (m_impl->isGone(stored.process, stored.info.heartbeatMs))
                gone.push_back(stored.info.id);
        }
        for (const RunId run : gone) {
            SQLite::Statement update(m_impl->db, "UPDATE run SET status = 'interrupted' WHERE id = ?");
            update.bind(1, run);
            update.exec();
        }
        transaction.commit();
        return static_cast<int>(gone.size());
    });
}

Status RunStore::setTags(RunId run, const std::vector<std::string>& tags)
{
    return behindWall(m_impl->file, [&]() -> Status {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        if (!findStoredRun(m_impl->db, run))
            return m_impl->noSuchRun(run);
        SQLite::Statement clear(m_impl->db, "DELETE FROM tag WHERE run_id = ?");
        clear.bind(1, run);
        clear.exec();
        SQLite::Statement insert(m_impl->db, "INSERT INTO tag (run_id, position, tag) VALUES (?, ?, ?)");
        for (std::size_t i = 0; i < tags.size(); ++i) {
            insert.bind(1, run);
            insert.bind(2, static_cast<std::int64_t>(i));
            insert.bind(3, tags[i]);
            insert.exec();
            insert.reset();
        }
        transaction.commit();
        return Done{};
    });
}

Status RunStore::setNote(RunId run, const std::string& note)
{
    return m_impl->inRun(run, "UPDATE run SET note = ? WHERE id = ?", {note});
}

Status RunStore::rename(RunId run, const std::string& name)
{
    if (name.empty())
        return Error{ErrorCode::InvalidArgument, "A run needs a name", "run " + std::to_string(run), {}, {}};
    return m_impl->inRun(run, "UPDATE run SET name = ? WHERE id = ?", {name});
}

Error RunStore::Impl::noSuchRun(RunId run) const
{
    return {ErrorCode::NotFound, "There is no run " + std::to_string(run) + " in this store", file.string(),
            "`athanor-cli runs list` shows the runs that are there.", {}};
}

// An update of one run's row: the texts in order, then the id.
Status RunStore::Impl::inRun(RunId run, const char* sql, const std::vector<std::string>& texts)
{
    return behindWall(file, [&]() -> Status {
        SQLite::Statement update(db, sql);
        int index = 0;
        for (const std::string& text : texts)
            update.bind(++index, text);
        update.bind(++index, run);
        if (update.exec() == 0)
            return noSuchRun(run);
        return Done{};
    });
}

bool RunStore::Impl::isGone(const ProcessIdentity& process, std::int64_t heartbeatMs) const
{
    switch (liveness(process)) {
    case Liveness::Alive:
        return false;
    case Liveness::Gone:
        return true;
    case Liveness::Unknown:
        break;
    }
    return clock.wallMilliseconds() - heartbeatMs > kStaleMs;
}

} // namespace athanor
