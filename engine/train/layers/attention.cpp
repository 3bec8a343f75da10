#include "engine/train/layers/attention.h"

#include "engine/train/layers/layer.h"
#include "engine/script/torch_errors.h"

#include <cmath>
#include <limits>

namespace athanor {

using torch::Tensor;

Attention::Attention(const AttentionOptions& options) : m_options(options)
{
    const auto width = options.features;
    if (options.keyFeatures == width && options.valueFeatures == width) {
        m_inWeight = register_parameter("in_proj_weight", torch::empty({3 * width, width}));
    } else {
        m_queryWeight = register_parameter("q_proj_weight", torch::empty({width, width}));
        m_keyWeight = register_parameter("k_proj_weight", torch::empty({width, options.keyFeatures}));
        m_valueWeight = register_parameter("v_proj_weight", torch::empty({width, options.valueFeatures}));
    }
    if (options.bias)
        m_inBias = register_parameter("in_proj_bias", torch::empty({3 * width}));
    m_out = register_module("out_proj",
                            torch::nn::Linear(torch::nn::LinearOptions(width, width).bias(options.bias)));
    if (options.biasKeyValue) {
        m_keyBias = register_parameter("bias_k", torch::empty({1, 1, width}));
        m_valueBias = register_parameter("bias_v", torch::empty({1, 1, width}));
    }
    draw();
}

void Attention::draw()
{
    for (const Tensor& weight : {m_inWeight, m_queryWeight, m_keyWeight, m_valueWeight})
        if (weight.defined())
            torch::nn::init::xavier_uniform_(weight);
    torch::NoGradGuard noGrad;
    if (m_inBias.defined()) {
        m_inBias.zero_();
        m_out->bias.zero_();
    }
    for (const Tensor& bias : {m_keyBias, m_valueBias})
        if (bias.defined())
            torch::nn::init::xavier_normal_(bias);
}

Attention::Projected Attention::project(const Tensor& query, const Tensor& key, const Tensor& value) const
{
    const bool oneWeight = m_inWeight.defined();
    if (oneWeight && query.is_same(key) && key.is_same(value)) {
        const auto all = torch::linear(query.transpose(0, 1), m_inWeight, m_inBias).chunk(3, -1);
        return {all[0], all[1], all[2]};
    }
    const auto weights =
        oneWeight ? m_inWeight.chunk(3) : std::vector{m_queryWeight, m_keyWeight, m_valueWeight};
    const auto biases = m_inBias.defined() ? m_inBias.chunk(3) : std::vector<Tensor>(3);
    return {torch::linear(query.transpose(0, 1), weights[0], biases[0]),
            torch::linear(key.transpose(0, 1), weights[1], biases[1]),
            torch::linear(value.transpose(0, 1), weights[2], biases[2])};
}

/// L×N×E as (N·heads)×L×(E/heads).
Tensor Attention::splitHeads(const Tensor& sequence) const
{
    const auto heads = sequence.size(1) * m_options.heads;
    return sequence.contiguous().view({sequence.size(0), heads, -1}).transpose(0, 1);
}

/// What is added to the scores of split `query` and `key`: −∞ where nothing may be seen. Undefined when all may.
Tensor Attention::scoreOffsets(const AttentionMask& mask, const Tensor& query, const Tensor& key) const
{
    const auto steps = query.size(1);
    const auto added = (m_options.biasKeyValue ? 1 : 0) + (m_options.zeroAttention ? 1 : 0); // always visible
    const auto keys = key.size(1) - added;
    Tensor hidden;
    if (mask.causal)
        hidden = torch::ones({steps, keys}, query.options().dtype(torch::kBool)).triu(1).unsqueeze(0);
    if (mask.validKeys.defined()) {
        if (mask.validKeys.dim() != 2 || mask.validKeys.size(1) != keys)
            throw PlacedError({ErrorCode::InvalidArgument, "The mask must have one number per key."});
        const auto padding = mask.validKeys.eq(0).repeat_interleave(m_options.heads, 0).unsqueeze(1);
        hidden = hidden.defined() ? hidden.logical_or(padding) : padding;
    }
    if (!hidden.defined())
        return {};
    if (added > 0)
        hidden = torch::constant_pad_nd(hidden, {0, added});
    const auto nothing = torch::zeros(hidden.sizes(), query.options());
    return nothing.masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

Attention::Result Attention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const AttentionMask& mask)
{
    const auto samples = query.size(0), steps = query.size(1);
    auto [q, k, v] = project(query, key, value);
    if (m_keyBias.defined()) {
        k = torch::cat({k, m_keyBias.expand({1, samples, -1})});
        v = torch::cat({v, m_valueBias.expand({1, samples, -1})});
    }
    q = splitHeads(q);
    k = splitHeads(k);
    v = splitHeads(v);
    if (m_options.zeroAttention) {
        const auto zero = torch::zeros({k.size(0), 1, k.size(2)}, k.options());
        k = torch::cat({k, zero}, 1);
        v = torch::cat({v, zero}, 1);
    }
    const auto scaled = q / std::sqrt(static_cast<double>(q.size(2)));
    const auto offsets = scoreOffsets(mask, q, k);
    const auto turned = k.transpose(1, 2);
    const auto scores =
        offsets.defined() ? torch::baddbmm(offsets, scaled, turned) : torch::bmm(scaled, turned);
    const auto weights = torch::dropout(scores.softmax(-1), m_options.dropout, is_training());
    const auto mixed =
        torch::bmm(weights, v).transpose(0, 1).contiguous().view({steps, samples, m_options.features});
    return {m_out->forward(mixed).transpose(0, 1),
            weights.view({samples, m_options.heads, steps, k.size(1)})};
}

namespace {

Layer makeAttention(const Json& params)
{
    AttentionOptions options;
    options.features = intParam(params, "embed_dim");
    options.heads = intParam(params, "num_heads", 1);
    options.keyFeatures = intParam(params, "kdim", options.features);
    options.valueFeatures = intParam(params, "vdim", options.features);
    options.dropout = realParam(params, "dropout");
    options.bias = flagParam(params, "bias", true);
    options.biasKeyValue = flagParam(params, "add_bias_kv");
    options.zeroAttention = flagParam(params, "add_zero_attn");
    const auto module = std::make_shared<Attention>(options);
    return {module, [raw = module.get(), causal = textParam(params, "attn_mask") == "causal",
                     averaged = flagParam(params, "average_attn_weights", true)](const Tensors& inputs) {
                const auto result = raw->forward(inputs[0], inputs[1], inputs[2], {inputs[3], causal});
                return Tensors{result.output, averaged ? result.weights.mean(1) : result.weights};
            }};
}

} // namespace

void addAttentionLayers(LayerTable& table)
{
    table["MultiheadAttention"] = makeAttention;
}

} // namespace athanor
