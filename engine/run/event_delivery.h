// Any thread. Hands events to a listener on the recorder thread, also to one that comes late.
#pragma once

#include "engine/metrics/metric.h"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace athanor {

class EventDelivery {
public:
    /// Keeps the newest `replayed` events for a listener that is not there yet.
    explicit EventDelivery(std::size_t replayed) : m_replayed(replayed) {}

    // --- any thread ---
    void setListener(std::function<void(const Event&)> listener);
    void quit(); ///< lets serveUntilQuit return

    // --- recorder thread ---
    void add(std::vector<Event> events);
    void deliver(); ///< calls the listener with all that waits; no lock is held meanwhile
    void serveUntilQuit(); ///< delivers to listeners that come late

private:
    const std::size_t m_replayed;
    std::mutex m_mutex; // guards all below
    std::condition_variable m_changed;
    std::function<void(const Event&)> m_listener;
    std::deque<Event> m_waiting;
    bool m_quit = false;
};

} // namespace athanor
