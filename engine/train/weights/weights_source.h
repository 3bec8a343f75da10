// Session thread. An opened file of weights: its list, and its tensors one by one.
#pragma once

#include "engine/data/batch.h"
#include "engine/train/weights/input_file.h"
#include "engine/train/weights/weights_file.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace athanor {

class WeightsSource {
public:
    virtual ~WeightsSource() = default;
    [[nodiscard]] const WeightsContents& contents() const { return m_contents; }
    /// The tensor of contents().tensors[index], in the processor's memory; several may share a storage.
    /// Throws a PlacedError: damaged, or Unsupported for element types that no network takes.
    virtual torch::Tensor tensor(std::size_t index) = 0;

protected:
    WeightsContents m_contents;
};

/// As listWeights.
Result<std::unique_ptr<WeightsSource>> openWeights(const std::filesystem::path& file);

/// All tensors by name. As listWeights, and damaged data.
Result<std::map<std::string, torch::Tensor>> loadWeightsFile(const std::filesystem::path& file);

// The formats; they throw PlacedErrors.
std::unique_ptr<WeightsSource> openTorchFile(InputFile file);
std::unique_ptr<WeightsSource> openSafetensors(InputFile file);

/// LibTorch's type of a tensor_types.h name; nullopt when no tensor of ours has it.
std::optional<c10::ScalarType> scalarType(std::string_view name);
/// tensor_types.h's name of a type; "unknown" when it has none.
std::string typeName(c10::ScalarType type);

} // namespace athanor
