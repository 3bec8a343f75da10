#include "ui/plot/history_reader.h"

#include <algorithm>
#include <optional>

namespace athanor {

HistoryReader::HistoryReader(QObject* parent) : QObject(parent)
{
    m_thread = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

HistoryReader::~HistoryReader()
{
    m_thread.request_stop();
    m_thread.join();
}

void HistoryReader::request(QObject* client, int slot, const std::filesystem::path& storeFile, Job job)
{
    const Key key{client, slot};
    const bool isNewClient = std::none_of(m_generations.begin(), m_generations.end(),
                                          [&](const auto& entry) { return entry.first.first == client; });
    if (isNewClient)
        connect(client, &QObject::destroyed, this, [this, client] { forget(client); });
    dropWaiting([&](const Key& waiting) { return waiting == key; });
    m_generations[key] = ++m_lastGeneration;
    ++m_pending;
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({key, m_lastGeneration, storeFile, std::move(job)});
    }
    m_arrived.notify_one();
}

void HistoryReader::cancel(QObject* client, int slot)
{
    const Key key{client, slot};
    if (const auto found = m_generations.find(key); found != m_generations.end())
        found->second = ++m_lastGeneration;
    dropWaiting([&](const Key& waiting) { return waiting == key; });
}

void HistoryReader::forget(QObject* client)
{
    std::erase_if(m_generations, [&](const auto& entry) { return entry.first.first == client; });
    dropWaiting([&](const Key& waiting) { return waiting.first == client; });
}

void HistoryReader::dropWaiting(const std::function<bool(const Key&)>& isDropped)
{
    const std::lock_guard lock(m_mutex);
    m_pending -= static_cast<int>(
        std::erase_if(m_waiting, [&](const Request& request) { return isDropped(request.key); }));
}

void HistoryReader::work(const std::stop_token& stop)
{
    std::filesystem::path openFile;
    std::optional<Result<RunStore>> store; // kept open from job to job
    while (true) {
        Request request;
        {
            std::unique_lock lock(m_mutex);
            if (!m_arrived.wait(lock, stop, [this] { return !m_waiting.empty(); }))
                return;
            request = std::move(m_waiting.front());
            m_waiting.pop_front();
        }
        if (stop.stop_requested())
            return;
        if (!store || !store->ok() || openFile != request.storeFile) {
            store.emplace(RunStore::open(request.storeFile));
            openFile = request.storeFile;
        }
        // The answer crosses to the GUI thread as one queued call on this object, which outlives this thread.
        QMetaObject::invokeMethod(
            this,
            [this, key = request.key, generation = request.generation, answer = request.job(*store)] {
                deliver(key, generation, answer);
            },
            Qt::QueuedConnection);
    }
}

void HistoryReader::deliver(const Key& key, std::uint64_t generation, const Answer& answer)
{
    --m_pending;
    const auto newest = m_generations.find(key);
    if (newest != m_generations.end() && newest->second == generation && answer)
        answer();
}

} // namespace athanor
