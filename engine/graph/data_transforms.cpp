#include "engine/graph/transform_parts.h"

namespace athanor {
namespace {

using namespace part;

std::vector<NodeKind> valueTransforms()
{
    const auto perChannel = [](const char* name, const char* what) {
        return ParamSpec{.name = name,
                         .type = ParamType::RealList,
                         .help = std::string(what) + " of each channel (or one for all), as after ToTensor; null: "
                                                     "measured on the training part.",
                         .allowsNull = true};
    };
    return {
        transformKind("ToTensor", "To tensor",
                  "Images from 0–255 to 0–1.\n\nAs torchvision's `transforms.ToTensor`.", {}),
        transformKind("Normalize", "Normalize",
                  "(x − mean) / std, channel by channel, with the numbers that you give; those that are null are "
                  "measured on the training part.\n\nAs torchvision's `transforms.Normalize`.",
                  {perChannel("mean", "Mean"), positive(perChannel("std", "Standard deviation"))}),
        transformKind("Standardize", "Standardize",
                  "(x − mean) / std with mean and standard deviation measured on the training part only: per "
                  "column of a table, per channel of an image. A constant column is only centred.\n\nAs sklearn's "
                  "`StandardScaler`.",
                  {}),
        transformKind("MinMax", "Min-max scaling",
                  "low + (x − min) / (max − min) · (high − low), with the least and the greatest number of each "
                  "column (or channel) of the training part. A constant column becomes low.\n\nAs sklearn's "
                  "`MinMaxScaler`.",
                  {{.name = "feature_range",
                    .type = ParamType::RealList,
                    .standard = Json::array({0.0, 1.0}),
                    .help = "The lower and the upper end of the result.",
                    .listSize = 2},
                   boolean("clip", false, "Limits numbers beyond what the training part has to the range.")}),
        transformKind("Lambda", "Lambda in TorchScript",
                  "Whatever `forward` computes of a sample's tensor. An image is uint8 H×W×C with 0–255 before ToTensor and "
                  "float C×H×W behind it; a table's row is a vector. Random numbers (`torch.rand`, `torch.dropout`, …) depend "
                  "on the seed, the epoch and the sample only.\n\nAs torchvision's `transforms.Lambda`.",
                  {{.name = "source",
                    .type = ParamType::Source,
                    .standard = "def forward(self, x: Tensor) -> Tensor:\n    return x\n",
                    .help = "TorchScript with a function forward(self, x: Tensor) -> Tensor."},
                   choice("on", {"input", "label"}, "input", "Whether it works on what the network reads, or on the label.")}),
        transformKind("OneHot", "One-hot",
                  "The class number of the label as a vector that is 1 at its place and 0 elsewhere, for losses that "
                  "compare vectors.\n\nAs PyTorch's `functional.one_hot`, in floats.",
                  {integer("num_classes", -1, "Length of the vector; −1: as many classes as the label has.", -1)}),
    };
}

} // namespace

std::vector<NodeKind> dataTransforms()
{
    std::vector<NodeKind> kinds = valueTransforms();
    for (const auto family : {imageSizeTransforms, imageMoveTransforms, imageColourTransforms})
        for (NodeKind& kind : family())
            kinds.push_back(std::move(kind));
    return kinds;
}

} // namespace athanor
