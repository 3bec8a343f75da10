#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

/// Folds an operation of two tensors over all inputs.
template <typename Operation>
LayerBuilder folding(Operation operation)
{
    return [operation](const Json&) {
        return Layer{nullptr, [operation](const Tensors& inputs) {
                         torch::Tensor result = inputs[0];
                         for (std::size_t i = 1; i < inputs.size(); ++i)
                             result = operation(result, inputs[i]);
                         return Tensors{result};
                     }};
    };
}

} // namespace

void addShapeLayers(LayerTable& table)
{
    table["Flatten"] = [](const Json& params) {
        return functionLayer([first = intParam(params, "start_dim", 1), last = intParam(params, "end_dim", -1)](
                                 const torch::Tensor& x) { return x.flatten(first, last); });
    };
    table["Dropout"] = [](const Json& params) {
        return moduleLayer(torch::nn::Dropout(torch::nn::DropoutOptions(realParam(params, "p", 0.5))));
    };
    table["Dropout2d"] = [](const Json& params) {
        return moduleLayer(torch::nn::Dropout2d(torch::nn::Dropout2dOptions(realParam(params, "p", 0.5))));
    };
    using torch::Tensor;
    table["Add"] = folding([](const Tensor& a, const Tensor& b) { return a + b; });
    table["Subtract"] = folding([](const Tensor& a, const Tensor& b) { return a - b; });
    table["Multiply"] = folding([](const Tensor& a, const Tensor& b) { return a * b; });
    table["Concat"] = [](const Json& params) {
        return Layer{nullptr, [dim = intParam(params, "dim", 1)](const Tensors& inputs) {
                         return Tensors{torch::cat(at::TensorList(inputs.data(), inputs.size()), dim)};
                     }};
    };
}

} // namespace athanor
