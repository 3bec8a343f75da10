#include "engine/data/sources/spill_arena.h"

#include "engine/data/temporary_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace athanor {

namespace {

Error noRoom(int code)
{
    return {ErrorCode::OutOfMemory,
            std::string("The temporary folder cannot hold what does not fit into memory: ") + std::strerror(code),
            {},
            "Free some space there, or let TMPDIR name a folder with more",
            {}};
}

} // namespace

SpillArena::~SpillArena()
{
    for (const Mapping& mapping : m_mappings)
        munmap(mapping.address, mapping.size);
    if (m_file >= 0)
        close(m_file);
}

Result<const std::byte*> SpillArena::store(std::span<const std::byte> bytes)
{
    const std::scoped_lock lock(m_mutex);
    if (m_inMemory + bytes.size() > m_memoryLimit && !bytes.empty())
        return storeInFile(bytes);
    m_inMemory += bytes.size();
    auto array = std::make_unique<std::byte[]>(bytes.size());
    if (!bytes.empty())
        std::memcpy(array.get(), bytes.data(), bytes.size());
    m_arrays.push_back(std::move(array));
    return static_cast<const std::byte*>(m_arrays.back().get());
}

Result<const std::byte*> SpillArena::storeInFile(std::span<const std::byte> bytes)
{
    if (m_file < 0)
        m_file = openTemporaryFile();
    if (m_file < 0)
        return noRoom(errno);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t size = (bytes.size() + page - 1) / page * page;
    // Room is taken before it is mapped: a page that the full disk cannot hold would end the process.
    if (const int failed = posix_fallocate(m_file, static_cast<off_t>(m_fileSize), static_cast<off_t>(size));
        failed != 0)
        return noRoom(failed);
    for (std::size_t done = 0; done < bytes.size();) {
        const ssize_t wrote =
            pwrite(m_file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(m_fileSize + done));
        if (wrote <= 0)
            return noRoom(errno);
        done += static_cast<std::size_t>(wrote);
    }
    void* address = mmap(nullptr, size, PROT_READ, MAP_SHARED, m_file, static_cast<off_t>(m_fileSize));
    if (address == MAP_FAILED)
        return noRoom(errno);
    m_fileSize += size;
    m_mappings.push_back({address, size});
    return static_cast<const std::byte*>(address);
}

} // namespace athanor
