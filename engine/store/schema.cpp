#include "engine/store/schema.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <array>
#include <string>
#include <thread>

namespace athanor {
namespace {

// One entry per version, applied in order; entries are never changed once released.
constexpr std::array kMigrations{
    R"sql(
CREATE TABLE run (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    name           TEXT NOT NULL,
    project        TEXT NOT NULL,
    project_file   TEXT NOT NULL,
    project_text   TEXT NOT NULL,
    semantic_hash  TEXT NOT NULL,
    environment    TEXT NOT NULL,
    status         TEXT NOT NULL,
    failure        TEXT NOT NULL DEFAULT '',
    note           TEXT NOT NULL DEFAULT '',
    started_ms     INTEGER NOT NULL,
    seconds        REAL NOT NULL DEFAULT 0,
    steps          INTEGER NOT NULL DEFAULT 0,
    epochs         REAL NOT NULL DEFAULT 0,
    machine        TEXT NOT NULL,
    pid            INTEGER NOT NULL,
    process_start  INTEGER NOT NULL,
    heartbeat_ms   INTEGER NOT NULL
);
CREATE INDEX run_name ON run(name);

CREATE TABLE tag (
    run_id    INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    position  INTEGER NOT NULL,
    tag       TEXT NOT NULL,
    PRIMARY KEY (run_id, position)
) WITHOUT ROWID;

CREATE TABLE series (
    id          INTEGER PRIMARY KEY,
    run_id      INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    position    INTEGER NOT NULL,
    name        TEXT NOT NULL,
    unit        TEXT NOT NULL,
    role        TEXT NOT NULL,
    count       INTEGER NOT NULL DEFAULT 0,
    non_finite  INTEGER NOT NULL DEFAULT 0,
    last_step   INTEGER NOT NULL DEFAULT 0,
    last,
    min,
    max,
    min_step    INTEGER NOT NULL DEFAULT 0,
    max_step    INTEGER NOT NULL DEFAULT 0,
    UNIQUE (run_id, position),
    UNIQUE (run_id, name)
);

CREATE TABLE block (
    series_id   INTEGER NOT NULL REFERENCES series(id) ON DELETE CASCADE,
    number      INTEGER NOT NULL,
    count       INTEGER NOT NULL,
    first_step  INTEGER NOT NULL,
    last_step   INTEGER NOT NULL,
    stride      INTEGER,
    crc32       INTEGER NOT NULL,
    steps       BLOB NOT NULL,
    "values"    BLOB NOT NULL,
    PRIMARY KEY (series_id, number)
);

CREATE TABLE event (
    id       INTEGER PRIMARY KEY,
    run_id   INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    step     INTEGER NOT NULL,
    wall_ms  INTEGER NOT NULL,
    kind     TEXT NOT NULL,
    text     TEXT NOT NULL,
    place    TEXT NOT NULL
);
CREATE INDEX event_run ON event(run_id);

CREATE TABLE checkpoint (
    run_id     INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
    step       INTEGER NOT NULL,
    file       TEXT NOT NULL,
    best       INTEGER NOT NULL,
    monitored,
    PRIMARY KEY (run_id, file)
) WITHOUT ROWID;
)sql",
    R"sql(
CREATE TABLE trash (
    run_id      INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    trashed_ms  INTEGER NOT NULL
);
)sql",
    R"sql(
CREATE TABLE mark (
    run_id    INTEGER PRIMARY KEY REFERENCES run(id) ON DELETE CASCADE,
    color     TEXT NOT NULL,
    starred   INTEGER NOT NULL,
    archived  INTEGER NOT NULL
);
)sql",
};
static_assert(kMigrations.size() == kStoreVersion);

int pragma(SQLite::Database& db, const char* name)
{
    return db.execAndGet(std::string("PRAGMA ") + name).getInt();
}

void migrate(SQLite::Database& db)
{
    SQLite::Transaction transaction(db, SQLite::TransactionBehavior::EXCLUSIVE);
    const int version = storeVersion(db); // under the lock: another process may have been faster
    for (int next = version; next < kStoreVersion; ++next)
        db.exec(kMigrations[static_cast<std::size_t>(next)]);
    db.exec("PRAGMA application_id = " + std::to_string(kStoreApplicationId));
    db.exec("PRAGMA user_version = " + std::to_string(kStoreVersion));
    transaction.commit();
}

// SQLite does not call its busy handler for the switch to WAL, so several first openers retry by hand.
void useWal(SQLite::Database& db, std::chrono::milliseconds timeout)
{
    constexpr std::chrono::milliseconds kPause{10};
    for (auto waited = std::chrono::milliseconds::zero();; waited += kPause) {
        try {
            db.execAndGet("PRAGMA journal_mode = WAL");
            return;
        } catch (const SQLite::Exception& e) {
            if ((e.getErrorCode() != SQLITE_BUSY && e.getErrorCode() != SQLITE_LOCKED) || waited >= timeout)
                throw;
        }
        std::this_thread::sleep_for(kPause);
    }
}

} // namespace

int storeVersion(SQLite::Database& db)
{
    return pragma(db, "user_version");
}

Status inspectStore(SQLite::Database& db, const std::filesystem::path& file)
{
    const int version = storeVersion(db);
    const int application = pragma(db, "application_id");
    const bool hasTables = db.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
    if (application != kStoreApplicationId && (hasTables || application != 0 || version != 0)) {
        return Error{ErrorCode::Unreadable, "This is a database of another program, not a run store", file.string(),
                     "Name another file with --store or ATHANOR_STORE.", {}};
    }
    if (version > kStoreVersion) {
        return Error{ErrorCode::Unsupported,
                     "The run store was made by a newer Athanor (version " + std::to_string(version) +
                         " of its tables, this program knows " + std::to_string(kStoreVersion) + ")",
                     file.string(), "Install the newer Athanor, or name another file with --store.", {}};
    }
    return Done{};
}

void prepareStore(SQLite::Database& db, std::chrono::milliseconds timeout)
{
    useWal(db, timeout);
    // With WAL a crash of the program loses nothing at NORMAL; a power cut may lose the newest transactions.
    db.exec("PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA foreign_keys = ON");
    db.exec("PRAGMA journal_size_limit = 67108864");
    if (storeVersion(db) < kStoreVersion)
        migrate(db);
}

} // namespace athanor
