// Not the GUI thread (files can be large), torch-free. What lies in a file of weights.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace athanor {

enum class WeightsFormat {
    Checkpoint, ///< of a run of ours
    PyTorch,    ///< torch.save's zip archive (since PyTorch 1.6)
    Safetensors,
};
std::string
weightsFormatName(WeightsFormat format); ///< "Athanor checkpoint", "PyTorch file", "safetensors file"

/// A tensor as the file lists it.
struct WeightsTensor {
    std::string name;
    std::vector<std::int64_t> shape;
    std::string type; ///< PyTorch's name: "float32"
    std::string device =
        "cpu"; ///< where it lay when it was saved; it is always read into the processor's memory
    bool operator==(const WeightsTensor&) const = default;
};
std::string extentsText(const std::vector<std::int64_t>& shape); ///< "[64, 3, 7, 7]"

struct WeightsContents {
    WeightsFormat format = WeightsFormat::PyTorch;
    std::string
        entry; ///< of a PyTorch file: the dictionary the tensors are in ("state_dict"), empty: the whole file
    std::vector<WeightsTensor> tensors; ///< in the order of the file
    std::vector<std::string> notes;     ///< sentences on what else is in it
};

/// Lists the tensors of a state_dict, of a checkpoint dictionary that has one under a usual key (state_dict,
/// model_state_dict, model, net, …; nested ones too), of a checkpoint of ours, or of a safetensors file. No
/// data is read and no code of the file is run. Errors: NotFound; Unreadable when it is damaged or of no
/// known format; Unsupported for what is known but not read (PyTorch's format before 1.6, pickled modules,
/// TorchScript, …), with what to do. `where` is the file.
Result<WeightsContents> listWeights(const std::filesystem::path& file);

/// `{"format", "entry", "tensors": [{"name", "shape", "type", "device"}], "notes"}`.
Json weightsJson(const WeightsContents& contents);

} // namespace athanor
