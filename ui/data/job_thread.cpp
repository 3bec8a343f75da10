#include "ui/data/job_thread.h"

#include <utility>

namespace athanor {

JobThread::JobThread() : m_thread([this](const std::stop_token& end) { work(end); }) {}

JobThread::~JobThread()
{
    clear();
}

void JobThread::add(Job job)
{
    const std::lock_guard lock(m_mutex);
    m_jobs.push_back(std::move(job));
    m_wake.notify_one();
}

void JobThread::clear()
{
    const std::lock_guard lock(m_mutex);
    m_jobs.clear();
    m_stop.request_stop();
    m_stop = {};
}

void JobThread::work(const std::stop_token& end)
{
    for (;;) {
        Job job;
        std::stop_token stop;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, end, [this] { return !m_jobs.empty(); }))
                return;
            job = std::move(m_jobs.front());
            m_jobs.pop_front();
            stop = m_stop.get_token();
        }
        job(stop);
    }
}

} // namespace athanor
