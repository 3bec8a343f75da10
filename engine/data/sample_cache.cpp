#include "engine/data/sample_cache.h"

#include "engine/base/log.h"
#include "engine/data/temporary_file.h"

#include <cerrno>
#include <cstring>
#include <sys/types.h>
#include <unistd.h>

namespace athanor {
namespace {

/// Reads or writes all of `size` bytes at `offset` of a file; false with errno when it cannot.
template <typename Move, typename Bytes>
bool moveAll(Move move, int file, Bytes* bytes, std::size_t size, std::int64_t offset)
{
    while (size > 0) {
        const ssize_t moved = move(file, bytes, size, static_cast<off_t>(offset));
        if (moved < 0 && errno == EINTR)
            continue;
        if (moved <= 0)
            return false;
        bytes += moved;
        size -= static_cast<std::size_t>(moved);
        offset += moved;
    }
    return true;
}

} // namespace

Result<std::shared_ptr<SampleCache>> SampleCache::make(CachePlace place, std::int64_t samples, std::int64_t limitBytes)
{
    int file = -1;
    if (place == CachePlace::Disk && (file = openTemporaryFile()) < 0)
        return Error{ErrorCode::Unreadable,
                     std::string("There can be no temporary file for the cache: ") + std::strerror(errno),
                     {},
                     "Let TMPDIR name a folder that can be written, or keep the samples in memory",
                     {}};
    return std::shared_ptr<SampleCache>(new SampleCache(samples, limitBytes, file));
}

SampleCache::SampleCache(std::int64_t samples, std::int64_t limitBytes, int file)
    : m_entries(static_cast<std::size_t>(samples)), m_limit(limitBytes), m_file(file)
{}

SampleCache::~SampleCache()
{
    for (const auto& entry : m_entries)
        delete entry.load();
    if (m_file >= 0)
        close(m_file);
}

bool SampleCache::find(std::int64_t index, Sample& sample) const
{
    const Entry* entry = m_entries[static_cast<std::size_t>(index)].load(std::memory_order_acquire);
    if (entry == nullptr)
        return false;
    sample.resize(entry->fields.size());
    if (m_file >= 0)
        return readFile(*entry, sample);
    for (std::size_t field = 0; field < sample.size(); ++field)
        sample[field].borrow(entry->fields[field].layout, entry->fields[field].numbers.data());
    return true;
}

bool SampleCache::readFile(const Entry& entry, Sample& sample) const
{
    std::int64_t offset = entry.offset;
    for (std::size_t field = 0; field < sample.size(); ++field) {
        std::byte* to = sample[field].write(entry.fields[field].layout.element, entry.fields[field].layout.shape);
        const std::size_t size = sample[field].byteCount();
        if (!moveAll(pread, m_file, to, size, offset))
            return false; // it is read from its source, as if it were not kept
        offset += static_cast<std::int64_t>(size);
    }
    return true;
}

void SampleCache::keep(std::int64_t index, const Sample& sample)
{
    std::int64_t size = 0;
    for (const Value& value : sample)
        size += static_cast<std::int64_t>(value.byteCount());
    if (m_isFull)
        return;
    if (m_bytes.fetch_add(size) + size > m_limit) {
        m_bytes -= size;
        return;
    }
    auto entry = std::make_unique<Entry>();
    for (const Value& value : sample)
        entry->fields.push_back({{{}, value.element(), value.shape(), 0, {}, {}}, {}});
    const Entry* none = nullptr;
    if (store(*entry, sample, size) &&
        m_entries[static_cast<std::size_t>(index)].compare_exchange_strong(none, entry.get(), std::memory_order_acq_rel))
        static_cast<void>(entry.release()); // the table owns it now
    else
        m_bytes -= size;
}

bool SampleCache::store(Entry& entry, const Sample& sample, std::int64_t size)
{
    if (m_file < 0) {
        for (std::size_t field = 0; field < sample.size(); ++field)
            entry.fields[field].numbers.assign(sample[field].bytes(), sample[field].bytes() + sample[field].byteCount());
        return true;
    }
    entry.offset = m_end.fetch_add(size);
    std::int64_t offset = entry.offset;
    for (const Value& value : sample) {
        if (!moveAll(pwrite, m_file, value.bytes(), value.byteCount(), offset)) {
            if (!m_isFull.exchange(true))
                spdlog::warn("The cache of samples takes no more: {}", std::strerror(errno));
            return false;
        }
        offset += static_cast<std::int64_t>(value.byteCount());
    }
    return true;
}

} // namespace athanor
