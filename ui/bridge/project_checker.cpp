#include "ui/bridge/project_checker.h"

namespace athanor {
namespace {

ProjectCheck checkWithEngine(const Project& project, const std::function<bool()>& cancelled)
{
    return checkProject(project, false, [&](std::int64_t, std::int64_t) { return !cancelled(); });
}

/// The wall of the worker thread: whatever is thrown becomes a problem of the project.
ProjectCheck checkGuarded(const CheckFunction& function, const Project& project, const std::function<bool()>& cancelled)
{
    const auto failed = [](const std::string& reason) {
        ProjectCheck check;
        check.problems.push_back({"", Severity::Error, "The project could not be checked: " + reason,
                                  "Undo the last change; the log holds the details."});
        return check;
    };
    try {
        return function(project, cancelled);
    } catch (const std::exception& error) {
        return failed(error.what());
    } catch (...) {
        return failed("unknown failure");
    }
}

} // namespace

ProjectDocument::Checker::Checker(std::chrono::milliseconds delay, std::function<Project()> snapshot,
                                  std::function<void(ProjectCheck)> deliver)
    : m_snapshot(std::move(snapshot)), m_deliver(std::move(deliver)), m_function(&checkWithEngine),
      m_thread([this](const std::stop_token& stop) { work(stop); })
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(delay);
    QObject::connect(&m_timer, &QTimer::timeout, &m_timer, [this] { handOver(); });
}

ProjectDocument::Checker::~Checker()
{
    m_thread.request_stop();
    m_thread.join();
}

void ProjectDocument::Checker::request()
{
    m_newest = ++m_requested;
    m_timer.start();
}

void ProjectDocument::Checker::handOver()
{
    Job job{m_requested, m_snapshot(), m_function};
    {
        const std::lock_guard lock(m_mutex);
        m_job = std::move(job);
    }
    m_wake.notify_one();
}

void ProjectDocument::Checker::work(const std::stop_token& stop)
{
    while (true) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            if (!m_wake.wait(lock, stop, [this] { return m_job.has_value(); })) {
                return;
            }
            job = std::move(*m_job);
            m_job.reset();
        }
        const auto cancelled = [&] { return stop.stop_requested() || m_newest != job.generation; };
        auto check = std::make_shared<ProjectCheck>(checkGuarded(job.function, job.project, cancelled));
        QMetaObject::invokeMethod(
            &m_timer, [this, generation = job.generation, check] { receive(generation, check); },
            Qt::QueuedConnection);
    }
}

void ProjectDocument::Checker::receive(std::uint64_t generation, const std::shared_ptr<ProjectCheck>& check)
{
    if (generation != m_requested) {
        return;
    }
    m_delivered = generation;
    m_deliver(std::move(*check));
}

} // namespace athanor
