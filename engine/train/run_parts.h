// Session thread. What a run is made of, built from a checked project.
#pragma once

#include "engine/data/data_pipeline.h"
#include "engine/project/project.h"
#include "engine/train/buffer_snapshot.h"
#include "engine/train/checkpoint.h"
#include "engine/train/compiled_network.h"
#include "engine/train/flat_parameters.h"
#include "engine/train/optimizer.h"
#include "engine/train/schedule.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace athanor {

struct RunParts {
    torch::Device device = torch::Device(torch::kCPU);
    std::optional<CompiledNetwork> network;
    std::unique_ptr<FlatParameters> parameters;
    std::unique_ptr<BufferSnapshot> buffers;
    std::unique_ptr<Optimizer> optimizer;
    Schedule schedule;
    std::vector<torch::Tensor> trainable; ///< parameters that `freeze` decides about
    std::vector<std::string> notes; ///< for the user
};

/// The device that a project asks for; Unsupported when it is not here, or cannot compute in this precision.
Result<torch::Device> chooseDevice(const TrainSpec& spec);

/// Seeds the default generators, then builds the network, fills its weights (layers' own, `init`, `weights`),
/// freezes, lays out parameters, makes optimizer and schedule. `length` is that of the run, as far as it is known.
Result<std::unique_ptr<RunParts>> buildRun(const Project& project, const GraphCheck& check, torch::Device device,
                                           const RunLength& length = {});

/// Freezes as the project says now: lays the parameters out anew and makes a new optimizer over them. An error leaves
/// all as it was.
Status freezeAnew(const Project& project, RunParts& parts);

/// Parameters and buffers by state name.
std::map<std::string, torch::Tensor> stateOf(torch::nn::Module& module);

/// What copying a state into a module left out.
struct StateTransfer {
    std::vector<std::string> missing;  ///< in the module, but not in the state
    std::vector<std::string> unfit;    ///< of another shape
    std::size_t copied = 0;
};
/// Copies all tensors that fit by name and shape.
StateTransfer copyState(const std::map<std::string, torch::Tensor>& state, torch::nn::Module& module);

/// States of the default random number generators by device, and their return.
std::map<std::string, torch::Tensor> generatorStates();
void restoreGenerators(const std::map<std::string, torch::Tensor>& states);

/// LibTorch's process-wide settings for the length of a run: threads, deterministic algorithms, memory kept between steps.
class TorchSettings {
public:
    TorchSettings(int threads, bool deterministic);
    ~TorchSettings();
    TorchSettings(const TorchSettings&) = delete;
    TorchSettings& operator=(const TorchSettings&) = delete;

private:
    int m_threads;
    bool m_deterministic;
};

/// Threads that `asked` (SessionOptions::threads) stands for: 0 leaves one core to the window; at most 1024.
int threadCount(int asked);

} // namespace athanor
