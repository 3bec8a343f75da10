#include "ui/script/script_checker.h"

namespace athanor {
namespace {

/// The wall of the worker thread.
ScriptReport reportGuarded(const ScriptDraft& draft, const ScriptInputs& inputs,
                           const std::function<bool()>& cancelled)
{
    try {
        const ResolvedDraft resolved = resolveDraft(draft, inputs);
        return resolved.kind ? reportScript(*resolved.kind, resolved.context, {}, cancelled) : ScriptReport();
    } catch (const std::exception& error) {
        ScriptReport report;
        report.others.push_back({{}, std::string("the source could not be checked: ") + error.what(), {}});
        return report;
    }
}

} // namespace

ScriptChecker::ScriptChecker(QObject* parent, std::chrono::milliseconds delay)
    : QObject(parent), m_thread([this](const std::stop_token& stop) { work(stop); })
{
    m_timer.setSingleShot(true);
    m_timer.setInterval(delay);
    connect(&m_timer, &QTimer::timeout, this, &ScriptChecker::handOver);
}

ScriptChecker::~ScriptChecker()
{
    m_thread.request_stop();
    m_thread.join();
}

void ScriptChecker::request(ScriptDraft draft, ScriptInputs inputs)
{
    m_newest = ++m_requested;
    m_next = {m_requested, std::move(draft), std::move(inputs)};
    m_timer.start();
}

void ScriptChecker::handOver()
{
    {
        const std::lock_guard lock(m_mutex);
        m_job = m_next;
    }
    m_wake.notify_one();
}

void ScriptChecker::work(const std::stop_token& stop)
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
        auto report = std::make_shared<ScriptReport>(reportGuarded(job.draft, job.inputs, cancelled));
        QMetaObject::invokeMethod(
            this, [this, generation = job.generation, report] { receive(generation, *report); },
            Qt::QueuedConnection);
    }
}

void ScriptChecker::receive(std::uint64_t generation, const ScriptReport& report)
{
    if (generation != m_requested) {
        return;
    }
    m_delivered = generation;
    Q_EMIT checked(report);
}

} // namespace athanor
