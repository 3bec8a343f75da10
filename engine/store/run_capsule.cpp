#include "engine/store/run_capsule.h"

#include "engine/store/run_store_impl.h"
#include "engine/store/sqlite_wall.h"

#include <fstream>
#include <system_error>

namespace athanor {
namespace {

constexpr const char* kSuffix = ".part";

// All tables of a run but itself, with every column that is not an id made by the store.
constexpr const char* kRunCopy =
    "name, project, project_file, project_text, semantic_hash, environment, status, failure, note, "
    "started_ms, seconds, steps, epochs, machine, pid, process_start, heartbeat_ms";

void removeStore(const std::filesystem::path& file)
{
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm"})
        std::filesystem::remove(file.string() + suffix, ignored);
}

/// Copies a run from `main` to the attached `target`; answers its id there.
RunId copyRun(SQLite::Database& db, RunId run, const char* from, const char* to)
{
    const std::string source = std::string(from) + ".";
    const std::string target = std::string(to) + ".";
    const auto copy = [&](const std::string& sql, RunId first, RunId second) {
        SQLite::Statement statement(db, sql);
        statement.bind(1, first);
        if (statement.getBindParameterCount() > 1)
            statement.bind(2, second);
        statement.exec();
    };
    SQLite::Statement insert(db, "INSERT INTO " + target + "run (" + kRunCopy + ") SELECT " + kRunCopy +
                                     " FROM " + source + "run WHERE id = ?");
    insert.bind(1, run);
    insert.exec();
    const RunId copied = db.getLastInsertRowid();
    copy("INSERT INTO " + target + "tag (run_id, position, tag) SELECT ?2, position, tag FROM " + source +
             "tag WHERE run_id = ?1",
         run, copied);
    copy("INSERT INTO " + target +
             "event (run_id, step, wall_ms, kind, text, place) SELECT ?2, step, wall_ms, kind, text, place "
             "FROM " +
             source + "event WHERE run_id = ?1 ORDER BY id",
         run, copied);
    copy("INSERT INTO " + target +
             "mark (run_id, color, starred, archived) SELECT ?2, color, starred, archived FROM " + source +
             "mark WHERE run_id = ?1",
         run, copied);
    constexpr const char* kSeries =
        "position, name, unit, role, count, non_finite, last_step, last, min, max, min_step, max_step";
    copy("INSERT INTO " + target + "series (run_id, " + kSeries + ") SELECT ?2, " + kSeries + " FROM " +
             source + "series WHERE run_id = ?1",
         run, copied);
    copy("INSERT INTO " + target +
             R"(block (series_id, number, count, first_step, last_step, stride, crc32, steps, "values")
          SELECT there.id, number, block.count, first_step, block.last_step, stride, crc32, steps, "values"
          FROM )" +
             source + "block AS block JOIN " + source + "series AS here ON here.id = block.series_id JOIN " +
             target +
             "series AS there ON there.run_id = ?2 AND there.position = here.position WHERE here.run_id = ?1",
         run, copied);
    return copied;
}

Error noCapsule(const std::filesystem::path& file)
{
    return {ErrorCode::Unreadable,
            "This is no run capsule",
            file.string(),
            "`athanor-cli runs export RUN --capsule FILE` makes one.",
            {}};
}

} // namespace

Result<CapsuleReport> exportCapsule(const std::filesystem::path& store, RunId run,
                                    const std::filesystem::path& file)
{
    Result<RunStore> opened = RunStore::open(store);
    if (!opened)
        return opened.error();
    const auto info = opened->run(run);
    if (!info)
        return info.error();
    if (info->status == RunStatus::Running || info->status == RunStatus::Paused)
        return Error{ErrorCode::Busy,
                     "Run " + std::to_string(run) + " is still going on",
                     opened->file().string(),
                     "Stop it first.",
                     {}};
    const auto checkpoints = opened->checkpoints(run);
    if (!checkpoints)
        return checkpoints.error();
    const std::filesystem::path part = file.string() + kSuffix;
    removeStore(part);
    if (const auto made = RunStore::open(part); !made)
        return made.error();
    CapsuleReport report;
    const Status written = behindWall(part, [&]() -> Status {
        SQLite::Database db(store.string(), SQLite::OPEN_READWRITE, 5000);
        SQLite::Statement attach(db, "ATTACH DATABASE ? AS capsule");
        attach.bind(1, part.string());
        attach.exec();
        SQLite::Transaction transaction(db);
        report.run = copyRun(db, run, "main", "capsule");
        db.exec("CREATE TABLE capsule.capsule_file (name TEXT PRIMARY KEY, data BLOB NOT NULL)");
        SQLite::Statement insertFile(db, "INSERT INTO capsule.capsule_file (name, data) VALUES (?, ?)");
        SQLite::Statement insertCheckpoint(
            db,
            "INSERT INTO capsule.checkpoint (run_id, step, file, best, monitored) "
            "SELECT ?, step, ?, best, monitored FROM main.checkpoint WHERE run_id = ? AND step = ? LIMIT 1");
        for (const CheckpointInfo& checkpoint : *checkpoints) {
            std::ifstream in(checkpoint.file, std::ios::binary);
            const std::string name = std::filesystem::path(checkpoint.file).filename().string();
            if (!in) {
                report.missing.push_back(name);
                continue;
            }
            const std::string data{std::istreambuf_iterator<char>(in), {}};
            insertFile.bind(1, name);
            insertFile.bind(2, data.data(), static_cast<int>(data.size()));
            insertFile.exec();
            insertFile.reset();
            insertCheckpoint.bind(1, report.run);
            insertCheckpoint.bind(2, name);
            insertCheckpoint.bind(3, run);
            insertCheckpoint.bind(4, checkpoint.step);
            insertCheckpoint.exec();
            insertCheckpoint.reset();
            report.checkpoints.push_back(name);
        }
        transaction.commit();
        return Done{};
    });
    if (!written) {
        removeStore(part);
        return written.error();
    }
    const Status closed = behindWall(part, [&]() -> Status {
        SQLite::Database db(part.string(), SQLite::OPEN_READWRITE, 5000);
        db.execAndGet("PRAGMA journal_mode = DELETE"); // one file, no log beside it
        return Done{};
    });
    std::error_code error;
    if (closed)
        std::filesystem::rename(part, file, error);
    if (!closed || error) {
        removeStore(part);
        return closed ? Error{ErrorCode::Unreadable,
                              "The capsule cannot be written: " + error.message(),
                              file.string(),
                              {},
                              {}}
                      : closed.error();
    }
    return report;
}

Result<CapsuleReport> importCapsule(const std::filesystem::path& store, const std::filesystem::path& file)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error))
        return Error{ErrorCode::NotFound, "There is no such capsule", file.string(), {}, {}};
    // The tables of an older capsule are brought up to date in a copy: the file itself stays as it is.
    Result<RunStore> opened = RunStore::open(store);
    if (!opened)
        return opened.error();
    const std::filesystem::path copy = opened->file().string() + ".capsule";
    removeStore(copy);
    std::filesystem::copy_file(file, copy, error);
    if (error)
        return Error{
            ErrorCode::Unreadable, "The capsule cannot be copied: " + error.message(), file.string(), {}, {}};
    if (const auto sound = RunStore::open(copy); !sound) {
        removeStore(copy);
        Error wrong = noCapsule(file);
        wrong.details = sound.error().text();
        return wrong;
    }
    CapsuleReport report;
    const std::filesystem::path home = opened->file().parent_path();
    std::filesystem::path folder; // of the checkpoints
    const Status done = behindWall(file, [&]() -> Status {
        SQLite::Database db(opened->file().string(), SQLite::OPEN_READWRITE, 5000);
        SQLite::Statement attach(db, "ATTACH DATABASE ? AS capsule");
        attach.bind(1, copy.string());
        attach.exec();
        SQLite::Statement there(db, "SELECT count(*) FROM capsule.sqlite_schema WHERE name = 'capsule_file'");
        there.executeStep();
        SQLite::Statement runs(db, "SELECT id FROM capsule.run");
        if (there.getColumn(0).getInt() == 0 || !runs.executeStep())
            return noCapsule(file);
        const RunId source = runs.getColumn(0).getInt64();
        SQLite::Transaction transaction(db, SQLite::TransactionBehavior::IMMEDIATE);
        report.run = copyRun(db, source, "capsule", "main");
        folder = home / "checkpoints" / opened->file().filename() / ("run-" + std::to_string(report.run));
        for (int number = 2; std::filesystem::exists(folder); ++number) // of an earlier store of that name
            folder = home / "checkpoints" / opened->file().filename() /
                     ("run-" + std::to_string(report.run) + "-" + std::to_string(number));
        SQLite::Statement files(db, "SELECT step, file, best, monitored, data FROM capsule.checkpoint JOIN "
                                    "capsule.capsule_file ON name = file "
                                    "WHERE run_id = ?");
        files.bind(1, source);
        SQLite::Statement insert(
            db, "INSERT INTO main.checkpoint (run_id, step, file, best, monitored) "
                "SELECT ?, step, ?, best, monitored FROM capsule.checkpoint WHERE run_id = ? AND file = ?");
        while (files.executeStep()) {
            const std::string name = files.getColumn(1).getString();
            if (name.empty() || name != std::filesystem::path(name).filename().string() || name == "..")
                return noCapsule(file); // nothing is written outside of the folder
            std::filesystem::create_directories(folder);
            std::ofstream out(folder / name, std::ios::binary);
            const auto data = files.getColumn(4);
            out.write(static_cast<const char*>(data.getBlob()), data.getBytes());
            out.close();
            if (!out)
                return Error{ErrorCode::Unreadable,
                             "A checkpoint cannot be written",
                             (folder / name).string(),
                             "Is the disk full?",
                             {}};
            insert.bind(1, report.run);
            insert.bind(2, (folder / name).lexically_relative(home).string());
            insert.bind(3, source);
            insert.bind(4, name);
            insert.exec();
            insert.reset();
            report.checkpoints.push_back(name);
        }
        transaction.commit();
        return Done{};
    });
    removeStore(copy);
    if (!done) {
        if (!folder.empty())
            std::filesystem::remove_all(folder, error);
        return done.error();
    }
    return report;
}

} // namespace athanor
