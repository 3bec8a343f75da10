// Any thread. The session that really trains; torch stays in the .cpp.
#pragma once

#include "engine/train/session.h"

namespace athanor {

/// The product's SessionFactory. Only one session trains per process at a time (the default generator is
/// shared); a second one fails with ErrorCode::Busy.
std::unique_ptr<Session> makeTrainingSession(const Project& project, const SessionOptions& options,
                                             MetricStream& stream);

/// Shapes, parameters and problems of a project with its data described (check, the canvas). Data that
/// cannot be opened is a problem, and the network is still checked as far as it can be.
struct ProjectCheck {
    std::vector<Problem> problems;
    GraphCheck network;
    bool dataOpened = false;
    std::int64_t stepsPerEpoch = 0; ///< optimizer steps; 0 when the data could not be opened
    bool ok() const; ///< no errors
};
/// `readSamples` also walks every sample and tells its progress; without it `progress` is only asked (0 of 0) whether
/// to go on. May take seconds: not on the GUI thread.
ProjectCheck checkProject(const Project& project, bool readSamples = false,
                          const std::function<bool(std::int64_t, std::int64_t)>& progress = {});

/// Versions of LibTorch, BLAS in use, device, threads: for the run's environment and the start-up check.
Json environmentReport();
/// Warnings about the environment, such as a reference or thread-fighting BLAS, each with its cure.
std::vector<Problem> environmentProblems();

} // namespace athanor
