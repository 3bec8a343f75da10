#include "engine/store/run_marks.h"

#include "engine/store/sqlite_wall.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace athanor {
namespace {

constexpr int kBusyMs = 5000;

bool isColor(const std::string& text)
{
    return text.empty() ||
           (text.size() == 7 && text.front() == '#' &&
            std::all_of(text.begin() + 1, text.end(), [](unsigned char c) { return std::isxdigit(c) != 0; }));
}

} // namespace

struct RunMarks::Impl {
    explicit Impl(std::filesystem::path storeFile)
        : file(std::move(storeFile)), db(file.string(), SQLite::OPEN_READWRITE, kBusyMs)
    {
        db.exec("PRAGMA foreign_keys = ON");
    }
    std::filesystem::path file;
    SQLite::Database db;
};

RunMarks::RunMarks(std::unique_ptr<Impl> impl) : m_impl(std::move(impl)) {}
RunMarks::RunMarks(RunMarks&&) noexcept = default;
RunMarks& RunMarks::operator=(RunMarks&&) noexcept = default;
RunMarks::~RunMarks() = default;

Result<RunMarks> RunMarks::open(const std::filesystem::path& store, const Clock& clock)
{
    const Result<RunStore> opened = RunStore::open(store, clock); // brings the tables to the newest version
    if (!opened)
        return opened.error();
    return behindWall(store,
                      [&]() -> Result<RunMarks> { return RunMarks(std::make_unique<Impl>(opened->file())); });
}

Result<std::map<RunId, RunMark>> RunMarks::all() const
{
    return behindWall(m_impl->file, [&]() -> Result<std::map<RunId, RunMark>> {
        std::map<RunId, RunMark> out;
        SQLite::Statement query(m_impl->db, "SELECT run_id, color, starred, archived FROM mark");
        while (query.executeStep())
            out[query.getColumn(0).getInt64()] = {query.getColumn(1).getString(),
                                                  query.getColumn(2).getInt() != 0,
                                                  query.getColumn(3).getInt() != 0};
        return out;
    });
}

Status RunMarks::set(const std::map<RunId, RunMark>& marks)
{
    for (const auto& [run, mark] : marks)
        if (!isColor(mark.color))
            return Error{ErrorCode::InvalidArgument,
                         "'" + mark.color + "' is no colour",
                         {},
                         "Colours are written as #rrggbb.",
                         {}};
    return behindWall(m_impl->file, [&]() -> Status {
        SQLite::Transaction transaction(m_impl->db, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement there(m_impl->db, "SELECT 1 FROM run WHERE id = ?");
        SQLite::Statement clear(m_impl->db, "DELETE FROM mark WHERE run_id = ?");
        SQLite::Statement insert(m_impl->db,
                                 "INSERT INTO mark (run_id, color, starred, archived) VALUES (?, ?, ?, ?)");
        for (const auto& [run, mark] : marks) {
            there.bind(1, run);
            if (!there.executeStep())
                return Error{ErrorCode::NotFound,
                             "There is no run " + std::to_string(run) + " in this store",
                             m_impl->file.string(),
                             "`athanor-cli runs list` shows the runs that are there.",
                             {}};
            there.reset();
            clear.bind(1, run);
            clear.exec();
            clear.reset();
            if (mark == RunMark{})
                continue;
            insert.bind(1, run);
            insert.bind(2, mark.color);
            insert.bind(3, mark.starred ? 1 : 0);
            insert.bind(4, mark.archived ? 1 : 0);
            insert.exec();
            insert.reset();
        }
        transaction.commit();
        return Done{};
    });
}

} // namespace athanor
