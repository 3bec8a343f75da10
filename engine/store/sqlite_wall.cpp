#include "engine/store/sqlite_wall.h"

#include <sqlite3.h>

#include <string>
#include <string_view>

namespace athanor {
namespace {

struct Wording {
    ErrorCode code;
    const char* message;
    const char* hint;
};

constexpr Wording kDamaged{
    ErrorCode::Unreadable, "The run store is damaged",
    "Keep a copy of it, look at it with `athanor-cli runs verify`, and use another store with --store meanwhile; it was "
    "left as it is."};

Wording wordingFor(int sqliteCode)
{
    switch (sqliteCode) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return {ErrorCode::Busy, "Another program is writing to the run store",
                "Try again in a moment, or close the other program."};
    case SQLITE_FULL:
        return {ErrorCode::OutOfMemory, "The disk that holds the run store is full",
                "Free some space there, or name a store on another disk with --store."};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_CANTOPEN:
        return {ErrorCode::Unsupported, "The run store cannot be opened or written",
                "Check that its folder exists and that you may write there, or name another file with --store or "
                "ATHANOR_STORE."};
    case SQLITE_NOTADB:
        return {ErrorCode::Unreadable, "This file is not a run store",
                "Name another file with --store or ATHANOR_STORE; this one was left as it is."};
    case SQLITE_CORRUPT:
        return kDamaged;
    case SQLITE_IOERR:
        return {ErrorCode::Unreadable, "The run store could not be read or written",
                "Check the disk that holds it (space, quota, cable), or name another file with --store."};
    case SQLITE_NOMEM:
        return {ErrorCode::OutOfMemory, "There is not enough memory for the run store", "Close other programs."};
    default:
        return {ErrorCode::Internal, "The run store did not accept a request", "Please report this as a bug."};
    }
}

} // namespace

Error storeError(const SQLite::Exception& exception, const std::filesystem::path& file)
{
    // The low byte is the primary result code; the rest refines it.
    const bool lacksTable = std::string_view(exception.what()).starts_with("no such ");
    const Wording wording = lacksTable ? kDamaged : wordingFor(exception.getErrorCode() & 0xff);
    return {wording.code, wording.message, file.string(), wording.hint,
            std::string("SQLite ") + std::to_string(exception.getExtendedErrorCode()) + ": " + exception.what()};
}

Error storeError(const std::exception& exception, const std::filesystem::path& file)
{
    return {ErrorCode::Internal, "The run store could not do what was asked", file.string(),
            "Please report this as a bug.", exception.what()};
}

} // namespace athanor
