#include "engine/graph/transform_parts.h"

namespace athanor {
namespace {

using namespace part;

ParamSpec cropSize()
{
    return required(integers("size", {}, "Height and width in pixels; a single number is both.", 1, 2));
}

ParamSpec padding()
{
    return integers("padding", nullptr,
                    "Pixels added on all sides; 2 numbers: left-right, top-bottom; 4: left, top, right, bottom.", 0, 0);
}

ParamSpec paddingMode()
{
    return choice("padding_mode", {"constant", "edge", "reflect", "symmetric"}, "constant",
                  "What the padding is filled with.");
}

ParamSpec antialias()
{
    return nullable({.name = "antialias",
                     .type = ParamType::Bool,
                     .help = "Whether images of floats are smoothed when they shrink; null: no. Images of bytes always "
                             "are."});
}

NodeKind resize()
{
    return transformKind(
        "Resize", "Resize",
        "Scales the image.\n\nImages of bytes as Pillow does it, floats as PyTorch's `interpolate`.\n\nAs "
        "torchvision's `transforms.Resize`.",
        {required(integers("size", {},
                           "Height and width in pixels; a single number is the shorter edge, the ratio is kept.", 1, 0)),
         interpolation("bilinear"),
         nullable(integer("max_size", nullptr,
                          "Limit of the longer edge in pixels, where size is a single number; null: none.", 1)),
         antialias()});
}

NodeKind randomResizedCrop()
{
    return transformKind("RandomResizedCrop", "Random part",
                     "Cuts out a part of random area, ratio and place, and scales it to the size. When ten tries find "
                     "no part that fits, the middle is taken.\n\nAs torchvision's `transforms.RandomResizedCrop` "
                     "(Szegedy et al. 2014).",
                     {cropSize(),
                      reals("scale", Json::array({0.08, 1.0}), "Least and greatest share of the image's area.", 0, 1, 2),
                      positive(reals("ratio", Json::array({3.0 / 4, 4.0 / 3}),
                                     "Least and greatest ratio of width to height.", {}, {}, 2)),
                      interpolation("bilinear"), antialias()},
                     "train");
}

} // namespace

std::vector<NodeKind> imageSizeTransforms()
{
    return {
        resize(),
        transformKind("CenterCrop", "Centre crop",
                  "Cuts the middle out; a smaller image is padded with zeros.\n\nAs torchvision's "
                  "`transforms.CenterCrop`.",
                  {cropSize()}),
        transformKind("RandomCrop", "Random crop",
                  "Pads the image and cuts a part out at a random place.\n\nAs torchvision's `transforms.RandomCrop`.",
                  {cropSize(), nullable(padding()),
                   boolean("pad_if_needed", false,
                           "Pads an image that is smaller than the crop instead of refusing it."),
                   fill(), paddingMode()},
                  "train"),
        randomResizedCrop(),
        transformKind("Pad", "Pad", "Adds a border.\n\nAs torchvision's `transforms.Pad`.",
                  {required(padding()), fill(), paddingMode()}),
    };
}

} // namespace athanor
