// Any thread, torch-free. Which tensor of a file fills which one of a network.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/train/weights/weights_file.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace athanor {

/// Names of the network to names of the file (training.weights_map).
using WeightsMap = std::map<std::string, std::string>;

/// A tensor of the network and the one of the file that belongs to it, as indices into the two lists.
struct MappedTensor {
    std::size_t ours = 0;
    std::size_t theirs = 0;
};

/// How names of the file are respelled: `taken` off their beginning, `put` before what is left.
struct PrefixChange {
    std::string taken; ///< "module."
    std::string put;   ///< "backbone."
    [[nodiscard]] bool empty() const { return taken.empty() && put.empty(); }
    bool operator==(const PrefixChange&) const = default;
};

/// Every tensor of either side is in exactly one list, but for tensors of the file that fill several by hand.
struct WeightsMapping {
    std::vector<MappedTensor> matched;      ///< same name, same shape
    std::vector<MappedTensor> renamed;      ///< same shape, through `prefix` or by hand
    std::vector<MappedTensor> shapeDiffers; ///< the name fits, the shape does not: not loaded
    std::vector<std::size_t> missing;       ///< of the network: not in the file
    std::vector<std::size_t> leftOver;      ///< of the file: not in the network
    PrefixChange prefix;
    std::size_t byHand = 0; ///< of `renamed`
    /// When nothing or little fits by name: a map by order and shape that would fill all that is missing, or
    /// use all that is left over. A suggestion to be looked at, never used by itself.
    WeightsMap suggested;

    [[nodiscard]] std::size_t loaded() const { return matched.size() + renamed.size(); }
};

/// Maps by hand first, then by name; when a prefix taken off or put before the names of the file ("module.",
/// "model.", a common one, or any that fits alone) lets more tensors fit by name and shape, through it.
/// InvalidArgument at training/weights_map when a name by hand is on neither side.
Result<WeightsMapping> mapWeights(const std::vector<WeightsTensor>& ours,
                                  const std::vector<WeightsTensor>& theirs, const WeightsMap& byHand);

/// `{"matched": [name], "renamed": [{"name", "from"}], "shape_differs": [{"name", "shape", "from",
/// "file_shape"}], "missing": [{"name", "shape"}], "left_over": [{"name", "shape"}], "prefix": {"taken",
/// "put"} or null, "suggested": {name: name}}`.
Json mappingJson(const WeightsMapping& mapping, const std::vector<WeightsTensor>& ours,
                 const std::vector<WeightsTensor>& theirs);

/// One or two sentences: how many tensors are loaded and how, and which are not.
std::string mappingText(const WeightsMapping& mapping, const std::vector<WeightsTensor>& ours,
                        const std::vector<WeightsTensor>& theirs);

/// Nothing fits: names of both sides, and what to do.
Error nothingFits(const WeightsMapping& mapping, const std::vector<WeightsTensor>& ours,
                  const std::vector<WeightsTensor>& theirs);

/// For weights_mapping.cpp: fills `suggested`.
void suggestMap(WeightsMapping& mapping, const std::vector<WeightsTensor>& ours,
                const std::vector<WeightsTensor>& theirs);

} // namespace athanor
