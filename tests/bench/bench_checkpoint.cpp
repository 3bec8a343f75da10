// How long a checkpoint of ResNet-18 (11 million parameters, SGD's momenta, BatchNorm's buffers) keeps the training
// thread: the copy is made there, the file is written on another thread.
// Usage: bench_checkpoint [--rounds N]
#include "bench_networks.h"

#include "engine/train/checkpointer.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include <unistd.h>

namespace athanor {
namespace {

using Ticks = std::chrono::steady_clock;

double milliseconds(Ticks::duration duration)
{
    return std::chrono::duration<double, std::milli>(duration).count();
}

double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[values.size() / 2];
}

Checkpoint checkpointOf(RunParts& parts, std::int64_t step)
{
    Checkpoint checkpoint;
    checkpoint.step = step;
    checkpoint.optimizerKind = "SGD";
    checkpoint.state = stateOf(parts.network->module());
    checkpoint.optimizer = parts.optimizer->state();
    checkpoint.generators = generatorStates();
    return checkpoint;
}

void measure(const std::filesystem::path& folder, int rounds)
{
    const TorchSettings torchSettings(1, true);
    const BenchNetwork network = resNetwork();
    const Project project = benchProject(network);
    auto parts = buildRun(project, checkNetwork(project.network, benchFields(network)), torch::kCPU);
    if (!parts.ok())
        throw std::runtime_error(parts.error().text());
    (*parts)->parameters->zeroGradients();
    (*parts)->optimizer->step({0.001}); // momenta exist from the first step on
    SessionOptions options;
    options.checkpointFolder = folder;
    Checkpointer checkpointer(project.training, options);
    std::vector<double> delays;
    std::vector<double> writings;
    for (int i = 1; i <= rounds; ++i) {
        const auto start = Ticks::now();
        checkpointer.write(checkpointOf(**parts, i));
        delays.push_back(milliseconds(Ticks::now() - start));
        const auto written = checkpointer.settle(true);
        if (!written || !written->ok())
            throw std::runtime_error("a checkpoint could not be written");
        writings.push_back(milliseconds(Ticks::now() - start));
    }
    std::printf("ResNet-18, SGD with momentum, %d checkpoints\n", rounds);
    std::printf("  the training thread waits   %8.1f ms, longest %.1f ms\n", median(delays), *std::ranges::max_element(delays));
    std::printf("  until the file is there     %8.1f ms\n", median(writings));
}

} // namespace
} // namespace athanor

int main(int count, char** arguments)
{
    int rounds = 20;
    for (int i = 1; i + 1 < count; i += 2)
        if (std::strcmp(arguments[i], "--rounds") == 0)
            rounds = std::max(1, std::atoi(arguments[i + 1]));
    const auto folder = std::filesystem::temp_directory_path() / ("athanor-bench-checkpoint-" + std::to_string(getpid()));
    std::thread([&] { athanor::measure(folder, rounds); }).join(); // memory behaves otherwise on the main thread
    std::filesystem::remove_all(folder);
    return 0;
}
