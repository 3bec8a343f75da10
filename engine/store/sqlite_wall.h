// Any thread. The wall where SQLite's exceptions end: they become Errors for a person.
#pragma once

#include "engine/base/result.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <exception>
#include <filesystem>
#include <utility>

namespace athanor {

Error storeError(const SQLite::Exception& exception, const std::filesystem::path& file);
Error storeError(const std::exception& exception, const std::filesystem::path& file);

/// Runs `work` (which returns a Result) and turns what it throws into an Error.
template <typename Work>
auto behindWall(const std::filesystem::path& file, Work&& work) -> decltype(work())
{
    try {
        return std::forward<Work>(work)();
    } catch (const SQLite::Exception& e) {
        return storeError(e, file);
    } catch (const std::exception& e) {
        return storeError(e, file);
    }
}

} // namespace athanor
