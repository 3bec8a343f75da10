// Session thread. Inside engine/train: how a node kind becomes something that runs.
#pragma once

#include "engine/base/json.h"
#include "engine/train/compiled_network.h"
#include "engine/train/kind_params.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace athanor {

/// A node's inputs in port order (a variadic port's in edge order, undefined at an optional port that nothing
/// enters), or its outputs in port order.
using Tensors = c10::SmallVector<torch::Tensor, 2>;

struct Layer {
    std::shared_ptr<torch::nn::Module> module; ///< registered under the node's id; null without state
    std::function<Tensors(const Tensors& inputs)> forward;
};

/// Makes the layer of complete parameters (defaults and inferred sizes filled in).
using LayerBuilder = std::function<Layer(const Json& params)>;
using LayerTable = std::map<std::string, LayerBuilder>;

/// Every kind but inputs and losses.
const LayerTable& layerTable();

// One per family, each in its own file.
void addLinearLayers(LayerTable& table);
void addConvolutionLayers(LayerTable& table);
void addPoolingLayers(LayerTable& table);
void addNormalizationLayers(LayerTable& table);
void addActivationLayers(LayerTable& table);
void addDropoutLayers(LayerTable& table);
void addShapeLayers(LayerTable& table);
void addSpatialLayers(LayerTable& table);
void addCombineLayers(LayerTable& table);
void addEmbeddingLayers(LayerTable& table);
void addRecurrentLayers(LayerTable& table);
void addScriptLayers(LayerTable& table);
void addAttentionLayers(LayerTable& table);
void addTransformerLayers(LayerTable& table);

/// A loss node: its description, and what it makes of its inputs. It brings a target to the type and shape that it
/// needs where that has one meaning, and throws a PlacedError that says both shapes otherwise: nothing is broadcast.
struct LossLayer {
    LossNode node;
    std::function<LossOutput(const Tensors& inputs)> forward;
    std::shared_ptr<torch::nn::Module> module = {}; ///< registered under the node's id; null without state
};
/// Unknown kinds throw a PlacedError.
LossLayer makeLoss(const NodeId& id, const std::string& kind, const Json& params);

// --- small tools of the families ---

/// A layer without state: `function` of its one input.
template <typename Function>
Layer functionLayer(Function function)
{
    return {nullptr, [function](const Tensors& inputs) { return Tensors{function(inputs[0])}; }};
}

/// A layer that is a torch module of one input.
template <typename Holder>
Layer moduleLayer(Holder module)
{
    auto shared = module.ptr();
    return {shared, [raw = shared.get()](const Tensors& inputs) { return Tensors{raw->forward(inputs[0])}; }};
}

/// `count` numbers of an int-or-list parameter; null gives an empty vector.
std::vector<std::int64_t> intsParam(const Json& params, const char* name, std::size_t count);
/// A list of numbers as a float tensor; undefined for null.
torch::Tensor tensorParam(const Json& params, const char* name);

} // namespace athanor
