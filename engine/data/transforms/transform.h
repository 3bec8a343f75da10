// Any thread (immutable once made). One step that every sample's field goes through.
#pragma once

#include "engine/base/json.h"
#include "engine/data/dataset.h"
#include "engine/data/sample_random.h"

#include <memory>

namespace athanor {

/// Images are UInt8 H×W×C until ToTensor makes them Float32 C×H×W; NumpyFile's float images are C×H×W from
/// the start. Transforms of geometry work on both.
class Transform {
public:
    virtual ~Transform() = default;
    /// False: fields of that layout pass by unchanged, the step is left out.
    [[nodiscard]] virtual bool appliesTo(const FieldLayout&) const { return true; }
    /// What it makes of fields of that layout; an error (with message and hint, without place) when it
    /// cannot work on them.
    [[nodiscard]] virtual Result<FieldLayout> outputLayout(const FieldLayout& input) const = 0;
    /// `output` is another value than `input`, with memory to be reused.
    virtual Status apply(const Value& input, Value& output, SampleRandom& random) const = 0;
    /// The transform with what it takes from the field's layout; nullptr: it takes nothing from there.
    [[nodiscard]] virtual std::shared_ptr<const Transform> forField(const FieldLayout&) const { return nullptr; }
    /// True: it works on labels (Int64), not on what the network reads.
    [[nodiscard]] virtual bool isForLabels() const { return false; }
    /// True: what it does depends on the random numbers it is given.
    [[nodiscard]] virtual bool isRandom() const { return false; }
    /// True when each output number depends on the input number at its place and on its channel only.
    [[nodiscard]] virtual bool isElementwise() const { return false; }
};
/// Numbers that a random transform has drawn for one sample; empty: it does not act this time.
using Draws = std::vector<double>;

/// A transform whose draws can be looked at, or given.
class RandomTransform : public virtual Transform {
public:
    [[nodiscard]] bool isRandom() const final { return true; }
    /// The meaning of the numbers is the transform's own: those of torchvision's get_params, in its order.
    [[nodiscard]] virtual Draws draw(Element element, const std::vector<std::int64_t>& shape,
                                     SampleRandom& random) const = 0;
    virtual Status applyDrawn(const Value& input, const Draws& draws, Value& output) const = 0;
};
using TransformPtr = std::shared_ptr<const Transform>;

/// Makes a transform from its kind and complete parameters. Not those that must be fitted (isFitted). The error
/// has the parameter's name for its place.
Result<TransformPtr> makeTransform(const std::string& kind, const Json& params);

/// (x − mean) / std per channel of a Float32 field: axis 0 of images (C×H×W), the last axis otherwise. One
/// value serves all channels. A std of 0 divides by 1.
TransformPtr makeAffine(std::vector<float> mean, std::vector<float> std);
struct ValueRange {
    float least;
    float greatest;
};
/// The same, the results limited to a range; what is not a number stays.
TransformPtr makeAffine(std::vector<float> mean, std::vector<float> std, ValueRange limits);

/// The error of a transform of floats that is given bytes.
Error needsFloats(const FieldLayout& layout);

/// UInt8 → Float32, H×W×C → C×H×W, divided by `scale` (255 in ToTensor). Other fields stay as they are.
TransformPtr makeToFloat(float scale);

/// Replaces elementwise steps on a UInt8 field by one look-up per number, with the same results.
Result<TransformPtr> makeLookup(const FieldLayout& input, const std::vector<TransformPtr>& steps);

/// Whether samples of the field are images, as both forms above have them.
bool isImage(const FieldLayout& layout);

/// Where the channels of a field are.
struct Channels {
    std::int64_t count = 1;
    std::int64_t inner = 1; ///< numbers of one channel that follow each other
};
Channels channelsOf(Element element, const std::vector<std::int64_t>& shape);

// Families; makeTransform asks them in turn, each gives nullptr for a kind that is not its own.
Result<TransformPtr> makeElementwise(const std::string& kind, const Json& params);
Result<TransformPtr> makeCrop(const std::string& kind, const Json& params);
Result<TransformPtr> makeScaling(const std::string& kind, const Json& params);
Result<TransformPtr> makeWarp(const std::string& kind, const Json& params);
Result<TransformPtr> makeColour(const std::string& kind, const Json& params);
Result<TransformPtr> makeTone(const std::string& kind, const Json& params);
Result<TransformPtr> makeErasing(const std::string& kind, const Json& params);
Result<TransformPtr> makeRandAugment(const std::string& kind, const Json& params);
Result<TransformPtr> makeOneHot(const std::string& kind, const Json& params);
Result<TransformPtr> makeLambda(const std::string& kind, const Json& params);

} // namespace athanor
