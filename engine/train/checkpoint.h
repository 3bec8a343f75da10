// Session thread. A run's complete state in one file: enough to go on bit for bit.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/data/batch.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace athanor {

/// Everything that decides how a run goes on. In the file: a torch.save-like container that Python's
/// torch.load reads as a dict; `["state_dict"]` fits load_state_dict of the same network.
struct Checkpoint {
    std::string semanticHash; ///< of the project that wrote it
    std::int64_t step = 0;    ///< done
    std::int64_t epoch = 0;   ///< where the next batch is: pass,
    std::int64_t batch = 0;   ///< and batch within it
    double seconds = 0;       ///< running time so far
    std::string optimizerKind;
    std::map<std::string, torch::Tensor> state;     ///< parameters and buffers by state name
    /// What the run goes on with, where `state` is not that (the weights of the best validation were put back).
    std::map<std::string, torch::Tensor> live;
    std::map<std::string, torch::Tensor> averaged;  ///< see WeightAverage::state(); empty without
    std::map<std::string, torch::Tensor> optimizer; ///< see Optimizer::state()
    std::map<std::string, torch::Tensor> generators; ///< by device: "cpu", "cuda"
    Json progress = Json::object(); ///< schedule, monitors, whatever else the session keeps
};

/// The same with tensors of its own, so that the run may go on while it is written.
Checkpoint detached(Checkpoint checkpoint);

/// Writes to a temporary file beside it, syncs, renames: a crash leaves no half checkpoint under this name.
Status saveCheckpoint(const Checkpoint& checkpoint, const std::filesystem::path& file);
/// NotFound, or Unreadable for a file of another kind or a damaged one. Tensors are in the processor's memory.
Result<Checkpoint> loadCheckpoint(const std::filesystem::path& file);

/// Fingerprint of a state: names, types, shapes and every bit; equal for equal states only.
std::string stateHash(const std::map<std::string, torch::Tensor>& state);

/// The folder of a run's checkpoints: the newest `keep` and the best one stay.
class CheckpointFolder {
public:
    CheckpointFolder(std::filesystem::path folder, int keep);
    /// Where the checkpoint of a step belongs: step-00000123.pt.
    [[nodiscard]] std::filesystem::path fileFor(std::int64_t step) const;
    /// Deletes what is no longer kept now that the run has come to `newest`; `best` is a step, or -1. Later ones are
    /// left from before the run was resumed, and make no earlier one superfluous. Nor do those that are younger than
    /// `settled`: whoever keeps the index of checkpoints may not have stored yet that they are there.
    void prune(std::int64_t best, std::int64_t newest, std::chrono::milliseconds settled = {}) const;

private:
    std::filesystem::path m_folder;
    int m_keep;
};

} // namespace athanor
