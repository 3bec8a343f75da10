#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {

void addLinearLayers(LayerTable& table)
{
    table["Linear"] = [](const Json& params) {
        return moduleLayer(torch::nn::Linear(
            torch::nn::LinearOptions(intParam(params, "in_features"), intParam(params, "out_features"))
                .bias(flagParam(params, "bias", true))));
    };
    table["Identity"] = [](const Json&) { return functionLayer([](const torch::Tensor& x) { return x; }); };
}

} // namespace athanor
