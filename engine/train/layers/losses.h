// Session thread. Inside engine/train: what the losses are made of, one file per group.
#pragma once

#include "engine/train/layers/layer.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace athanor {

/// Makes the loss of complete parameters; `node` has id, kind, task and weight; the builder
/// adds what else metrics need.
using LossBuilder = std::function<LossLayer(LossNode node, const Json& params)>;
using LossTable = std::map<std::string, LossBuilder>;

// The groups.
void addClassLosses(LossTable& table);
void addValueLosses(LossTable& table);
void addDistanceLosses(LossTable& table);
void addScriptLosses(LossTable& table);

// --- small tools of the groups ---

/// The target typed and shaped to what a loss needs, where that has one meaning; never broadcast. Throws a
/// PlacedError that says both shapes otherwise.
using TargetPreparation = std::function<torch::Tensor(const LossNode& loss, const torch::Tensor& input,
                                                      const torch::Tensor& target)>;
using LossFunction = std::function<torch::Tensor(const torch::Tensor& input, const torch::Tensor& target)>;

/// The common case: an input, and a target that is prepared for it.
LossLayer comparison(LossNode node, TargetPreparation prepare, LossFunction function);

/// at::Reduction of the parameter `reduction`.
std::int64_t reductionOf(const Json& params);

/// `other` in the shape `wanted`, when both hold the same numbers in one meaning (trailing ones aside).
torch::Tensor reshapedFor(const LossNode& loss, const torch::Tensor& input, const torch::Tensor& other,
                          const std::vector<std::int64_t>& wanted);
/// Class indices as numbers. Numbers keep their precision: the input's may be lower under autocast.
torch::Tensor asNumbers(const torch::Tensor& target);
/// A target of the input's shape, as numbers.
torch::Tensor sameShape(const LossNode& loss, const torch::Tensor& input, const torch::Tensor& target);
/// The input's extents but for the classes.
std::vector<std::int64_t> withoutClasses(const torch::Tensor& input);
/// Class indices, as opposed to numbers.
bool isIndex(const torch::Tensor& target);

} // namespace athanor
