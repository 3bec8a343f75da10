// Any thread (immutable once made). Steps that act on a whole batch of the training part, in the worker that made it.
#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/data/sample_random.h"

#include <cstdint>
#include <memory>
#include <string>

namespace athanor {

struct DataBatch;

/// Mixup and CutMix: the batch is mixed with itself moved on by one sample, as torchvision's reference training code
/// does it.
class BatchTransform {
public:
    virtual ~BatchTransform() = default;
    /// `label` is already N×C class probabilities, float32.
    virtual void apply(DataBatch& batch, SampleRandom& random) const = 0;
};
using BatchTransformPtr = std::shared_ptr<const BatchTransform>;

/// Whether a kind of node acts on batches.
[[nodiscard]] bool isBatchKind(const std::string& kind);
/// From complete parameters; nullptr for a kind that does not act on batches.
[[nodiscard]] BatchTransformPtr makeBatchTransform(const std::string& kind, const Json& params);

/// Turns the class indices of `label` into one-hot rows, float32. Fails on an index out of range.
Status labelsToProbabilities(DataBatch& batch, std::int64_t classes);

/// Beta(a, a), by two gamma numbers (Marsaglia and Tsang 2000).
double drawBeta(double a, SampleRandom& random);

/// Where CutMix cuts a rectangle whose share of the image is about 1 − lambda, with its middle drawn anywhere, cut off
/// at the edges.
struct CutBox {
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t right = 0;  ///< one past
    std::int64_t bottom = 0; ///< one past
};
CutBox cutBox(double lambda, std::int64_t middleX, std::int64_t middleY, std::int64_t width, std::int64_t height);

} // namespace athanor
