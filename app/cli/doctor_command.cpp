#include "app/cli/output.h"
#include "app/cli/task_progress.h"
#include "engine/doctor/doctor.h"

#include <spdlog/fmt/fmt.h>

#include <iostream>
#include <unistd.h>

namespace athanor::cli {
namespace {

void print(const Finding& finding)
{
    std::cout << fmt::format("{}: {}{}{}\n    {}\n", severityName(finding.severity), finding.rule,
                             finding.node.empty() ? "" : " at ", printable(finding.node), printable(finding.message));
    if (!finding.why.empty())
        std::cout << "    Why: " << printable(finding.why) << "\n";
    for (const SuggestedFix& fix : finding.fixes) {
        std::string edits;
        for (const std::string& edit : fix.edit)
            edits += (edits.empty() ? " (--set " : " --set ") + edit;
        std::cout << "    Cure: " << printable(fix.text) << (edits.empty() ? "" : printable(edits) + ")") << "\n";
    }
}

} // namespace

int doctor(const Common& common, const DoctorArguments& arguments)
{
    const Result<Project> project = loadProjectWith(arguments.project);
    if (!project)
        return fail(common, project.error());
    DoctorOptions options;
    options.steps = arguments.steps;
    options.seconds = arguments.seconds;
    options.threads = arguments.threads;
    const bool terminal = isatty(STDERR_FILENO) != 0;
    if (terminal)
        options.progress = [](const std::string& what, double share) {
            std::cerr << fmt::format("\r{} {:3.0f} %\x1b[K", what, 100 * share) << std::flush;
        };
    const Result<Diagnosis> diagnosis = diagnoseProject(*project, options);
    if (terminal)
        std::cerr << "\r\x1b[K" << std::flush;
    if (!diagnosis)
        return fail(common, diagnosis.error());
    if (common.json) {
        Json findings = Json::array();
        for (const Finding& finding : diagnosis->findings)
            findings.push_back(findingJson(finding));
        printJson({{"verdict", diagnosis->sick() ? "sick" : "healthy"},
                   {"findings", findings},
                   {"steps", diagnosis->steps},
                   {"seconds", diagnosis->seconds}});
    } else {
        for (const Finding& finding : diagnosis->findings)
            print(finding);
        std::cout << fmt::format("{}, after {} steps of a copy and {:.1f} s.\n", diagnosis->sick() ? "Sick" : "Healthy",
                                 diagnosis->steps, diagnosis->seconds);
    }
    return diagnosis->sick() ? kProblems : kDone;
}

} // namespace athanor::cli
