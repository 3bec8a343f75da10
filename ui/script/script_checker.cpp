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
    : QObject(parent),
      m_worker(
          delay, [this] { return m_next; },
          [](const Job& job, const std::function<bool()>& cancelled) {
              return reportGuarded(job.draft, job.inputs, cancelled);
          },
          [this](const ScriptReport& report) { Q_EMIT checked(report); })
{}

void ScriptChecker::request(ScriptDraft draft, ScriptInputs inputs)
{
    m_next = {std::move(draft), std::move(inputs)};
    m_worker.request();
}

} // namespace athanor
