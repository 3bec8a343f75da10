// Any thread, one object per thread (it holds connections of its own). How a person marks stored runs.
#pragma once

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/store/run_store.h"

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>

namespace athanor {

struct RunMark {
    std::string color; ///< "#rrggbb", or empty for the one that views give it
    bool starred = false;
    bool archived = false; ///< out of the way, but not deleted
    bool operator==(const RunMark&) const = default;
};

class RunMarks {
public:
    /// Opens a store for writing, as RunStore::open() does. `clock` outlives the marks.
    static Result<RunMarks> open(const std::filesystem::path& store, const Clock& clock = systemClock());
    RunMarks(RunMarks&&) noexcept;
    RunMarks& operator=(RunMarks&&) noexcept;
    ~RunMarks();

    /// Of the runs that have any, those in the trash too.
    [[nodiscard]] Result<std::map<RunId, RunMark>> all() const;
    /// All of them or, after an error, none. NotFound for a run that is not there, InvalidArgument for a wrong colour.
    Status set(const std::map<RunId, RunMark>& marks);

private:
    struct Impl;
    explicit RunMarks(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
