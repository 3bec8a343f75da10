#include "engine/graph/transform_parts.h"

namespace athanor {
namespace {

using namespace part;

ParamSpec degrees()
{
    return required(reals("degrees", nullptr, "Least and greatest angle in degrees; a single number is ± it."));
}

ParamSpec center()
{
    return nullable(reals("center", nullptr, "x and y of the point that stays, in pixels; null: the middle.", {}, {}, 2));
}

NodeKind randomRotation()
{
    return transformKind(
        "RandomRotation", "Random rotation",
        "Turns the image counter-clockwise by a random angle.\n\nAs torchvision's `transforms.RandomRotation`.",
        {degrees(), interpolation("nearest"),
         boolean("expand", false, "Makes the image as large as the turned one is, instead of cutting its corners."),
         center(), fill()},
        "train");
}

NodeKind randomAffine()
{
    return transformKind(
        "RandomAffine", "Random affine",
        "Turns, moves, scales and shears the image at random; the middle stays.\n\nAs torchvision's "
        "`transforms.RandomAffine`.",
        {degrees(),
         nullable(reals("translate", nullptr, "Greatest shift to each side, as shares of width and height.", 0, 1, 2)),
         nullable(positive(reals("scale", nullptr, "Least and greatest factor of the size.", {}, {}, 2))),
         nullable(reals("shear", nullptr,
                        "Angles in degrees: ± one along x; the least and greatest along x; or those along x and y.",
                        -89.9, 89.9)),
         interpolation("nearest"), fill(), center()},
        "train");
}

NodeKind randomPerspective()
{
    return transformKind("RandomPerspective", "Random perspective",
                     "Moves the four corners inwards at random, as if the picture were seen from aside.\n\nAs "
                     "torchvision's `transforms.RandomPerspective`.",
                     {real("distortion_scale", 0.5, "How far corners may move, as a share of half the image.", 0, 1),
                      probability(0.5), interpolation("bilinear"), fill()},
                     "train");
}

NodeKind randomErasing()
{
    return transformKind("RandomErasing", "Random erasing",
                     "Overwrites a part of random area, ratio and place; for images of floats, so behind ToTensor.\n\nAs "
                     "torchvision's `transforms.RandomErasing` (Zhong et al. 2017).",
                     {probability(0.5),
                      reals("scale", Json::array({0.02, 0.33}), "Least and greatest share of the image's area.", 0, 1, 2),
                      positive(reals("ratio", Json::array({0.3, 3.3}), "Least and greatest ratio of height to width.",
                                     {}, {}, 2)),
                      nullable(reals("value", Json::array({0.0}),
                                     "What is written: one number, or one per channel; null: noise of mean 0 and "
                                     "standard deviation 1 (torchvision's \"random\")."))},
                     "train");
}

} // namespace

std::vector<NodeKind> imageMoveTransforms()
{
    return {
        transformKind("RandomHorizontalFlip", "Random mirror",
                  "Swaps left and right with probability p.\n\nAs torchvision's `transforms.RandomHorizontalFlip`.",
                  {probability(0.5)}, "train"),
        transformKind("RandomVerticalFlip", "Random upside down",
                  "Swaps top and bottom with probability p.\n\nAs torchvision's `transforms.RandomVerticalFlip`.",
                  {probability(0.5)}, "train"),
        randomRotation(),
        randomAffine(),
        randomPerspective(),
        randomErasing(),
    };
}

} // namespace athanor
