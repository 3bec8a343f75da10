// A program that is meant to be killed: runs a scripted session for ever and prints, for every step,
// "<step> <milliseconds>" as it is pushed. Arguments: the store, the run's name.
#include "engine/run/run_controller.h"

#include "tests/support/fake_session.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

using namespace athanor;

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    FakeScript script;
    script.steps = 1'000'000'000;
    script.stepsPerEpoch = 700;
    script.stepsPerSecond = 1000;
    script.series = {
        {{"train/loss", "", SeriesRole::Essential},
         [](std::int64_t step) {
             char line[64];
             const int length = std::snprintf(line, sizeof line, "%lld %lld\n", static_cast<long long>(step),
                                              static_cast<long long>(systemClock().wallMilliseconds()));
             if (write(STDOUT_FILENO, line, static_cast<std::size_t>(length)) != length)
                 _exit(3);
             return 1.0 / static_cast<double>(step);
         }},
        {{"grad_norm", "", SeriesRole::Probe}, [](std::int64_t step) { return static_cast<double>(step); }},
    };
    Project project;
    project.name = "killed";
    RunOptions options;
    options.storeFile = argv[1];
    options.name = argv[2];
    auto run = RunController::start(project, options, FakeSession::factory(script));
    if (!run.ok()) {
        std::fprintf(stderr, "%s\n", run.error().text().c_str());
        return 1;
    }
    while (!(*run)->wait(std::chrono::seconds(1))) {
    }
    return 0;
}
