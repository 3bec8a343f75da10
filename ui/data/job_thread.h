// GUI thread, with one thread inside. Work that the window asks for and may lose interest in.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>

namespace athanor {

/// Runs jobs one after the other.
class JobThread {
public:
    using Job = std::function<void(std::stop_token)>;
    JobThread();
    ~JobThread(); ///< as clear(), and waits for the job that is on

    void add(Job job);
    void clear(); ///< drops what waits and tells the job that is on to stop; does not wait

private:
    void work(const std::stop_token& end);

    std::mutex m_mutex; ///< guards the next two
    std::deque<Job> m_jobs;
    std::stop_source m_stop; ///< of the jobs since the last clear()
    std::condition_variable_any m_wake;
    std::jthread m_thread;
};

} // namespace athanor
