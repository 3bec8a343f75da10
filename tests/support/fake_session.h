// Any thread. A scripted session: says what a real one would say, without data, network or torch.
#pragma once

#include "engine/train/session.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

struct FakeSeries {
    SeriesInfo info;
    std::function<double(std::int64_t step)> value;
    std::int64_t every = 1; ///< at steps that this divides
};

/// Non-finite values, spikes: `value` instead of what the series would say.
struct FakeBurst {
    std::string series;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = 0;
    double value = 0;
};

/// A step that takes its time, as a slow disk or a sleeping laptop would make it.
struct FakeStall {
    std::int64_t step = 0;
    std::chrono::milliseconds length{0};
};

/// What a FakeSession does. The default is a short healthy run.
struct FakeScript {
    std::int64_t steps = 200;
    std::int64_t stepsPerEpoch = 50;
    std::int64_t batchSize = 32;
    double stepsPerSecond = 0; ///< 0: as fast as possible
    std::chrono::milliseconds compiling{0};
    std::vector<FakeSeries> series = healthySeries();
    std::vector<FakeBurst> bursts;
    std::vector<FakeStall> stalls;
    NonFinitePolicy onNonFinite = NonFinitePolicy::Continue; ///< Pause, Stop: as a real session does
    std::vector<Problem> compileProblems; ///< with an error among them the session fails before its first step
    std::int64_t failAtStep = 0;          ///< 0: never
    std::string failure = "the scripted failure";
    std::int64_t earlyStopAtStep = 0; ///< 0: never
    std::int64_t checkpointEvery = 0; ///< steps, 0: only when asked; needs a checkpointFolder

    /// train/loss falling from 2.3, lr (follows SetLearningRate), val/loss and val/accuracy at epoch ends, two
    /// gradient norms, time/step.
    static std::vector<FakeSeries> healthySeries();
};

/// Honours every command as the product's session does, continues from the checkpoint it wrote, and makes
/// the same events. Ends by destruction too.
class FakeSession final : public Session {
public:
    FakeSession(FakeScript script, const SessionOptions& options, MetricStream& stream);
    ~FakeSession() override;

    void start() override;
    void post(SessionCommand command) override;
    [[nodiscard]] SessionState state() const override;
    [[nodiscard]] SessionEnd end() const override;
    [[nodiscard]] SessionProgress progress() const override;
    [[nodiscard]] std::vector<Problem> problems() const override;
    bool wait(std::chrono::milliseconds timeout) override;

    /// A SessionFactory that plays this script, whatever the project.
    static SessionFactory factory(FakeScript script);

private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

} // namespace athanor
