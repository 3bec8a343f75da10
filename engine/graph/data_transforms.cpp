#include "engine/graph/catalog_parts.h"

namespace athanor {
namespace {

using namespace part;

NodeKind transform(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params,
                   const std::string& when = "always")
{
    params.push_back(choice("when", {"train", "eval", "always"}, when,
                            "In which passes it acts: train, eval (validation and test) or always."));
    return {.kind = std::move(kind),
            .family = NodeFamily::Transform,
            .title = std::move(title),
            .help = std::move(help),
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = std::move(params)};
}

ParamSpec reals(std::string name, std::string help)
{
    return required({.name = std::move(name), .type = ParamType::RealList, .help = std::move(help)});
}

std::vector<NodeKind> valueTransforms()
{
    ParamSpec deviation =
        positive(reals("std", "Standard deviation of each channel (or one for all), as after ToTensor."));
    return {
        transform("ToTensor", "To tensor",
                  "Images from 0–255 to 0–1.\n\nAs torchvision's `transforms.ToTensor`.", {}),
        transform("Normalize", "Normalize",
                  "(x − mean) / std, channel by channel, with numbers that you give.\n\nAs torchvision's "
                  "`transforms.Normalize`.",
                  {reals("mean", "Mean of each channel (or one for all), as after ToTensor."), deviation}),
        transform("Standardize", "Standardize",
                  "(x − mean) / std with mean and standard deviation measured on the training part only: per "
                  "column of a table, per channel of an image. A constant column is only centred.",
                  {}),
    };
}

std::vector<NodeKind> imageTransforms()
{
    ParamSpec grayChannels = integer("num_output_channels", 1, "1, or 3 equal channels.", 1);
    grayChannels.maximum = 3;
    return {
        transform("Resize", "Resize", "Scales the image.\n\nAs torchvision's `transforms.Resize`.",
                  {required(integers(
                       "size", {},
                       "Height and width in pixels; a single number is the shorter edge, the ratio is kept.",
                       1, 0)),
                   choice("interpolation", {"nearest", "bilinear", "bicubic"}, "bilinear",
                          "How pixels between pixels are made.")}),
        transform(
            "CenterCrop", "Centre crop",
            "Cuts the middle out; a smaller image is padded with zeros.\n\nAs torchvision's "
            "`transforms.CenterCrop`.",
            {required(integers("size", {}, "Height and width in pixels; a single number is both.", 1, 2))}),
        transform(
            "RandomCrop", "Random crop",
            "Pads the image and cuts a part out at a random place.\n\nAs torchvision's "
            "`transforms.RandomCrop`.",
            {required(integers("size", {}, "Height and width in pixels; a single number is both.", 1, 2)),
             nullable(integers(
                 "padding", nullptr,
                 "Pixels added on all sides; 2 numbers: left-right, top-bottom; 4: left, top, right, bottom.",
                 0, 0)),
             boolean("pad_if_needed", false,
                     "Pads an image that is smaller than the crop instead of refusing it."),
             real("fill", 0.0, "Value of the padding (padding_mode constant)."),
             choice("padding_mode", {"constant", "edge", "reflect", "symmetric"}, "constant",
                    "What the padding is filled with.")},
            "train"),
        transform(
            "RandomHorizontalFlip", "Random mirror",
            "Swaps left and right with probability p.\n\nAs torchvision's `transforms.RandomHorizontalFlip`.",
            {real("p", 0.5, "Probability, 0 to 1.", 0, 1)}, "train"),
        transform("Grayscale", "Grey values",
                  "0.2989·R + 0.587·G + 0.114·B.\n\nAs torchvision's `transforms.Grayscale`.",
                  {grayChannels}),
    };
}

} // namespace

std::vector<NodeKind> dataTransforms()
{
    std::vector<NodeKind> kinds = valueTransforms();
    std::vector<NodeKind> images = imageTransforms();
    for (NodeKind& kind : images)
        kinds.push_back(std::move(kind));
    return kinds;
}

} // namespace athanor
