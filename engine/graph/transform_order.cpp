#include "engine/graph/transform_order.h"

#include <algorithm>
#include <set>
#include <utility>

namespace athanor {
namespace {

using Kinds = std::set<std::string>;

bool isOf(const Kinds& kinds, const std::string& kind)
{
    return kinds.contains(kind);
}

const Kinds& kindsForAnything()
{
    static const Kinds kinds = {"Normalize", "Standardize", "MinMax", "OneHot", "Tokenize", "Impute", "Mixup",
                                "Lambda", "Collate"};
    return kinds;
}

/// They work on bytes only, as Pillow and torchvision do.
const Kinds& kindsForBytes()
{
    static const Kinds kinds = {"RandAugment", "RandomPosterize", "RandomEqualize"};
    return kinds;
}

/// On floats they take 0 for black and 1 for white.
const Kinds& kindsOfColour()
{
    static const Kinds kinds = {"ColorJitter",  "RandomAutocontrast", "RandomInvert",
                                "RandomSolarize", "RandomAdjustSharpness"};
    return kinds;
}

bool isRandom(const std::string& kind)
{
    return kind.starts_with("Random") || kind == "ColorJitter" || kind == "RandAugment" || kind == "GaussianBlur";
}

/// Random, and other numbers come out than went in.
bool changesValues(const std::string& kind)
{
    static const Kinds kUnchanged = {"RandomHorizontalFlip", "RandomVerticalFlip", "RandomCrop", "RandomResizedCrop"};
    return isRandom(kind) && !kUnchanged.contains(kind);
}

bool isMeasured(const std::string& kind, const Json& params)
{
    if (kind == "Normalize")
        return params.value("mean", Json()).is_null() || params.value("std", Json()).is_null();
    return kind == "Standardize" || kind == "MinMax" || kind == "Tokenize" || kind == "Impute";
}

std::int64_t integerAt(const Json& list, std::size_t index)
{
    const Json& value = list.is_array() ? list.at(std::min(index, list.size() - 1)) : list;
    return value.is_number_integer() ? value.get<std::int64_t>() : 0;
}

/// Whole numbers of a parameter; empty when it holds something else.
std::vector<std::int64_t> integersOf(const Json& params, const char* name)
{
    const Json value = params.value(name, Json());
    if (value.is_number_integer())
        return {value.get<std::int64_t>()};
    std::vector<std::int64_t> numbers;
    if (value.is_array())
        for (const Json& entry : value) {
            if (!entry.is_number_integer())
                return {};
            numbers.push_back(entry.get<std::int64_t>());
        }
    return numbers;
}

std::string sizeText(std::int64_t height, std::int64_t width)
{
    return std::to_string(height).append("×").append(std::to_string(width));
}

class OrderChecker {
public:
    OrderChecker(const std::string& kind, const Json& params, const SamplesKnown& input)
        : m_kind(kind), m_params(params), m_in(input), m_out(input)
    {}

    OrderCheck check()
    {
        if (!isOf(kindsForAnything(), m_kind) && !m_in.images) {
            error({}, m_kind + " works on images, but the data here are a table", "remove it");
            return {std::move(m_problems), m_out};
        }
        checkToTensor();
        checkScaling();
        checkColours();
        checkChannels();
        checkSizes();
        checkWhen();
        if (m_kind == "Lambda" && m_params.value("on", Json()) != "label") { // nobody knows what it makes
            m_out.channels = 0;
            setSize(0, 0);
        }
        if (changesValues(m_kind) && m_params.value("when", Json()) != "eval")
            m_out.altered = true;
        return {std::move(m_problems), m_out};
    }

private:
    void error(std::string parameter, std::string message, std::string hint)
    {
        m_problems.push_back({std::move(parameter), Severity::Error, std::move(message), std::move(hint)});
    }
    void warning(std::string parameter, std::string message, std::string hint)
    {
        m_problems.push_back({std::move(parameter), Severity::Warning, std::move(message), std::move(hint)});
    }

    void checkToTensor()
    {
        if (m_kind == "ToTensor") {
            if (m_in.scaled)
                error({}, "is a second ToTensor: the images would be scaled twice", "remove it");
            m_out.scaled = true;
            m_out.pixels = false;
        }
        if (isOf(kindsForBytes(), m_kind) && m_in.scaled)
            error({}, m_kind + " works on images of bytes, but stands behind ToTensor", "move it before ToTensor");
        if (m_kind == "RandomErasing" && m_in.pixels)
            error({}, "RandomErasing works on images of floats, but stands before ToTensor", "move it behind ToTensor");
    }

    void checkScaling()
    {
        const bool isScaling = m_kind == "Normalize" || m_kind == "Standardize" || m_kind == "MinMax";
        if (isScaling && m_in.pixels)
            error({}, "stands before ToTensor, where pixels still are 0 to 255", "move it behind ToTensor");
        if (isMeasured(m_kind, m_params) && !m_in.apart)
            error({}, "stands before the parts are told apart, but is measured on the training part only",
                  "move it behind the Split or Parts");
        if (!isScaling)
            return;
        if (isMeasured(m_kind, m_params) && m_in.altered)
            warning({}, "is measured on samples that random transforms have changed",
                    "move it before them, so that it sees the data as they are");
        if (m_in.normalized)
            warning({}, "normalises what is normalised already", "remove one of the two");
        m_out.normalized = true;
    }

    void checkColours()
    {
        if (isOf(kindsOfColour(), m_kind) && m_in.normalized)
            warning({}, m_kind + " takes 0 for black and 1 for white, but the images here are normalised",
                    "move it before the normalisation");
    }

    void checkChannels()
    {
        if (m_kind == "Grayscale")
            m_out.channels = std::max<std::int64_t>(0, integerAt(m_params.value("num_output_channels", Json()), 0));
        if (m_kind != "Normalize" || m_in.channels == 0)
            return;
        const Json mean = m_params.value("mean", Json());
        const Json std = m_params.value("std", Json());
        const Json& longer = mean.size() >= std.size() ? mean : std;
        const auto count = longer.is_array() ? static_cast<std::int64_t>(longer.size()) : 1;
        if (count == 1 || count == m_in.channels || (mean.is_array() && std.is_array() && mean.size() != std.size()))
            return;
        error(&longer == &mean ? "mean" : "std",
              std::to_string(count) + " entries, but the images have " + std::to_string(m_in.channels) +
                  (m_in.channels == 1 ? " channel" : " channels"),
              "one entry per channel, or one for all");
    }

    void checkSizes()
    {
        const std::vector<std::int64_t> size = integersOf(m_params, "size");
        if (m_kind == "RandomRotation" && m_params.value("expand", Json()) == true)
            setSize(0, 0);
        else if (m_kind == "Pad")
            grow(integersOf(m_params, "padding"));
        else if (size.empty() || size.size() > 2)
            return;
        else if (m_kind == "Resize")
            resize(size);
        else if (m_kind == "RandomCrop" || m_kind == "CenterCrop" || m_kind == "RandomResizedCrop") {
            if (m_kind == "RandomCrop")
                grow(integersOf(m_params, "padding"));
            if (m_kind != "RandomResizedCrop")
                compareCrop(size.front(), size.back());
            setSize(size.front(), size.back());
        }
    }

    void setSize(std::int64_t height, std::int64_t width)
    {
        m_out.height = height;
        m_out.width = width;
        m_out.shortest = std::min(height, width);
    }

    void resize(const std::vector<std::int64_t>& size)
    {
        if (size.size() == 2)
            return setSize(size[0], size[1]);
        const bool isKnown = m_in.height > 0 && m_in.width > 0;
        const bool isLimited = !m_params.value("max_size", Json()).is_null();
        if (!isKnown || isLimited)
            setSize(0, 0);
        else if (m_in.width <= m_in.height)
            setSize(size[0] * m_in.height / m_in.width, size[0]);
        else
            setSize(size[0], size[0] * m_in.width / m_in.height);
        if (!isLimited)
            m_out.shortest = size[0];
    }

    /// By 1, 2 or 4 numbers: left, top, right, bottom.
    void grow(const std::vector<std::int64_t>& padding)
    {
        if (padding.empty())
            return;
        if (padding.size() == 3 || padding.size() > 4)
            return setSize(0, 0);
        const std::int64_t left = padding[0];
        const std::int64_t top = padding[padding.size() > 1 ? 1 : 0];
        const std::int64_t sides = left + (padding.size() == 4 ? padding[2] : left);
        const std::int64_t ends = top + (padding.size() == 4 ? padding[3] : top);
        if (m_out.height > 0 && m_out.width > 0)
            return setSize(m_out.height + ends, m_out.width + sides);
        if (m_out.shortest > 0)
            m_out.shortest += std::max(sides, ends); // at most
    }

    void compareCrop(std::int64_t height, std::int64_t width)
    {
        const bool isKnown = m_out.height > 0 && m_out.width > 0;
        const bool fits = isKnown ? height <= m_out.height && width <= m_out.width
                                  : m_out.shortest == 0 || std::min(height, width) <= m_out.shortest;
        if (fits)
            return;
        const std::string left = isKnown ? "are " + sizeText(m_out.height, m_out.width)
                                         : "have a shorter edge of " + std::to_string(m_out.shortest);
        if (m_kind == "CenterCrop")
            warning("size", "pads with black: the crop is " + sizeText(height, width) + ", the images before it " + left,
                    "take a smaller size, or a larger one in the Resize before it");
        else if (m_params.value("pad_if_needed", Json()) != true)
            error("size", "a crop of " + sizeText(height, width) + " does not fit: the images before it " + left,
                  "take a smaller size, add padding, or set pad_if_needed");
    }

    void checkWhen()
    {
        const Json when = m_params.value("when", Json());
        if (!isRandom(m_kind) || when == "train" || !when.is_string())
            return;
        warning("when", "changes the validation and test parts at random, so that their figures are not comparable",
                "set when to \"train\"");
    }

    const std::string& m_kind;
    const Json& m_params;
    const SamplesKnown& m_in;
    SamplesKnown m_out;
    std::vector<OrderProblem> m_problems;
};

} // namespace

SamplesKnown joined(const SamplesKnown& a, const SamplesKnown& b)
{
    const auto same = [](std::int64_t x, std::int64_t y) { return x == y ? x : 0; };
    return {.apart = a.apart || b.apart,
            .images = a.images || b.images,
            .pixels = a.pixels || b.pixels,
            .scaled = a.scaled || b.scaled,
            .normalized = a.normalized || b.normalized,
            .altered = a.altered || b.altered,
            .channels = same(a.channels, b.channels),
            .height = same(a.height, b.height),
            .width = same(a.width, b.width),
            .shortest = same(a.shortest, b.shortest)};
}

SamplesKnown samplesOf(const std::string& source)
{
    const bool isCifar = source.starts_with("Cifar");
    const bool isFiles = source == "MnistIdx" || source.starts_with("Image") || isCifar;
    SamplesKnown known{.images = isFiles || source == "NumpyFile", .pixels = isFiles};
    if (source == "MnistIdx")
        known.channels = 1;
    if (isCifar) {
        known.channels = 3;
        known.height = known.width = known.shortest = 32;
    }
    return known;
}

OrderCheck checkTransformOrder(const std::string& kind, const Json& params, const SamplesKnown& input)
{
    return OrderChecker(kind, params, input).check();
}

} // namespace athanor
