// Session thread. Inside engine/train: what the metrics of classes share, and the families that metrics.cpp knows.
#pragma once

#include "engine/train/metrics.h"

#include <memory>
#include <string>

namespace athanor {

/// Class indices that a loss input stands for.
torch::Tensor predictedClasses(const LossNode& loss, const torch::Tensor& input);
torch::Tensor trueClasses(const LossNode& loss, const torch::Tensor& target);

/// What is counted of a batch, as rows in the processor's memory.
struct ClassRows {
    torch::Tensor scores; ///< float M×C: probabilities; of a binary loss M, the probability of class 1
    torch::Tensor truth;  ///< int64 M
};
ClassRows classRows(const LossNode& loss, const LossOutput& output);

/// Number of classes of a loss input.
std::int64_t classesOf(const LossNode& loss, const torch::Tensor& input);

/// NaN: nothing was added.
torch::Tensor noValue();

// The families; nullptr for a name of another one.
std::unique_ptr<Metric> makeCountMetric(const std::string& name, const LossNode& loss);
std::unique_ptr<Metric> makeRankMetric(const std::string& name, const LossNode& loss);

} // namespace athanor
