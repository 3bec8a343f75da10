#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {

void addDropoutLayers(LayerTable& table)
{
    table["Dropout"] = [](const Json& params) {
        return moduleLayer(torch::nn::Dropout(torch::nn::DropoutOptions(realParam(params, "p", 0.5))));
    };
    table["Dropout2d"] = [](const Json& params) {
        return moduleLayer(torch::nn::Dropout2d(torch::nn::Dropout2dOptions(realParam(params, "p", 0.5))));
    };
    table["AlphaDropout"] = [](const Json& params) {
        return moduleLayer(torch::nn::AlphaDropout(torch::nn::AlphaDropoutOptions(realParam(params, "p", 0.5))));
    };
}

} // namespace athanor
