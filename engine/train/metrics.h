// Session thread. accuracy, f1, mae, mse, rmse, r2 of what entered a loss.
#pragma once

#include "engine/train/compiled_network.h"

#include <memory>
#include <string>

namespace athanor {

/// Collects batches and says the metric over all of them, as if they had been one.
class Metric {
public:
    virtual ~Metric() = default;
    virtual void add(const LossOutput& output) = 0;
    /// Double scalar on the device of what was added; NaN before anything was.
    [[nodiscard]] virtual torch::Tensor value() const = 0;
    virtual void reset() = 0;
};

/// A metric for a loss: accuracy and f1 (macro mean over the classes that occur, as scikit-learn's) for
/// classes, the highest score being the prediction, or score > 0 (probability > 0.5) with one output; mae,
/// mse, rmse and r2 (mean over the columns) for values. nullptr when the two do not go together.
std::unique_ptr<Metric> makeMetric(const std::string& name, const LossNode& loss);

/// Cheap enough for every training step: all but f1 and r2, which say little of one batch.
bool isStepMetric(const std::string& name);

} // namespace athanor
