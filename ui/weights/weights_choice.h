// Any thread (plain data). Where a run takes its first weights from, as a person chooses it.
#pragma once

#include "engine/base/result.h"
#include "engine/project/project.h"
#include "engine/train/weights/start_weights.h"

#include <QString>

#include <filesystem>
#include <functional>
#include <optional>

namespace athanor {

struct WeightsChoice {
    std::filesystem::path file; ///< absolute
    WeightsMap byHand;          ///< training.weights_map
};

/// How a tensor of the network is filled.
enum class WeightsFill { Matched, Renamed, ByHand, ShapeDiffers, Fresh };

/// A row of the table.
struct WeightsRow {
    std::size_t ours = 0;              ///< index into WeightsReport::network
    std::optional<std::size_t> theirs; ///< index into the file's tensors
    WeightsFill fill = WeightsFill::Fresh;
};

/// The mapping as a list over all tensors of the network, in their order.
std::vector<WeightsRow> weightsRows(const WeightsReport& report, const WeightsMap& byHand);

/// The names of `map` that are on both sides; what is dropped is told as a sentence, empty when nothing is.
std::pair<WeightsMap, QString> knownNames(const WeightsMap& map, const WeightsReport& report);

/// A file as the project writes it: relative when it lies below the project's folder.
std::string writtenFile(const std::filesystem::path& file, const std::filesystem::path& folder);

/// inspectWeights(); tests put another one in its place.
using InspectFunction = std::function<Result<WeightsReport>(const Project&, const std::filesystem::path&)>;

} // namespace athanor
