#include "engine/doctor/doctor.h"

#include "engine/doctor/patient.h"
#include "engine/preflight/preflight.h"
#include "engine/train/training_session.h"

#include <algorithm>
#include <chrono>
#include <set>

namespace athanor {
namespace {

using Clock = std::chrono::steady_clock;

/// What follows from other things, and is not told beside them.
bool isSymptom(const std::string& rule)
{
    static const std::set<std::string> kSymptoms{
        "model/dead-units", "model/vanishing-gradient", "model/exploding-gradient", "model/recurrent-vanishing-gradient",
        "model/recurrent-exploding-gradient", "model/init-dead-units", "loss/start-too-high", "loss/non-finite",
        "optimization/lr-too-high", "optimization/lr-too-low", "optimization/plateau", "run/diverged"};
    return kSymptoms.contains(rule);
}

/// The first of equally severe findings is the head of the chain: what broke first. Symptoms behind a head that is no
/// symptom itself, or behind the first symptom, go into its evidence.
void fold(Findings& findings)
{
    std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) { return a.severity > b.severity; });
    const auto isCause = [](const Finding& finding) { return finding.severity != Severity::Info; };
    const auto head = std::find_if(findings.begin(), findings.end(),
                                   [&](const Finding& finding) { return isCause(finding) && !isSymptom(finding.rule); });
    // A cause that only warns does not explain an error: then the symptom leads, and the cause stays beside it.
    const auto leader = head != findings.end() ? head : std::find_if(findings.begin(), findings.end(), isCause);
    if (leader == findings.end())
        return;
    Finding first = *leader;
    findings.erase(leader);
    Findings rest;
    for (Finding& finding : findings) {
        if (isCause(finding) && isSymptom(finding.rule))
            first.evidence["then: " + finding.rule] = static_cast<double>(finding.firstStep);
        else
            rest.push_back(std::move(finding));
    }
    findings.clear();
    findings.push_back(std::move(first));
    for (Finding& finding : rest)
        findings.push_back(std::move(finding));
}

class Doctor {
public:
    Doctor(const Project& project, const DoctorOptions& options, std::stop_token stop)
        : m_project(project), m_options(options), m_stop(std::move(stop)), m_start(Clock::now())
    {}

    Result<Diagnosis> diagnose()
    {
        tell("structure", 0);
        const ProjectCheck check = checkProject(m_project);
        const Status data = lookAtData();
        if (m_stop.stop_requested())
            return cancelled();
        if (const Status status = explain(check, data); !status)
            return status.error();
        if (!check.ok())
            return finish(); // the pre-flight says why
        auto glance = glanceAtData(m_project, m_options.workers, m_stop);
        if (!glance)
            return glance.error();
        Patient patient{m_project, Outline(m_project.network, check.network), std::move(*glance), {}, 0, nullptr};
        patient.totalSteps = plannedSteps(patient.data.batchesPerEpoch);
        for (const auto judge : {judgeOutputs, judgeActivations, judgeFreezing, judgeInitials, judgeOptimizer})
            judge(patient, m_findings);
        if (m_options.seconds <= 0)
            return finish();
        if (auto times = timeGradients(m_project, m_options.threads, m_options.workers); times)
            patient.times = std::move(*times);
        if (const Status status = train(); !status)
            return status.error();
        if (m_stop.stop_requested())
            return cancelled();
        patient.recording = &m_recording;
        judgeCourse(patient, m_findings);
        return finish();
    }

private:
    void tell(const std::string& what, double share) const
    {
        if (m_options.progress)
            m_options.progress(what, share);
    }
    static Error cancelled() { return {ErrorCode::Cancelled, "The examination was stopped", "", {}, {}}; }

    [[nodiscard]] std::int64_t plannedSteps(std::int64_t batchesPerEpoch) const
    {
        const TrainSpec& spec = m_project.training;
        if (spec.steps)
            return *spec.steps;
        const std::int64_t perEpoch = (batchesPerEpoch + spec.accumulate - 1) / std::max(1, spec.accumulate);
        return spec.epochs.value_or(kStandardEpochs) * perEpoch;
    }

    /// The pre-flight check; its error when there is one (data that cannot be opened).
    Status lookAtData()
    {
        PreflightOptions options;
        options.threads = m_options.threads;
        options.progress = [this](const PreflightProgress& progress) {
            tell("data", progress.all > 0 ? static_cast<double>(progress.done) / static_cast<double>(progress.all) : 0);
        };
        const auto result = runPreflight(m_project, options, m_stop);
        if (!result)
            return result.error();
        for (const DataFinding& finding : result->findings)
            m_findings.push_back(finding.finding);
        return Done{};
    }

    /// A project that cannot be trained is a matter of the doctor only when a finding says why.
    [[nodiscard]] Status explain(const ProjectCheck& check, const Status& data) const
    {
        const bool found = std::ranges::any_of(
            m_findings, [](const Finding& finding) { return finding.severity == Severity::Error; });
        if (found)
            return Done{};
        for (const Problem& problem : check.problems)
            if (problem.severity == Severity::Error)
                return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, {}};
        return data;
    }

    /// A copy, for so many seconds, recorded in memory.
    Status train()
    {
        Project copy = m_project;
        copy.training.checkpoint = {};
        SessionOptions options;
        options.threads = m_options.threads;
        options.workers = m_options.workers;
        options.unattended = true;
        options.steps = m_options.steps;
        MetricStream stream;
        const auto session = makeTrainingSession(copy, options, stream);
        session->start();
        const auto begun = Clock::now();
        bool stopped = false;
        MetricStream::Batch batch;
        do {
            batch = stream.take(std::chrono::milliseconds(100), std::move(batch));
            m_recording.add(batch);
            const double spent = std::chrono::duration<double>(Clock::now() - begun).count();
            tell("training", std::min(1.0, spent / m_options.seconds));
            if (!stopped && (spent > m_options.seconds || m_stop.stop_requested())) {
                session->post(command::Stop{});
                stopped = true;
            }
        } while (!batch.closed);
        session->wait(std::chrono::seconds(30));
        if (session->state() == SessionState::Failed && m_recording.steps() == 0) {
            for (const Problem& problem : session->problems())
                return Error{ErrorCode::InvalidArgument, problem.message, problem.where, problem.hint, {}};
            return Error{ErrorCode::Internal, "The training of a copy failed", "training", {}, {}};
        }
        return Done{};
    }

    Diagnosis finish()
    {
        fold(m_findings);
        Diagnosis diagnosis;
        diagnosis.findings = std::move(m_findings);
        diagnosis.steps = m_recording.steps();
        diagnosis.seconds = std::chrono::duration<double>(Clock::now() - m_start).count();
        return diagnosis;
    }

    const Project& m_project;
    const DoctorOptions& m_options;
    const std::stop_token m_stop;
    const Clock::time_point m_start;
    Findings m_findings;
    Recording m_recording;
};

} // namespace

bool Diagnosis::sick() const
{
    return std::ranges::any_of(findings, [](const Finding& finding) { return finding.severity != Severity::Info; });
}

Result<Diagnosis> diagnoseProject(const Project& project, const DoctorOptions& options, std::stop_token stop)
{
    return Doctor(project, options, std::move(stop)).diagnose();
}

} // namespace athanor
