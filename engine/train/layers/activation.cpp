#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;

void addPlain(LayerTable& table, const char* kind, Tensor (*function)(const Tensor&))
{
    table[kind] = [function](const Json&) { return functionLayer(function); };
}

/// A function with one number as its setting.
void addWithNumber(LayerTable& table, const char* kind, const char* parameter, double standard,
                   Tensor (*function)(const Tensor&, double))
{
    table[kind] = [=](const Json& params) {
        return functionLayer([function, number = realParam(params, parameter, standard)](const Tensor& x) {
            return function(x, number);
        });
    };
}

void addRectifiers(LayerTable& table)
{
    addPlain(table, "ReLU", [](const Tensor& x) { return torch::relu(x); });
    addPlain(table, "ReLU6", [](const Tensor& x) { return torch::relu6(x); });
    addPlain(table, "SELU", [](const Tensor& x) { return torch::selu(x); });
    addPlain(table, "SiLU", [](const Tensor& x) { return torch::silu(x); });
    addPlain(table, "Mish", [](const Tensor& x) { return torch::mish(x); });
    addPlain(table, "Hardswish", [](const Tensor& x) { return torch::hardswish(x); });
    addWithNumber(table, "LeakyReLU", "negative_slope", 0.01,
                  [](const Tensor& x, double slope) { return torch::leaky_relu(x, slope); });
    addWithNumber(table, "ELU", "alpha", 1, [](const Tensor& x, double alpha) { return torch::elu(x, alpha); });
    addWithNumber(table, "CELU", "alpha", 1, [](const Tensor& x, double alpha) { return torch::celu(x, alpha); });
    table["GELU"] = [](const Json& params) {
        return functionLayer([how = textParam(params, "approximate", "none")](const Tensor& x) {
            return torch::gelu(x, how);
        });
    };
    table["Softplus"] = [](const Json& params) {
        return functionLayer([beta = realParam(params, "beta", 1), threshold = realParam(params, "threshold", 20)](
                                 const Tensor& x) { return torch::softplus(x, beta, threshold); });
    };
    table["PReLU"] = [](const Json& params) {
        return moduleLayer(torch::nn::PReLU(torch::nn::PReLUOptions()
                                                .num_parameters(intParam(params, "num_parameters", 1))
                                                .init(realParam(params, "init", 0.25))));
    };
}

void addSquashers(LayerTable& table)
{
    addPlain(table, "Sigmoid", [](const Tensor& x) { return torch::sigmoid(x); });
    addPlain(table, "Hardsigmoid", [](const Tensor& x) { return torch::hardsigmoid(x); });
    addPlain(table, "Tanh", [](const Tensor& x) { return torch::tanh(x); });
    addPlain(table, "Softsign", [](const Tensor& x) { return x / (x.abs() + 1); });
    table["Hardtanh"] = [](const Json& params) {
        return functionLayer([low = realParam(params, "min_val", -1), high = realParam(params, "max_val", 1)](
                                 const Tensor& x) { return torch::hardtanh(x, low, high); });
    };
    table["Softmax"] = [](const Json& params) {
        return functionLayer([dim = intParam(params, "dim", 1)](const Tensor& x) { return torch::softmax(x, dim); });
    };
    table["LogSoftmax"] = [](const Json& params) {
        return functionLayer([dim = intParam(params, "dim", 1)](const Tensor& x) { return torch::log_softmax(x, dim); });
    };
}

} // namespace

void addActivationLayers(LayerTable& table)
{
    addRectifiers(table);
    addSquashers(table);
}

} // namespace athanor
