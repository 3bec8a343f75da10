// Tones, sharpness and blur at random: torchvision's names, ranges and arithmetic.
#include "engine/data/transforms/blur.h"
#include "engine/data/transforms/colour_ops.h"
#include "engine/data/transforms/image_transform.h"

#include <functional>

namespace athanor {

namespace {

/// One operation of colour_ops.h, with probability p.
class RandomTone final : public OccasionalTransform {
public:
    using Operation = std::function<void(const Value&, Value&)>;
    using Check = std::function<std::optional<Error>(const FieldLayout&)>;
    RandomTone(double probability, Operation operation, Check check)
        : OccasionalTransform(probability), m_operation(std::move(operation)), m_check(std::move(check))
    {}

protected:
    [[nodiscard]] std::optional<Error> refusal(const FieldLayout& input) const override { return m_check(input); }
    void act(const Value& input, Value& output) const override { m_operation(input, output); }

private:
    Operation m_operation;
    Check m_check;
};

/// Draws: sigma.
class GaussianBlur final : public RandomImageTransform {
public:
    GaussianBlur(std::vector<std::int64_t> kernel, RealRange sigma) : m_kernel(std::move(kernel)), m_sigma(sigma) {}

    Draws draw(Element, const std::vector<std::int64_t>&, SampleRandom& random) const override
    {
        return {m_sigma.draw(random)};
    }
    Status applyDrawn(const Value& input, const Draws& draws, Value& output) const override
    {
        blurImage(input, {m_kernel.back(), m_kernel.front()}, draws[0], output);
        return Done{};
    }

private:
    std::vector<std::int64_t> m_kernel; // width and height, or one for both
    RealRange m_sigma;
};

Result<TransformPtr> makeGaussianBlur(const Json& params)
{
    const std::vector<std::int64_t> kernel = integers(params.at("kernel_size"));
    for (const std::int64_t length : kernel)
        if (length < 1 || length % 2 == 0)
            return invalid("kernel_size must be odd and above 0", "such as 3 or 5", "kernel_size");
    const std::vector<double> values = reals(params.at("sigma"));
    if (values.size() == 1 && values[0] > 0)
        return TransformPtr(std::make_shared<GaussianBlur>(kernel, RealRange{values[0], values[0]}));
    const Result<RealRange> sigma = readRange(params, "sigma", {1e-6, 1e6});
    if (!sigma)
        return sigma.error();
    return TransformPtr(std::make_shared<GaussianBlur>(kernel, *sigma));
}

std::optional<Error> anyChannels(const FieldLayout&)
{
    return std::nullopt;
}

} // namespace

Result<TransformPtr> makeTone(const std::string& kind, const Json& params)
{
    if (kind == "GaussianBlur")
        return makeGaussianBlur(params);
    const auto occasional = [&params](RandomTone::Operation operation, RandomTone::Check check) {
        return TransformPtr(
            std::make_shared<RandomTone>(params.at("p").get<double>(), std::move(operation), std::move(check)));
    };
    if (kind == "RandomInvert")
        return occasional(invertImage, anyChannels);
    if (kind == "RandomAutocontrast")
        return occasional(autocontrastImage, anyChannels);
    if (kind == "RandomEqualize")
        return occasional(equalizeImage, unlessBytes);
    if (kind == "RandomPosterize")
        return occasional([bits = params.at("bits").get<int>()](const Value& input,
                                                                Value& output) { posterizeImage(input, bits, output); },
                          unlessBytes);
    if (kind == "RandomAdjustSharpness")
        return occasional(
            [factor = params.at("sharpness_factor").get<double>()](const Value& input, Value& output) {
                adjustSharpness(input, factor, output);
            },
            anyChannels);
    if (kind != "RandomSolarize")
        return TransformPtr();
    const auto threshold = params.at("threshold").get<double>();
    return occasional(
        [threshold](const Value& input, Value& output) { solarizeImage(input, threshold, output); },
        [threshold](const FieldLayout& input) -> std::optional<Error> {
            if (input.element == Element::UInt8 || threshold <= 1)
                return std::nullopt;
            return invalid("A threshold above 1 is for bytes, but '" + input.name + "' holds floats of 0 to 1",
                           "Take a threshold of 0 to 1, or put it before ToTensor", "threshold");
        });
}

} // namespace athanor
