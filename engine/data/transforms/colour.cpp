#include "engine/data/image_io.h"
#include "engine/data/transforms/transform.h"

#include <algorithm>

namespace athanor {

namespace {

/// Brightness of colour images; bytes are rounded, floats are not. Grey images pass.
class Grayscale final : public Transform {
public:
    explicit Grayscale(std::int64_t channels) : m_channels(channels) {}

    Result<FieldLayout> outputLayout(const FieldLayout& input) const override
    {
        const std::int64_t channels = isImage(input) ? channelsOf(input.element, input.shape).count : 0;
        if (channels != 1 && channels != 3)
            return invalid("It works on images of 1 or 3 channels, but a sample of '" + input.name + "' is " +
                               shapeText(input.shape),
                           "Take it out");
        FieldLayout output = input;
        output.shape[input.element == Element::UInt8 ? 2 : 0] = m_channels;
        return output;
    }

    Status apply(const Value& input, Value& output, SampleRandom&) const override
    {
        std::vector<std::int64_t> shape = input.shape();
        shape[input.element() == Element::UInt8 ? 2 : 0] = m_channels;
        std::byte* out = output.write(input.element(), shape);
        const Channels channels = channelsOf(input.element(), input.shape());
        const std::int64_t pixels = input.count() / channels.count;
        if (input.element() == Element::UInt8)
            grayBytes(input.uint8(), channels.count, pixels, reinterpret_cast<std::uint8_t*>(out));
        else
            grayFloats(input.float32(), channels.count, pixels, reinterpret_cast<float*>(out));
        return Done{};
    }

private:
    void grayBytes(const std::uint8_t* in, std::int64_t channels, std::int64_t pixels,
                   std::uint8_t* out) const
    {
        for (std::int64_t pixel = 0; pixel < pixels; ++pixel, in += channels)
            out = std::fill_n(out, m_channels, channels == 3 ? grayLevel(in[0], in[1], in[2]) : in[0]);
    }

    void grayFloats(const float* in, std::int64_t channels, std::int64_t pixels, float* out) const
    {
        for (std::int64_t copy = 0; copy < m_channels; ++copy)
            for (std::int64_t i = 0; i < pixels; ++i)
                *out++ = channels == 3
                             ? 0.2989F * in[i] + 0.587F * in[pixels + i] + 0.114F * in[2 * pixels + i]
                             : in[i];
    }

    std::int64_t m_channels;
};

} // namespace

Result<TransformPtr> makeColour(const std::string& kind, const Json& params)
{
    if (kind != "Grayscale")
        return TransformPtr();
    const auto channels = params.at("num_output_channels").get<std::int64_t>();
    if (channels != 1 && channels != 3)
        return invalid("num_output_channels must be 1 or 3", {}, "num_output_channels");
    return TransformPtr(std::make_shared<Grayscale>(channels));
}

} // namespace athanor
