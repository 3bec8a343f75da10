// Session thread. Metrics of what entered a loss; their families are in metrics/.
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
    /// Double scalar on the device of what was added; NaN before anything was. Undefined of one that is no number.
    [[nodiscard]] virtual torch::Tensor value() const = 0;
    virtual void reset() = 0;
    /// What one that is no number says: a confusion matrix.
    [[nodiscard]] virtual std::string report() const { return {}; }
};

/// A metric for a loss, by the names of metricNames() and with torchmetrics' definitions. Of classes, the highest score is
/// the prediction, or score > 0 (probability > 0.5) with one output, which then is class 1; what a loss ignores does not
/// count. precision, recall, f1, iou and dice are means over the classes that occur, or those of class 1 of a binary loss.
/// Of values, r2 is the mean over the columns. nullptr when the two do not go together.
std::unique_ptr<Metric> makeMetric(const std::string& name, const LossNode& loss);

/// Cheap enough for every training step, and telling something of one batch.
bool isStepMetric(const std::string& name);

} // namespace athanor
