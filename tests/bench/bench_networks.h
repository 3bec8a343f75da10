// Benches only. The networks that steps are measured on, as project JSON; python_loop.py has the same.
#pragma once

#include "engine/train/run_parts.h"

#include <torch/torch.h>

#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace athanor {

struct BenchLayer {
    std::string kind;
    Json params = Json::object();
};

struct BenchNetwork {
    std::string name;
    std::vector<std::int64_t> sample; ///< shape of one input
    std::int64_t batch = 0;
    std::vector<BenchLayer> layers; ///< in a line
    std::string sampleProject;      ///< instead of layers: the network and optimizer of a bundled sample
};

inline BenchNetwork mlpNetwork()
{
    return {"MLP 784-64-64-10, batch 32",
            {784},
            32,
            {{"Linear", {{"out_features", 64}}}, {"ReLU"}, {"Linear", {{"out_features", 64}}}, {"ReLU"},
             {"Linear", {{"out_features", 10}}}}};
}

inline BenchNetwork cnnNetwork()
{
    const auto convolution = [](int channels) {
        return BenchLayer{"Conv2d", {{"out_channels", channels}, {"kernel_size", 3}, {"padding", 1}}};
    };
    const BenchLayer pool{"MaxPool2d", {{"kernel_size", 2}}};
    return {"MNIST CNN, batch 64",
            {1, 28, 28},
            64,
            {convolution(32), {"BatchNorm2d"}, {"ReLU"}, pool, convolution(64), {"BatchNorm2d"},
             {"ReLU"}, pool, {"Flatten"}, {"Linear", {{"out_features", 128}}}, {"ReLU"},
             {"Linear", {{"out_features", 10}}}}};
}

/// torchvision's, with ten classes, on small pictures.
inline BenchNetwork resNetwork()
{
    return {"ResNet-18 on 32 x 32, batch 32", {3, 32, 32}, 32, {}, ATHANOR_SOURCE_DIR "/resources/samples/resnet-18.athanor"};
}

inline Project parsedProject(const Json& project)
{
    auto parsed = parseProject(project.dump());
    if (!parsed.ok())
        throw std::runtime_error(parsed.error().text());
    return std::move(parsed->project);
}

/// A project with this network, Adam and cross-entropy; its data part is empty.
inline Project benchProject(const BenchNetwork& network)
{
    const Json noData{{"nodes", Json::array()}, {"edges", Json::array()}};
    if (!network.sampleProject.empty()) {
        std::ifstream file(network.sampleProject);
        Json project = Json::parse(file);
        project["data"] = noData;
        return parsedProject(project);
    }
    Json nodes = Json::array({{{"id", "x"}, {"kind", "Input"}, {"params", {{"field", "image"}}}}});
    Json edges = Json::array();
    for (const auto& layer : network.layers) {
        const std::string id = "n" + std::to_string(nodes.size());
        edges.push_back(Json::array({nodes.back()["id"], id}));
        nodes.push_back({{"id", id}, {"kind", layer.kind}, {"params", layer.params}});
    }
    edges.push_back(Json::array({nodes.back()["id"], "loss:input"}));
    edges.push_back(Json::array({"y", "loss:target"}));
    nodes.push_back({{"id", "y"}, {"kind", "Input"}, {"params", {{"field", "label"}}}});
    nodes.push_back({{"id", "loss"}, {"kind", "CrossEntropyLoss"}});
    return parsedProject({{"athanor", 1},
                          {"name", network.name},
                          {"data", noData},
                          {"network", {{"nodes", nodes}, {"edges", edges}}},
                          {"training", {{"epochs", 1}, {"device", "cpu"}, {"optimizer", {{"kind", "Adam"}, {"lr", 0.001}}}}}});
}

inline FieldTypes benchFields(const BenchNetwork& network)
{
    FieldTypes fields;
    fields.known = true;
    TensorType image{{kBatch}};
    image.dims.insert(image.dims.end(), network.sample.begin(), network.sample.end());
    fields.fields["image"] = image;
    fields.fields["label"] = {{kBatch}, ElementType::Index, 10};
    return fields;
}

} // namespace athanor
