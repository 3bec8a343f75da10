// Any thread. Samples kept as they are before anything random happens to them.
#pragma once

#include "engine/data/dataset.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace athanor {

enum class CachePlace {
    Memory,
    Disk, ///< a file without a name, which goes with the process; the system keeps in memory what it has room for
};

/// Filled as samples are read, until the limit is reached or the disk is full; what does not fit is read anew each time.
/// Neither reading nor keeping takes a lock.
class SampleCache {
public:
    /// `samples`: size of the data set; `limitBytes`: most room for the kept numbers. Fails when there can be no file.
    static Result<std::shared_ptr<SampleCache>> make(CachePlace place, std::int64_t samples, std::int64_t limitBytes);
    ~SampleCache();
    SampleCache(const SampleCache&) = delete;
    SampleCache& operator=(const SampleCache&) = delete;

    /// Lets `sample` have the kept numbers; false: they are not kept.
    bool find(std::int64_t index, Sample& sample) const;
    /// Keeps a copy unless it does not fit or another thread was faster.
    void keep(std::int64_t index, const Sample& sample);
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Entry {
        struct Field {
            FieldLayout layout;             // element and shape only
            std::vector<std::byte> numbers; // in memory
        };
        std::vector<Field> fields;
        std::int64_t offset = 0; // of all numbers, in the file
    };
    SampleCache(std::int64_t samples, std::int64_t limitBytes, int file);
    [[nodiscard]] bool readFile(const Entry& entry, Sample& sample) const;
    [[nodiscard]] bool store(Entry& entry, const Sample& sample, std::int64_t size);

    std::vector<std::atomic<const Entry*>> m_entries; // owned; set once
    const std::int64_t m_limit;
    const int m_file; // −1: in memory
    std::atomic<std::int64_t> m_bytes{0};
    std::atomic<std::int64_t> m_end{0}; // of the file
    std::atomic<bool> m_isFull{false};
};

} // namespace athanor
