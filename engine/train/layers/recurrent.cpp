#include "engine/train/layers/layer.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

namespace athanor {
namespace {

using torch::Tensor;

template <typename Options>
Options recurrentOptions(const Json& params)
{
    return Options(intParam(params, "input_size"), intParam(params, "hidden_size"))
        .num_layers(intParam(params, "num_layers", 1))
        .bias(flagParam(params, "bias", true))
        .batch_first(true)
        .dropout(realParam(params, "dropout"))
        .bidirectional(flagParam(params, "bidirectional"));
}

/// The last layer's state at the end of the sequence, both directions beside each other: N×(D·H) of
/// (layers·D)×N×H.
Tensor lastLayer(const Tensor& state, bool bidirectional)
{
    const auto layers = state.size(0);
    if (!bidirectional)
        return state[layers - 1];
    return torch::cat({state[layers - 2], state[layers - 1]}, 1);
}

/// Valid time steps per sample of a mask N×T, in the processor's memory as packing wants them. Throws a PlacedError
/// for a sequence without any, and for padding that is not at the end.
Tensor lengthsOf(const Tensor& mask, const Tensor& input)
{
    if (mask.dim() != 2 || mask.size(0) != input.size(0) || mask.size(1) != input.size(1))
        throw PlacedError(
            {ErrorCode::InvalidArgument, fmt::format("The mask must have one number per time step, {} x {}.",
                                                     input.size(0), input.size(1))});
    const auto valid = mask.ne(0);
    const auto lengths = valid.sum(1);
    const auto places = torch::arange(mask.size(1), lengths.options());
    const auto orderly = places.lt(lengths.unsqueeze(1)).eq(valid).all(1).logical_and(lengths.gt(0));
    if (!orderly.all().item<bool>()) {
        const auto sample = orderly.logical_not().nonzero()[0].item<std::int64_t>();
        throw PlacedError(
            {ErrorCode::InvalidArgument,
             fmt::format("The mask of sample {} of the batch is not a sequence followed by padding.", sample),
             {},
             "A mask holds ones for at least one time step, then zeros for the padding."});
    }
    return lengths.cpu();
}

template <typename Module>
auto runMasked(Module& module, const Tensor& input, const Tensor& lengths)
{
    namespace rnn = torch::nn::utils::rnn;
    const auto packed = rnn::pack_padded_sequence(input, lengths, true, false);
    auto [output, state] = module.forward_with_packed_input(packed);
    auto padded = rnn::pad_packed_sequence(output, true, 0.0, input.size(1));
    return std::make_tuple(std::get<0>(padded), state);
}

Tensors portsOf(const Tensor& output, const Tensor& hidden, bool bidirectional)
{
    return {output, lastLayer(hidden, bidirectional)};
}
Tensors portsOf(const Tensor& output, const std::tuple<Tensor, Tensor>& state, bool bidirectional)
{
    return {output, lastLayer(std::get<0>(state), bidirectional),
            lastLayer(std::get<1>(state), bidirectional)};
}

template <typename Holder>
Layer recurrentLayer(Holder holder)
{
    auto shared = holder.ptr();
    return {shared, [raw = shared.get()](const Tensors& inputs) {
                const Tensor& input = inputs[0];
                const Tensor& mask = inputs[1];
                const auto [output, state] =
                    mask.defined() ? runMasked(*raw, input, lengthsOf(mask, input)) : raw->forward(input);
                return portsOf(output, state, raw->options_base.bidirectional());
            }};
}

} // namespace

void addRecurrentLayers(LayerTable& table)
{
    table["RNN"] = [](const Json& params) {
        auto options = recurrentOptions<torch::nn::RNNOptions>(params);
        if (textParam(params, "nonlinearity", "tanh") == "relu")
            options.nonlinearity(torch::kReLU);
        return recurrentLayer(torch::nn::RNN(options));
    };
    table["LSTM"] = [](const Json& params) {
        auto options = recurrentOptions<torch::nn::LSTMOptions>(params);
        options.proj_size(intParam(params, "proj_size"));
        return recurrentLayer(torch::nn::LSTM(options));
    };
    table["GRU"] = [](const Json& params) {
        return recurrentLayer(torch::nn::GRU(recurrentOptions<torch::nn::GRUOptions>(params)));
    };
}

} // namespace athanor
