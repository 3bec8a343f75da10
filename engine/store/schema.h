// Any thread, on the caller's connection. The tables of a run store and their versions (docs/run-store.md).
#pragma once

#include "engine/base/result.h"

#include <chrono>
#include <filesystem>

namespace SQLite {
class Database;
}

namespace athanor {

inline constexpr int kStoreVersion = 3;          ///< PRAGMA user_version
inline constexpr int kStoreApplicationId = 0x41544852; ///< "ATHR", PRAGMA application_id

/// Looks whether the file is a store that we can use, without writing to it. An empty database is one.
/// Throws SQLite::Exception for a damaged file.
Status inspectStore(SQLite::Database& db, const std::filesystem::path& file);

int storeVersion(SQLite::Database& db); ///< of the tables; 0 in an empty database

/// Sets the connection up (WAL, foreign keys) and brings the tables to kStoreVersion under an exclusive
/// transaction. Waits up to `timeout` for others that do the same. Throws SQLite::Exception.
void prepareStore(SQLite::Database& db, std::chrono::milliseconds timeout);

} // namespace athanor
