// Any thread. A network and a file of weights that fits in part.
#pragma once

#include "ui/weights/weights_choice.h"

namespace athanor::test {

/// A network whose head was made anew, and a file of a backbone with other names.
inline const std::vector<WeightsTensor> kNetwork{{"conv1.weight", {8, 1, 3, 3}, "float32"},
                                          {"conv1.bias", {8}, "float32"},
                                          {"norm.weight", {8}, "float32"},
                                          {"head.weight", {10, 8}, "float32"},
                                          {"head.bias", {10}, "float32"}};
inline const std::vector<WeightsTensor> kFile{{"conv1.weight", {8, 1, 3, 3}, "float32"},
                                       {"conv1.bias", {8}, "float32"},
                                       {"bn.gamma", {8}, "float16", "cuda:0"},
                                       {"head.weight", {1000, 8}, "float32"},
                                       {"extra.table", {4, 4}, "float32"}};

/// In the place of inspectWeights(); broken.pt cannot be read.
inline Result<WeightsReport> inspect(const Project& project, const std::filesystem::path& file)
{
    if (file.filename() == "broken.pt")
        return Error{ErrorCode::Unreadable, "The file is damaged.", file.string(), "Save it again."};
    WeightsContents contents{WeightsFormat::PyTorch, "state_dict", kFile, {"It also holds an optimizer, which is not used."}};
    auto mapping = mapWeights(kNetwork, kFile, project.training.weightsMap);
    if (!mapping)
        return mapping.error();
    return WeightsReport{std::move(contents), kNetwork, std::move(*mapping)};
}

} // namespace athanor::test
