#include "ui/bridge/project_checker.h"

#include "engine/train/project_checker.h"

#include <memory>

namespace athanor {
namespace {

/// Used by the worker thread alone, one check after the other.
CheckFunction checkWithEngine()
{
    return [checker = std::make_shared<ProjectChecker>()](const Project& project,
                                                          const std::function<bool()>& cancelled) {
        return checker->check(project, cancelled);
    };
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
    : m_function(checkWithEngine()),
      m_worker(
          delay, [this, snapshot = std::move(snapshot)] { return Job{snapshot(), m_function}; },
          [](const Job& job, const std::function<bool()>& cancelled) {
              return checkGuarded(job.function, job.project, cancelled);
          },
          std::move(deliver))
{}

} // namespace athanor
