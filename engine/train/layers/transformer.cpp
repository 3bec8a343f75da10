#include "engine/train/layers/attention.h"
#include "engine/train/layers/layer.h"

#include <torch/torch.h>

namespace athanor {
namespace {

using torch::Tensor;

struct TransformerOptions {
    std::int64_t features = 0; ///< d_model
    std::int64_t heads = 1;
    std::int64_t hidden = 2048; ///< dim_feedforward
    double dropout = 0.1;
    double epsilon = 1e-5; ///< layer_norm_eps
    bool gelu = false;
    bool normFirst = false;

    explicit TransformerOptions(const Json& params)
        : features(intParam(params, "d_model")), heads(intParam(params, "nhead", 1)),
          hidden(intParam(params, "dim_feedforward", 2048)), dropout(realParam(params, "dropout", 0.1)),
          epsilon(realParam(params, "layer_norm_eps", 1e-5)),
          gelu(textParam(params, "activation", "relu") == "gelu"), normFirst(flagParam(params, "norm_first"))
    {}

    [[nodiscard]] std::shared_ptr<Attention> attention() const
    {
        AttentionOptions options;
        options.features = options.keyFeatures = options.valueFeatures = features;
        options.heads = heads;
        options.dropout = dropout;
        return std::make_shared<Attention>(options);
    }
    [[nodiscard]] torch::nn::LayerNorm norm() const
    {
        return torch::nn::LayerNorm(torch::nn::LayerNormOptions({features}).eps(epsilon));
    }
};

/// What both layers are made of: steps around which the sequence flows on, each with its normalization.
class TransformerLayer : public torch::nn::Module {
protected:
    explicit TransformerLayer(const TransformerOptions& options) : m_options(options) {}

    std::shared_ptr<Attention> addAttention(const char* name)
    {
        return register_module(name, m_options.attention());
    }
    /// PyTorch's order of names and of random draws: behind the attentions, before the normalizations.
    void addFeedForward()
    {
        m_linear1 = register_module("linear1", torch::nn::Linear(m_options.features, m_options.hidden));
        m_linear2 = register_module("linear2", torch::nn::Linear(m_options.hidden, m_options.features));
    }
    torch::nn::LayerNorm addNorm(const char* name) { return register_module(name, m_options.norm()); }

    template <typename Step>
    Tensor around(const Tensor& x, torch::nn::LayerNorm& norm, Step step)
    {
        if (m_options.normFirst)
            return x + dropped(step(norm->forward(x)));
        return norm->forward(x + dropped(step(x)));
    }
    Tensor feedForward(const Tensor& x)
    {
        const auto inner = m_linear1->forward(x);
        return m_linear2->forward(dropped(m_options.gelu ? torch::gelu(inner) : torch::relu(inner)));
    }

private:
    Tensor dropped(const Tensor& x) { return torch::dropout(x, m_options.dropout, is_training()); }

    TransformerOptions m_options;
    torch::nn::Linear m_linear1{nullptr};
    torch::nn::Linear m_linear2{nullptr};
};

class EncoderLayer : public TransformerLayer {
public:
    explicit EncoderLayer(const TransformerOptions& options)
        : TransformerLayer(options), m_attention(addAttention("self_attn"))
    {
        addFeedForward();
        m_norm1 = addNorm("norm1");
        m_norm2 = addNorm("norm2");
    }

    Tensor forward(const Tensor& source, const AttentionMask& mask)
    {
        const auto attended = around(
            source, m_norm1, [&](const Tensor& x) { return m_attention->forward(x, x, x, mask).output; });
        return around(attended, m_norm2, [&](const Tensor& x) { return feedForward(x); });
    }

private:
    std::shared_ptr<Attention> m_attention;
    torch::nn::LayerNorm m_norm1{nullptr};
    torch::nn::LayerNorm m_norm2{nullptr};
};

class DecoderLayer : public TransformerLayer {
public:
    explicit DecoderLayer(const TransformerOptions& options)
        : TransformerLayer(options), m_selfAttention(addAttention("self_attn")),
          m_memoryAttention(addAttention("multihead_attn"))
    {
        addFeedForward();
        m_norm1 = addNorm("norm1");
        m_norm2 = addNorm("norm2");
        m_norm3 = addNorm("norm3");
    }

    Tensor forward(const Tensor& target, const Tensor& memory, const AttentionMask& targetMask,
                   const AttentionMask& memoryMask)
    {
        const auto own = around(target, m_norm1, [&](const Tensor& x) {
            return m_selfAttention->forward(x, x, x, targetMask).output;
        });
        const auto attended = around(own, m_norm2, [&](const Tensor& x) {
            return m_memoryAttention->forward(x, memory, memory, memoryMask).output;
        });
        return around(attended, m_norm3, [&](const Tensor& x) { return feedForward(x); });
    }

private:
    std::shared_ptr<Attention> m_selfAttention;
    std::shared_ptr<Attention> m_memoryAttention;
    torch::nn::LayerNorm m_norm1{nullptr};
    torch::nn::LayerNorm m_norm2{nullptr};
    torch::nn::LayerNorm m_norm3{nullptr};
};

bool isCausal(const Json& params, const char* name)
{
    return textParam(params, name) == "causal";
}

} // namespace

void addTransformerLayers(LayerTable& table)
{
    table["TransformerEncoderLayer"] = [](const Json& params) {
        const auto module = std::make_shared<EncoderLayer>(TransformerOptions(params));
        return Layer{module,
                     [raw = module.get(), causal = isCausal(params, "src_mask")](const Tensors& inputs) {
                         return Tensors{raw->forward(inputs[0], {inputs[1], causal})};
                     }};
    };
    table["TransformerDecoderLayer"] = [](const Json& params) {
        const auto module = std::make_shared<DecoderLayer>(TransformerOptions(params));
        return Layer{module, [raw = module.get(), causal = isCausal(params, "tgt_mask"),
                              memoryCausal = isCausal(params, "memory_mask")](const Tensors& inputs) {
                         return Tensors{raw->forward(inputs[0], inputs[1], {inputs[2], causal},
                                                     {inputs[3], memoryCausal})};
                     }};
    };
}

} // namespace athanor
