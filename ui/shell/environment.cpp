#include "ui/shell/environment.h"

#include "engine/base/log.h"

namespace athanor {

Environment::Environment(QObject* parent) : QObject(parent)
{
    m_thread = std::jthread([this] {
        Json report = environmentReport();
        std::vector<Problem> problems = environmentProblems();
        QMetaObject::invokeMethod(
            this,
            [this, report = std::move(report), problems = std::move(problems)] {
                m_report = report;
                m_problems = problems;
                m_known = true;
                for (const Problem& problem : m_problems)
                    spdlog::warn("{} {}", problem.message, problem.hint);
                Q_EMIT known();
            },
            Qt::QueuedConnection);
    });
}

Environment::~Environment()
{
    m_thread.join();
}

int Environment::threads() const
{
    const auto found = m_report.find("threads");
    return found != m_report.end() && found->is_number_integer() ? found->get<int>() : 0;
}

} // namespace athanor
