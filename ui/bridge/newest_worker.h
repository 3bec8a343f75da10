// GUI thread, with one worker thread inside. Works on the newest of what is asked for while somebody types or draws.
#pragma once

#include <QTimer>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace athanor {

/// A request starts (or restarts) a delay; when it is over a job goes to the worker. Each request has a generation
/// number: work on an older generation is told to give up, and its answer is dropped.
template <typename Job, typename Answer>
class NewestWorker {
public:
    using Cancelled = std::function<bool()>;

    /// `makeJob` and `deliver` are called on the GUI thread, `work` on the worker's; it throws nothing.
    NewestWorker(std::chrono::milliseconds delay, std::function<Job()> makeJob,
                 std::function<Answer(const Job&, const Cancelled&)> work, std::function<void(Answer)> deliver)
        : m_makeJob(std::move(makeJob)), m_work(std::move(work)), m_deliver(std::move(deliver)),
          m_thread([this](const std::stop_token& stop) { run(stop); })
    {
        m_timer.setSingleShot(true);
        m_timer.setInterval(delay);
        QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { handOver(); });
    }
    /// Tells running work to give up and waits for it.
    ~NewestWorker()
    {
        m_thread.request_stop();
        m_thread.join();
    }
    NewestWorker(const NewestWorker&) = delete;
    NewestWorker& operator=(const NewestWorker&) = delete;

    void request()
    {
        m_newest = ++m_requested;
        m_timer.start();
    }
    [[nodiscard]] bool isBusy() const { return m_requested != m_delivered; }

private:
    struct Numbered {
        std::uint64_t generation = 0;
        Job job;
    };

    void handOver()
    {
        Numbered next{m_requested, m_makeJob()};
        {
            const std::lock_guard lock(m_mutex);
            m_next = std::move(next);
        }
        m_wake.notify_one();
    }

    void run(const std::stop_token& stop)
    {
        while (true) {
            std::optional<Numbered> current;
            {
                std::unique_lock lock(m_mutex);
                if (!m_wake.wait(lock, stop, [this] { return m_next.has_value(); })) {
                    return;
                }
                current = std::exchange(m_next, std::nullopt);
            }
            const std::uint64_t generation = current->generation;
            const auto cancelled = [&] { return stop.stop_requested() || m_newest != generation; };
            auto answer = std::make_shared<Answer>(m_work(current->job, cancelled));
            QMetaObject::invokeMethod(
                &m_timer, [this, generation, answer] { receive(generation, *answer); }, Qt::QueuedConnection);
        }
    }

    void receive(std::uint64_t generation, Answer& answer)
    {
        if (generation != m_requested) {
            return;
        }
        m_delivered = generation;
        m_deliver(std::move(answer));
    }

    std::function<Job()> m_makeJob;
    std::function<Answer(const Job&, const Cancelled&)> m_work;
    std::function<void(Answer)> m_deliver;
    QTimer m_timer; ///< also the receiver of the worker's answers
    std::uint64_t m_requested = 0;
    std::uint64_t m_delivered = 0;
    std::atomic<std::uint64_t> m_newest{0}; ///< m_requested, for the worker
    std::mutex m_mutex;                     ///< guards m_next
    std::condition_variable_any m_wake;
    std::optional<Numbered> m_next;
    std::jthread m_thread; ///< last: joined before what it uses goes
};

} // namespace athanor
