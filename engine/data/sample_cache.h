// Any thread. Samples kept in memory as they are before anything random happens to them.
#pragma once

#include "engine/data/dataset.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace athanor {

/// Filled as samples are read, until the limit is reached; what does not fit is read anew each time. Neither
/// reading nor keeping takes a lock.
class SampleCache {
public:
    /// `samples`: size of the data set; `limitBytes`: most memory for the kept numbers.
    SampleCache(std::int64_t samples, std::int64_t limitBytes);
    ~SampleCache();
    SampleCache(const SampleCache&) = delete;
    SampleCache& operator=(const SampleCache&) = delete;

    /// Lets `sample` point at the kept numbers; false: they are not kept.
    bool find(std::int64_t index, Sample& sample) const;
    /// Keeps a copy unless it does not fit or another thread was faster.
    void keep(std::int64_t index, const Sample& sample);
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Field {
        FieldLayout layout; // element and shape only
        std::vector<std::byte> numbers;
    };
    using Entry = std::vector<Field>;

    std::vector<std::atomic<const Entry*>> m_entries; // owned; set once
    const std::int64_t m_limit;
    std::atomic<std::int64_t> m_bytes{0};
};

} // namespace athanor
