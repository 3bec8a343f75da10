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
    table["Bilinear"] = [](const Json& params) {
        const auto module =
            torch::nn::Bilinear(torch::nn::BilinearOptions(intParam(params, "in1_features"),
                                                           intParam(params, "in2_features"),
                                                           intParam(params, "out_features"))
                                    .bias(flagParam(params, "bias", true)))
                .ptr();
        return Layer{module, [raw = module.get()](const Tensors& inputs) {
                         return Tensors{raw->forward(inputs[0], inputs[1])};
                     }};
    };
    table["Identity"] = [](const Json&) { return functionLayer([](const torch::Tensor& x) { return x; }); };
}

} // namespace athanor
