#include "ui/shell/data_check.h"

#include "ui/bridge/task_list.h"

#include <chrono>

namespace athanor {
namespace {

constexpr std::chrono::milliseconds kReportEvery{100};

} // namespace

DataCheck::DataCheck(TaskList& tasks, QObject* parent) : QObject(parent), m_tasks(tasks) {}

DataCheck::~DataCheck()
{
    if (m_task != 0)
        m_tasks.end(m_task);
    // Here and not by the member's destructor: the thread posts to this object, which must still be whole.
    m_thread.request_stop();
    if (m_thread.joinable())
        m_thread.join();
}

void DataCheck::start(const Project& project)
{
    if (isActive())
        return;
    m_task = m_tasks.begin(tr("Reading every sample of the data"), [this] { cancel(); });
    m_thread = std::jthread([this, project](const std::stop_token& stop) {
        auto reported = std::chrono::steady_clock::now();
        const auto progress = [&](std::int64_t done, std::int64_t all) {
            const auto now = std::chrono::steady_clock::now();
            if (now - reported >= kReportEvery) {
                reported = now;
                QMetaObject::invokeMethod(
                    this, [this, done, all] { report(done, all); }, Qt::QueuedConnection);
            }
            return !stop.stop_requested();
        };
        const ProjectCheck check = checkProject(project, true, progress);
        const bool cancelled = stop.stop_requested();
        QMetaObject::invokeMethod(
            this, [this, check, cancelled] { finish(check, cancelled); }, Qt::QueuedConnection);
    });
}

void DataCheck::cancel()
{
    m_thread.request_stop();
}

void DataCheck::report(std::int64_t done, std::int64_t all)
{
    if (m_task != 0 && all > 0)
        m_tasks.setProgress(m_task, static_cast<double>(done) / static_cast<double>(all));
}

void DataCheck::finish(const ProjectCheck& check, bool cancelled)
{
    m_tasks.end(m_task);
    m_task = 0;
    if (!cancelled)
        Q_EMIT finished(check);
}

} // namespace athanor
