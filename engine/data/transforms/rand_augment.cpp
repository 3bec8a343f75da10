// RandAugment (Cubuk, Zoph, Shlens, Le 2019) with torchvision's operations and magnitudes.
#include "engine/data/transforms/colour_ops.h"
#include "engine/data/transforms/image_transform.h"
#include "engine/data/transforms/warp.h"

#include <cmath>
#include <numbers>

namespace athanor {

namespace {

/// In torchvision's order.
enum Operation {
    kIdentity,
    kShearX,
    kShearY,
    kTranslateX,
    kTranslateY,
    kRotate,
    kBrightness,
    kColor,
    kContrast,
    kSharpness,
    kPosterize,
    kSolarize,
    kAutoContrast,
    kEqualize,
    kOperations
};

/// Draws: for each operation its number in the list above and its magnitude.
class RandAugment final : public RandomImageTransform {
public:
    struct Options {
        std::int64_t operations;
        std::int64_t magnitude;
        std::int64_t bins;
        Interpolation interpolation;
        std::vector<double> fill;
    };
    explicit RandAugment(Options options) : m_options(std::move(options)) {}

    Draws draw(Element element, const std::vector<std::int64_t>& shape, SampleRandom& random) const override
    {
        Draws draws;
        for (std::int64_t i = 0; i < m_options.operations; ++i) {
            const std::int64_t operation = random.below(kOperations);
            double magnitude = magnitudeOf(operation, sizeOfImage(element, shape));
            if (operation >= kShearX && operation <= kSharpness && random.below(2) == 1)
                magnitude = -magnitude;
            draws.push_back(static_cast<double>(operation));
            draws.push_back(magnitude);
        }
        return draws;
    }

    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        copyValue(input, output);
        Value from;
        for (std::size_t i = 0; i + 1 < draws.size(); i += 2) {
            std::swap(from, output);
            act(static_cast<int>(draws[i]), draws[i + 1], from, output);
        }
        return Done{};
    }

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override
    {
        if (std::optional<Error> error = unlessBytes(input))
            return error;
        if (std::optional<Error> error = unlessGrayOrColour(input))
            return error;
        return unlessFillFits(m_options.fill, input);
    }

private:
    [[nodiscard]] double magnitudeOf(std::int64_t operation, ImageSize size) const
    {
        const double share = static_cast<double>(m_options.magnitude) / static_cast<double>(m_options.bins - 1);
        switch (operation) {
        case kShearX:
        case kShearY:
            return 0.3 * share;
        case kTranslateX:
            return 150.0 / 331.0 * static_cast<double>(size.width) * share;
        case kTranslateY:
            return 150.0 / 331.0 * static_cast<double>(size.height) * share;
        case kRotate:
            return 30 * share;
        case kBrightness:
        case kColor:
        case kContrast:
        case kSharpness:
            return 0.9 * share;
        case kPosterize:
            return 8 - std::nearbyint(4 * share);
        case kSolarize:
            return 255 - 255 * share;
        default:
            return 0;
        }
    }

    void act(int operation, double magnitude, const Value& input, Value& output) const
    {
        switch (operation) {
        case kShearX:
        case kShearY:
        case kTranslateX:
        case kTranslateY:
        case kRotate:
            return move(operation, magnitude, input, output);
        case kBrightness:
            return adjustBrightness(input, 1 + magnitude, output);
        case kColor:
            return adjustSaturation(input, 1 + magnitude, output);
        case kContrast:
            return adjustContrast(input, 1 + magnitude, output);
        case kSharpness:
            return adjustSharpness(input, 1 + magnitude, output);
        case kPosterize:
            return posterizeImage(input, static_cast<int>(magnitude), output);
        case kSolarize:
            return solarizeImage(input, magnitude, output);
        case kAutoContrast:
            return autocontrastImage(input, output);
        case kEqualize:
            return equalizeImage(input, output);
        default:
            return copyValue(input, output);
        }
    }

    void move(int operation, double magnitude, const Value& input, Value& output) const
    {
        const ImageSize size = sizeOfImage(input.element(), input.shape());
        const double shear = std::atan(magnitude) * 180 / std::numbers::pi;
        AffineMove how;
        ImagePoint center; // torchvision shears from the upper left corner
        if (operation == kShearX)
            how.shearX = shear;
        else if (operation == kShearY)
            how.shearY = shear;
        else if (operation == kTranslateX)
            how.translateX = std::trunc(magnitude);
        else if (operation == kTranslateY)
            how.translateY = std::trunc(magnitude);
        else {
            how.angle = -magnitude;
            center = {static_cast<double>(size.width) / 2, static_cast<double>(size.height) / 2};
        }
        warpImage(input, inverseOf(how, center, size, size), size, m_options.interpolation,
                  fillOf(m_options.fill, channelsOfImage(input)), output);
    }

    Options m_options;
};

} // namespace

Result<TransformPtr> makeRandAugment(const std::string& kind, const Json& params)
{
    if (kind != "RandAugment")
        return TransformPtr();
    RandAugment::Options options{params.at("num_ops").get<std::int64_t>(), params.at("magnitude").get<std::int64_t>(),
                                 params.at("num_magnitude_bins").get<std::int64_t>(),
                                 interpolationNamed(params.at("interpolation").get<std::string>()),
                                 params.at("fill").is_null() ? std::vector<double>{0} : reals(params.at("fill"))};
    if (options.bins < 2 || options.magnitude < 0 || options.magnitude >= options.bins)
        return invalid("magnitude must be below num_magnitude_bins",
                       "With the " + std::to_string(options.bins) + " bins that there are it is at most " +
                           std::to_string(options.bins - 1),
                       "magnitude");
    return TransformPtr(std::make_shared<RandAugment>(std::move(options)));
}

} // namespace athanor
