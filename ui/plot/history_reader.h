// GUI thread, with one thread of its own that reads run stores. Zoom, stored runs and exports ask here.
#pragma once

#include "engine/store/run_store.h"

#include <QObject>

#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <stop_token>
#include <thread>

namespace athanor {

/// Runs reading jobs one after the other. Of each client's slot at most one request runs and one waits: a
/// newer one replaces the one that waits, and an answer that has been overtaken is dropped.
class HistoryReader : public QObject {
    Q_OBJECT
public:
    /// What to do with the answer, on the GUI thread.
    using Answer = std::function<void()>;
    /// Reads, on the reader thread; must capture values only. The store is an error when it did not open.
    using Job = std::function<Answer(const Result<RunStore>& store)>;

    explicit HistoryReader(QObject* parent = nullptr);
    ~HistoryReader() override; ///< ends the running job's thread after that job

    /// `client` gets the answer unless it is gone by then; `slot` tells its requests apart.
    void request(QObject* client, int slot, const std::filesystem::path& storeFile, Job job);
    void cancel(QObject* client, int slot);
    /// Requests that wait or run (tests).
    [[nodiscard]] int pendingCount() const { return m_pending; }

private:
    using Key = std::pair<QObject*, int>;
    struct Request {
        Key key;
        std::uint64_t generation = 0;
        std::filesystem::path storeFile;
        Job job;
    };
    void forget(QObject* client);
    void dropWaiting(const std::function<bool(const Key&)>& isDropped);
    void work(const std::stop_token& stop);
    void deliver(const Key& key, std::uint64_t generation, const Answer& answer);

    // GUI thread only
    std::map<Key, std::uint64_t> m_generations; ///< the newest request of each slot
    std::uint64_t m_lastGeneration = 0;
    int m_pending = 0;

    std::mutex m_mutex; // guards m_waiting
    std::condition_variable_any m_arrived;
    std::deque<Request> m_waiting;
    std::jthread m_thread; // last: it uses the members above
};

} // namespace athanor
