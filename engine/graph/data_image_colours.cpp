#include "engine/graph/transform_parts.h"

namespace athanor {
namespace {

using namespace part;

NodeKind colorJitter()
{
    const auto strength = [](const char* name, const char* what) {
        return reals(name, Json::array({0.0}),
                     std::string("Changes the ") + what +
                         " by a factor between 1 − it and 1 + it; two numbers: the least and greatest factor.",
                     0);
    };
    ParamSpec hue = reals("hue", Json::array({0.0}),
                          "Turns the hue by up to ± it, as a share of the circle; two numbers: the least and greatest.",
                          -0.5, 0.5);
    return transformKind("ColorJitter", "Colour jitter",
                     "Changes brightness, contrast, saturation and hue at random, in a random order.\n\nAs torchvision's "
                     "`transforms.ColorJitter`.",
                     {strength("brightness", "brightness"), strength("contrast", "contrast"),
                      strength("saturation", "saturation"), std::move(hue)},
                     "train");
}

NodeKind gaussianBlur()
{
    return transformKind("GaussianBlur", "Gaussian blur",
                     "Convolves with exp(−x² / 2σ²), σ drawn at random; beyond the edge the image is mirrored.\n\nAs "
                     "torchvision's `transforms.GaussianBlur`.",
                     {required(integers("kernel_size", {}, "Width and height of the kernel in pixels, odd.", 1, 2)),
                      positive(reals("sigma", Json::array({0.1, 2.0}),
                                     "Least and greatest σ in pixels; a single number is fixed."))},
                     "train");
}

NodeKind randAugment()
{
    ParamSpec augmentFill = nullable(fill());
    augmentFill.standard = nullptr;
    augmentFill.help = "Value of what is outside the image: one for all channels, or one for each; null: 0.";
    return transformKind(
        "RandAugment", "RandAugment",
        "Applies num_ops operations, each drawn from fourteen: identity, shear and shift along x and y, rotation, "
        "brightness, colour, contrast, sharpness, posterize, solarize, autocontrast and equalize; for images of bytes, "
        "so before ToTensor.\n\nAs torchvision's `transforms.RandAugment` (Cubuk et al. 2019).",
        {integer("num_ops", 2, "How many operations follow each other.", 0),
         integer("magnitude", 9, "Strength of the operations, below num_magnitude_bins.", 0),
         integer("num_magnitude_bins", 31, "Number of strengths that there are.", 2), interpolation("nearest"),
         std::move(augmentFill)},
        "train");
}

NodeKind tone(std::string kind, std::string title, const std::string& help, std::vector<ParamSpec> params = {})
{
    std::string text = help;
    text.append("\n\nAs torchvision's `transforms.").append(kind).append("`.");
    params.push_back(probability(0.5));
    return transformKind(std::move(kind), std::move(title), std::move(text), std::move(params), "train");
}

std::vector<NodeKind> tones()
{
    ParamSpec bits = required(integer("bits", {}, "Bits that are kept, 0 to 8.", 0));
    bits.maximum = 8;
    return {
        tone("RandomAutocontrast", "Random autocontrast", "Stretches each channel to the whole range."),
        tone("RandomInvert", "Random inversion", "Makes the negative: 255 − x, or 1 − x of floats."),
        tone("RandomPosterize", "Random posterize",
             "Keeps the highest bits of each number only; for images of bytes, so before ToTensor.", {std::move(bits)}),
        tone("RandomSolarize", "Random solarize", "Inverts all numbers that are not below the threshold.",
             {required(real("threshold", {}, "0 to 255; 0 to 1 behind ToTensor.", 0, 255))}),
        tone("RandomEqualize", "Random equalize",
             "Makes all values of each channel equally frequent; for images of bytes, so before ToTensor."),
        tone("RandomAdjustSharpness", "Random sharpness",
             "Blends the image with its smoothed one: 0 smooth, 1 unchanged, 2 twice as sharp.",
             {required(real("sharpness_factor", {}, "0: smooth, 1: unchanged, above: sharper.", 0))}),
    };
}

} // namespace

std::vector<NodeKind> imageColourTransforms()
{
    ParamSpec grayChannels = integer("num_output_channels", 1, "1, or 3 equal channels.", 1);
    grayChannels.maximum = 3;
    std::vector<NodeKind> kinds = {
        transformKind("Grayscale", "Grey values",
                  "0.2989·R + 0.587·G + 0.114·B.\n\nAs torchvision's `transforms.Grayscale`.", {grayChannels}),
        transformKind("RandomGrayscale", "Random grey values",
                  "Grey values in all channels, with probability p.\n\nAs torchvision's `transforms.RandomGrayscale`.",
                  {probability(0.1)}, "train"),
        colorJitter(),
        gaussianBlur(),
        randAugment(),
    };
    for (NodeKind& kind : tones())
        kinds.push_back(std::move(kind));
    return kinds;
}

} // namespace athanor
