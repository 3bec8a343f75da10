// Any thread (immutable once made). What the transforms of images are written with.
#pragma once

#include "engine/data/transforms/resize.h"
#include "engine/data/transforms/transform.h"

#include <optional>

namespace athanor {

/// The error of a transform of images that is given something else.
Error noImage(const FieldLayout& layout);
/// Nothing when the image has 1 or 3 channels.
std::optional<Error> unlessGrayOrColour(const FieldLayout& layout);
/// Nothing when the image is of bytes, which the transform is defined for (as torchvision's).
std::optional<Error> unlessBytes(const FieldLayout& layout);

[[nodiscard]] std::int64_t channelsOfImage(const Value& image);

void copyValue(const Value& input, Value& output);

/// A base for transforms that change height and width in a way that follows from the input's size. Extents
/// may be kVaries.
class ImageTransform : public virtual Transform {
public:
    Result<FieldLayout> outputLayout(const FieldLayout& input) const override;

protected:
    [[nodiscard]] virtual Result<ImageSize> outputSize(ImageSize input) const { return input; }
    /// Whether it works on images of that layout; their size and element are fine.
    [[nodiscard]] virtual std::optional<Error> refusal(const FieldLayout&) const { return std::nullopt; }
};

/// A base for random transforms of images: first all numbers are drawn, then they act.
class RandomImageTransform : public ImageTransform, public RandomTransform {
public:
    Status apply(const Value& input, Value& output, SampleRandom& random) const final
    {
        return applyDrawn(input, draw(input.element(), input.shape(), random), output);
    }
};

/// A base for those that act with probability p, and whose action then depends on nothing more.
class OccasionalTransform : public RandomImageTransform {
public:
    explicit OccasionalTransform(double probability) : m_probability(probability) {}

    Draws draw(Element, const std::vector<std::int64_t>&, SampleRandom& random) const final
    {
        return random.uniform() < m_probability ? Draws{1} : Draws{};
    }
    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const final
    {
        if (draws.empty())
            copyValue(input, output);
        else
            act(input, output);
        return Done{};
    }

protected:
    virtual void act(const Value& input, Value& output) const = 0;

private:
    double m_probability;
};

// --- parameters ---

struct RealRange {
    double low = 0;
    double high = 0;
    [[nodiscard]] double draw(SampleRandom& random) const { return low + (high - low) * random.uniform(); }
};
std::vector<double> reals(const Json& value);           ///< a number or a list
std::vector<std::int64_t> integers(const Json& value);  ///< a number or a list
ImageSize imageSize(const Json& value);                 ///< height and width, or one number for both
/// Two numbers, the lower one first, within `limits`.
Result<RealRange> readRange(const Json& params, const char* name, RealRange limits);
Interpolation interpolationNamed(const std::string& name);
/// A fill value for each of `channels`; an error when there are neither one nor that many.
std::vector<float> fillOf(const std::vector<double>& fill, std::int64_t channels);
std::optional<Error> unlessFillFits(const std::vector<double>& fill, const FieldLayout& layout);

} // namespace athanor
