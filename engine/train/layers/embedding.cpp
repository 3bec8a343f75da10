#include "engine/train/layers/layer.h"
#include "engine/script/torch_errors.h"

#include <torch/torch.h>

#include <spdlog/fmt/fmt.h>

#include <cmath>

namespace athanor {
namespace {

using torch::Tensor;

template <typename Options>
Options embeddingOptions(const Json& params)
{
    auto options = Options(intParam(params, "num_embeddings"), intParam(params, "embedding_dim"));
    const auto given = [&](const char* name) {
        const auto found = params.find(name);
        return found != params.end() && found->is_number();
    };
    if (given("padding_idx"))
        options.padding_idx(intParam(params, "padding_idx"));
    if (given("max_norm"))
        options.max_norm(realParam(params, "max_norm"));
    return options.norm_type(realParam(params, "norm_type", 2))
        .scale_grad_by_freq(flagParam(params, "scale_grad_by_freq"))
        .sparse(flagParam(params, "sparse"));
}

Layer makeEmbedding(const Json& params)
{
    const auto module = torch::nn::Embedding(embeddingOptions<torch::nn::EmbeddingOptions>(params)).ptr();
    return {module, [raw = module.get()](const Tensors& inputs) {
                return Tensors{raw->forward(inputs[0].to(torch::kLong))};
            }};
}

Layer makeBag(const Json& params)
{
    auto options = embeddingOptions<torch::nn::EmbeddingBagOptions>(params);
    const auto mode = textParam(params, "mode", "mean");
    if (mode == "sum")
        options.mode(torch::kSum);
    else if (mode == "max")
        options.mode(torch::kMax);
    const auto module = torch::nn::EmbeddingBag(options).ptr();
    if (options.padding_idx()) {
        torch::NoGradGuard noGrad;
        module->weight.select(0, *options.padding_idx()).zero_(); // as in Python; the C++ module leaves it
    }
    return {module, [raw = module.get()](const Tensors& inputs) {
                return Tensors{raw->forward(inputs[0].to(torch::kLong), {}, inputs[1])};
            }};
}

/// sin and cos of the position at wavelengths from 2π to 10000·2π, in the columns 0, 2, … and 1, 3, ….
Tensor waves(std::int64_t positions, std::int64_t features)
{
    const auto position = torch::arange(positions, torch::kDouble).unsqueeze(1);
    const auto even = torch::arange(0, features, 2, torch::kDouble);
    const auto angles = position * (even * (-std::log(10000.0) / static_cast<double>(features))).exp();
    const auto both = torch::stack({angles.sin(), angles.cos()}, 2).flatten(1);
    return both.narrow(1, 0, features).to(torch::kFloat).contiguous(); // an odd count has one sine more
}

/// x + p_t for the position t of each time step; p is a fixed table of waves, or learned.
class PositionalEncoding : public torch::nn::Module {
public:
    explicit PositionalEncoding(const Json& params) : m_dropout(realParam(params, "dropout", 0.1))
    {
        const auto positions = intParam(params, "max_len", 5000);
        const auto features = intParam(params, "d_model");
        if (textParam(params, "mode", "sinusoidal") == "learned")
            m_table = register_parameter("weight", torch::empty({positions, features}).normal_());
        else
            m_table = waves(positions, features);
    }

    Tensor forward(const Tensor& input)
    {
        if (input.size(1) > m_table.size(0))
            throw PlacedError(
                {ErrorCode::InvalidArgument,
                 fmt::format("A sequence has {} time steps, but there are positions for {} only.",
                             input.size(1), m_table.size(0)),
                 {},
                 "Raise max_len."});
        if (!m_table.requires_grad() && m_table.device() != input.device())
            m_table = m_table.to(input.device()); // the waves are no state, so nothing else moves them
        return torch::dropout(input + m_table.narrow(0, 0, input.size(1)), m_dropout, is_training());
    }

private:
    double m_dropout;
    Tensor m_table;
};

} // namespace

void addEmbeddingLayers(LayerTable& table)
{
    table["Embedding"] = makeEmbedding;
    table["EmbeddingBag"] = makeBag;
    table["PositionalEncoding"] = [](const Json& params) {
        const auto module = std::make_shared<PositionalEncoding>(params);
        return Layer{
            module, [raw = module.get()](const Tensors& inputs) { return Tensors{raw->forward(inputs[0])}; }};
    };
}

} // namespace athanor
