#include "engine/run/event_delivery.h"

#include <utility>

namespace athanor {

void EventDelivery::setListener(std::function<void(const Event&)> listener)
{
    {
        const std::lock_guard lock(m_mutex);
        m_listener = std::move(listener);
    }
    m_changed.notify_one();
}

void EventDelivery::quit()
{
    {
        const std::lock_guard lock(m_mutex);
        m_quit = true;
    }
    m_changed.notify_one();
}

void EventDelivery::add(std::vector<Event> events)
{
    const std::lock_guard lock(m_mutex);
    for (Event& event : events)
        m_waiting.push_back(std::move(event));
    while (!m_listener && m_waiting.size() > m_replayed)
        m_waiting.pop_front();
}

void EventDelivery::deliver()
{
    std::function<void(const Event&)> listener;
    std::deque<Event> events;
    {
        const std::lock_guard lock(m_mutex);
        if (!m_listener)
            return;
        listener = m_listener;
        events.swap(m_waiting);
    }
    for (const Event& event : events)
        listener(event);
}

void EventDelivery::serveUntilQuit()
{
    for (;;) {
        deliver();
        std::unique_lock lock(m_mutex);
        m_changed.wait(lock, [this] { return m_quit || (m_listener && !m_waiting.empty()); });
        if (m_quit)
            return;
    }
}

} // namespace athanor
