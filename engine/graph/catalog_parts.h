// Any thread. Inside engine/graph: what the catalog's families are written with.
#pragma once

#include "engine/graph/node_catalog.h"

namespace athanor {

// One function per family, each in its own layers_*.cpp or data_*.cpp.
std::vector<NodeKind> linearLayers();
std::vector<NodeKind> convolutionLayers();
std::vector<NodeKind> poolingLayers();
std::vector<NodeKind> normalizationLayers();
std::vector<NodeKind> activationLayers();
std::vector<NodeKind> dropoutLayers();
std::vector<NodeKind> shapeLayers();
std::vector<NodeKind> spatialLayers();
std::vector<NodeKind> combineLayers();
std::vector<NodeKind> embeddingLayers();
std::vector<NodeKind> recurrentLayers();
std::vector<NodeKind> attentionLayers();
std::vector<NodeKind> scriptLayers();
std::vector<NodeKind> groupKinds();
std::vector<NodeKind> lossLayers();
std::vector<NodeKind> dataSources();
std::vector<NodeKind> dataTableSources();
std::vector<NodeKind> dataFittedSteps();
std::vector<NodeKind> dataTransforms();
std::vector<NodeKind> dataFlow();

namespace part {

/// Ceiling of every whole number: products of two stay within 64 bits.
inline constexpr double kLargestInteger = 2147483647;

inline ParamSpec boolean(std::string name, bool standard, std::string help)
{
    return {.name = std::move(name), .type = ParamType::Bool, .standard = standard, .help = std::move(help)};
}
inline ParamSpec integer(std::string name, Json standard, std::string help,
                         std::optional<double> minimum = {})
{
    return {.name = std::move(name),
            .type = ParamType::Int,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = kLargestInteger};
}
inline ParamSpec real(std::string name, Json standard, std::string help, std::optional<double> minimum = {},
                      std::optional<double> maximum = {})
{
    return {.name = std::move(name),
            .type = ParamType::Real,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = maximum};
}
inline ParamSpec integers(std::string name, Json standard, std::string help, double minimum, int listSize)
{
    return {.name = std::move(name),
            .type = ParamType::IntOrList,
            .standard = std::move(standard),
            .help = std::move(help),
            .minimum = minimum,
            .maximum = kLargestInteger,
            .listSize = listSize};
}
inline ParamSpec choice(std::string name, std::vector<std::string> choices, std::string standard,
                        std::string help)
{
    return {.name = std::move(name),
            .type = ParamType::Choice,
            .standard = std::move(standard),
            .help = std::move(help),
            .choices = std::move(choices)};
}
inline ParamSpec file(std::string name, std::string help)
{
    return {.name = std::move(name), .type = ParamType::Path, .help = std::move(help), .required = true};
}
inline ParamSpec required(ParamSpec spec)
{
    spec.required = true;
    spec.standard = nullptr;
    return spec;
}
inline ParamSpec inferred(ParamSpec spec)
{
    spec.inferred = true;
    spec.standard = nullptr;
    return spec;
}
inline ParamSpec nullable(ParamSpec spec)
{
    spec.allowsNull = true;
    return spec;
}
inline ParamSpec positive(ParamSpec spec) ///< above zero
{
    spec.minimum = 0;
    spec.minimumExcluded = true;
    return spec;
}

/// Of a layer whose bias a parameter switches off.
inline std::vector<std::string> weightAndBias(const Json& params)
{
    const bool biased = params.value("bias", Json(true)) != false;
    return biased ? std::vector<std::string>{"weight", "bias"} : std::vector<std::string>{"weight"};
}

inline std::vector<PortSpec> oneInput()
{
    return {{"input"}};
}
inline std::vector<PortSpec> oneOutput()
{
    return {{"output"}};
}

} // namespace part
} // namespace athanor
