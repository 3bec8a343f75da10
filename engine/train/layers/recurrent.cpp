#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

template <typename Options>
Options recurrentOptions(const Json& params)
{
    return Options(intParam(params, "input_size"), intParam(params, "hidden_size"))
        .num_layers(intParam(params, "num_layers", 1))
        .bias(flagParam(params, "bias", true))
        .batch_first(flagParam(params, "batch_first"))
        .dropout(realParam(params, "dropout"))
        .bidirectional(flagParam(params, "bidirectional"));
}

/// The last layer's hidden state at the end of the sequence, both directions beside each other: N×(D·H) of
/// (layers·D)×N×H.
torch::Tensor lastState(const torch::Tensor& hidden, bool bidirectional)
{
    const auto layers = hidden.size(0);
    if (!bidirectional)
        return hidden[layers - 1];
    return torch::cat({hidden[layers - 2], hidden[layers - 1]}, 1);
}

template <typename Holder, typename Hidden>
Layer recurrentLayer(Holder module, bool bidirectional, Hidden hiddenOf)
{
    auto shared = module.ptr();
    return {shared, [raw = shared.get(), bidirectional, hiddenOf](const Tensors& inputs) {
                const auto [output, state] = raw->forward(inputs[0]);
                return Tensors{output, lastState(hiddenOf(state), bidirectional)};
            }};
}

torch::Tensor onlyState(const torch::Tensor& state)
{
    return state;
}

} // namespace

void addRecurrentLayers(LayerTable& table)
{
    table["RNN"] = [](const Json& params) {
        auto options = recurrentOptions<torch::nn::RNNOptions>(params);
        if (textParam(params, "nonlinearity", "tanh") == "relu")
            options.nonlinearity(torch::kReLU);
        return recurrentLayer(torch::nn::RNN(options), options.bidirectional(), onlyState);
    };
    table["LSTM"] = [](const Json& params) {
        auto options = recurrentOptions<torch::nn::LSTMOptions>(params);
        options.proj_size(intParam(params, "proj_size"));
        const auto hidden = [](const std::tuple<torch::Tensor, torch::Tensor>& state) { return std::get<0>(state); };
        return recurrentLayer(torch::nn::LSTM(options), options.bidirectional(), hidden);
    };
    table["GRU"] = [](const Json& params) {
        const auto options = recurrentOptions<torch::nn::GRUOptions>(params);
        return recurrentLayer(torch::nn::GRU(options), options.bidirectional(), onlyState);
    };
}

} // namespace athanor
