// Any thread (store is thread-safe). Arrays that stay where they are, in memory up to a limit and in a file of ours
// beyond it.
#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace athanor {

class SpillArena {
public:
    /// Beyond `memoryLimit` bytes arrays go into a temporary file without a name, from which
    /// the system pages them in and out as it sees fit.
    explicit SpillArena(std::size_t memoryLimit) : m_memoryLimit(memoryLimit) {}
    ~SpillArena();
    SpillArena(const SpillArena&) = delete;
    SpillArena& operator=(const SpillArena&) = delete;

    /// A copy of these bytes, aligned for any number, which lives as long as the arena. Fails when the disk is full.
    Result<const std::byte*> store(std::span<const std::byte> bytes);

private:
    Result<const std::byte*> storeInFile(std::span<const std::byte> bytes);

    struct Mapping {
        void* address;
        std::size_t size;
    };
    std::size_t m_memoryLimit;
    std::mutex m_mutex;
    std::size_t m_inMemory = 0;
    std::vector<std::unique_ptr<std::byte[]>> m_arrays;
    std::vector<Mapping> m_mappings;
    int m_file = -1;
    std::size_t m_fileSize = 0;
};

} // namespace athanor
