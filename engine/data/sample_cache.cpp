#include "engine/data/sample_cache.h"

namespace athanor {

SampleCache::SampleCache(std::int64_t samples, std::int64_t limitBytes)
    : m_entries(static_cast<std::size_t>(samples)), m_limit(limitBytes)
{}

SampleCache::~SampleCache()
{
    for (const auto& entry : m_entries)
        delete entry.load();
}

bool SampleCache::find(std::int64_t index, Sample& sample) const
{
    const Entry* entry = m_entries[static_cast<std::size_t>(index)].load(std::memory_order_acquire);
    if (entry == nullptr)
        return false;
    sample.resize(entry->size());
    for (std::size_t field = 0; field < entry->size(); ++field)
        sample[field].borrow((*entry)[field].layout, (*entry)[field].numbers.data());
    return true;
}

void SampleCache::keep(std::int64_t index, const Sample& sample)
{
    std::int64_t size = 0;
    for (const Value& value : sample)
        size += static_cast<std::int64_t>(value.byteCount());
    if (m_bytes.fetch_add(size) + size > m_limit) {
        m_bytes -= size;
        return;
    }
    auto entry = std::make_unique<Entry>();
    for (const Value& value : sample)
        entry->push_back({FieldLayout{{}, value.element(), value.shape(), 0, {}, {}},
                          {value.bytes(), value.bytes() + value.byteCount()}});
    const Entry* none = nullptr;
    if (m_entries[static_cast<std::size_t>(index)].compare_exchange_strong(none, entry.get(),
                                                                           std::memory_order_acq_rel))
        static_cast<void>(entry.release()); // the table owns it now
    else
        m_bytes -= size;
}

} // namespace athanor
