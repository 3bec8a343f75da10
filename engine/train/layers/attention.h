// Session thread. Inside engine/train: attention as PyTorch computes it, whatever the mode: without the fused path
// that torch.nn takes in evaluation, so that results do not depend on the mode.
#pragma once

#include <torch/torch.h>

#include <cstdint>

namespace athanor {

/// torch.nn.MultiheadAttention's settings.
struct AttentionOptions {
    std::int64_t features = 0; ///< embed_dim
    std::int64_t heads = 1;
    std::int64_t keyFeatures = 0;   ///< kdim
    std::int64_t valueFeatures = 0; ///< vdim
    double dropout = 0;
    bool bias = true;
    bool biasKeyValue = false;
    bool zeroAttention = false;
};

/// What may not be attended to.
struct AttentionMask {
    torch::Tensor validKeys; ///< N×S, 0 where a key is padding; undefined: all are valid
    bool causal = false;     ///< time step t sees keys up to t only
};

/// Parameters have PyTorch's names, and are drawn in PyTorch's order.
class Attention : public torch::nn::Module {
public:
    struct Result {
        torch::Tensor output;  ///< N×L×E
        torch::Tensor weights; ///< N×heads×L×S, after dropout, as PyTorch's
    };

    explicit Attention(const AttentionOptions& options);
    /// query N×L×E, key N×S×kdim, value N×S×vdim.
    Result forward(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                   const AttentionMask& mask);

private:
    struct Projected {
        torch::Tensor query, key, value; ///< L×N×E and S×N×E
    };
    void draw();
    Projected project(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value) const;
    torch::Tensor splitHeads(const torch::Tensor& sequence) const;
    torch::Tensor scoreOffsets(const AttentionMask& mask, const torch::Tensor& query,
                               const torch::Tensor& key) const;

    AttentionOptions m_options;
    torch::Tensor
        m_inWeight; // of query, key and value in one, where all have embed_dim features; else undefined
    torch::Tensor m_queryWeight, m_keyWeight, m_valueWeight;
    torch::Tensor m_inBias;
    torch::Tensor m_keyBias, m_valueBias;
    torch::nn::Linear m_out{nullptr};
};

} // namespace athanor
