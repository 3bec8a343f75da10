// Any thread. Inside engine/graph: what the catalog's transforms are written with.
#pragma once

#include "engine/graph/catalog_parts.h"

#include <utility>

namespace athanor {

// Transforms of images by theme, each in its own file.
std::vector<NodeKind> imageSizeTransforms();
std::vector<NodeKind> imageMoveTransforms();
std::vector<NodeKind> imageColourTransforms();

namespace part {

inline NodeKind transformKind(std::string kind, std::string title, std::string help, std::vector<ParamSpec> params,
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
inline ParamSpec reals(std::string name, Json standard, std::string help, std::optional<double> minimum = {},
                       std::optional<double> maximum = {}, int listSize = 0)
{
    return {.name = std::move(name),
            .type = ParamType::RealList,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum,
            .listSize = listSize};
}
inline ParamSpec probability(double standard)
{
    return real("p", standard, "Probability that it acts, 0 to 1.", 0, 1);
}
inline ParamSpec interpolation(const std::string& standard)
{
    return choice("interpolation", {"nearest", "bilinear", "bicubic"}, standard, "How pixels between pixels are made.");
}
inline ParamSpec fill()
{
    return reals("fill", Json::array({0.0}), "Value of what is outside the image: one for all channels, or one for each.");
}

} // namespace part
} // namespace athanor
