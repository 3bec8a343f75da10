// One thread at a time. Everything that the rules may look at, and what they have found.
#pragma once

#include "engine/diagnose/finding.h"
#include "engine/train/data_glance.h"
#include "engine/doctor/outline.h"
#include "engine/doctor/recording.h"
#include "engine/train/time_gradients.h"
#include "engine/graph/loss_task.h"
#include "engine/project/project.h"

#include <optional>
#include <vector>

namespace athanor {

struct Patient {
    const Project& project;
    Outline outline;
    DataGlance data;
    std::vector<TimeGradients> times;
    std::int64_t totalSteps = 0;         ///< of the project as it is, 0 when not known
    const Recording* recording = nullptr; ///< null before the monitored training
};

using Findings = std::vector<Finding>;

// The rules, each over the whole patient. What a rule cannot know it does not say.
void judgeOutputs(const Patient& patient, Findings& findings);     ///< model/output-activation, loss/wrong-kind
void judgeActivations(const Patient& patient, Findings& findings); ///< model/no-nonlinearity, hidden-activation, dropout
void judgeFreezing(const Patient& patient, Findings& findings);    ///< model/frozen-untrained
void judgeInitials(const Patient& patient, Findings& findings);    ///< model/init-… as they are written
void judgeOptimizer(const Patient& patient, Findings& findings);   ///< optimization/… as they are written
void judgeTime(const Patient& patient, Findings& findings);        ///< model/recurrent-…
/// What the monitored training shows: optimization/lr-…, clip, model/…-gradient, init-dead-units, loss/reduction, run/…
void judgeCourse(const Patient& patient, Findings& findings);

// --- helpers of the rules ---
Finding makeFinding(std::string rule, Severity severity, NodeId node, std::string message, std::string why);
std::string shortNumber(double value); ///< four digits
/// Value of a parameter of the optimizer, its default filled in; 0 when it has none of that name.
double optimizerNumber(const Project& project, const std::string& name);
/// Whether the optimizer brings every gradient to one size (Adam and its like).
bool isAdaptive(const Project& project);
/// What a network that has learnt nothing pays: ln K, the variance of the target, ln 2; nothing when it is not known.
std::optional<double> guessLoss(const Patient& patient);
/// Number of classes of the first classification loss; 0: none.
std::int64_t classCount(const Patient& patient);

} // namespace athanor
