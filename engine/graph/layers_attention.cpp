#include "engine/graph/catalog_parts.h"
#include "engine/graph/sequence_rules.h"

namespace athanor {
namespace {

using namespace part;

bool isUnpacked(Extent width, Extent keyFeatures, Extent valueFeatures)
{
    return keyFeatures != width || valueFeatures != width;
}

// Multiply-accumulates of one attention: projections, scores, mixing, output.
Extent attentionMacs(Extent width, SequenceShape query, SequenceShape key, Extent valueFeatures, Extent keys)
{
    return sum({product({2, query.steps, width, width}), product({key.steps, key.features, width}),
                product({key.steps, valueFeatures, width}), product({2, query.steps, keys, width})});
}

Extent attentionWeights(Extent width, Extent keyFeatures, Extent valueFeatures, bool biased)
{
    return sum({product({2, width, width}), product({keyFeatures, width}), product({valueFeatures, width}),
                biased ? product({4, width}) : 0});
}

void checkValues(ShapeRule& rule, const SequenceShape& key, const SequenceShape& value)
{
    if (key.steps >= 0 && value.steps >= 0 && key.steps != value.steps)
        rule.problem("value",
                     "there are " + std::to_string(key.steps) + " keys, but " + std::to_string(value.steps) +
                         " values",
                     "each value belongs to a key: both come from one sequence");
}

ShapeResult attentionRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    needBatchFirst(rule);
    const SequenceShape query = sequenceAt(rule, 0, "query");
    SequenceShape key = sequenceAt(rule, 1, "key");
    const SequenceShape value = sequenceAt(rule, 2, "value");
    checkValues(rule, key, value);
    if (key.steps < 0)
        key.steps = value.steps;
    checkMask(rule, 3, "key_padding_mask", key.steps);
    const Extent width = rule.infer("embed_dim", query.features, "features");
    key.features = rule.infer("kdim", key.features, "features at key");
    const Extent valueFeatures = rule.infer("vdim", value.features, "features at value");
    checkHeads(rule, "num_heads", width);
    const bool extraBias = rule.flag("add_bias_kv");
    const Extent keys = sum({key.steps, extraBias ? 1 : 0, rule.flag("add_zero_attn") ? 1 : 0});
    rule.setParameters(sum({attentionWeights(width, key.features, valueFeatures, rule.flag("bias")),
                            extraBias ? product({2, width}) : 0}));
    rule.setMacs(attentionMacs(width, query, key, valueFeatures, keys));
    rule.output({kBatch, query.steps, width});
    if (rule.flag("average_attn_weights"))
        rule.output({kBatch, query.steps, keys});
    else
        rule.output({kBatch, rule.at("num_heads"), query.steps, keys});
    return std::move(rule).finish();
}

Extent transformerWidth(ShapeRule& rule, const SequenceShape& input)
{
    const Extent width = rule.infer("d_model", input.features, "features");
    checkHeads(rule, "nhead", width);
    return width;
}

// Attentions with biases, the two linear layers, and a normalization behind each of them.
Extent transformerWeights(const ShapeRule& rule, Extent width, Extent attentions)
{
    const Extent hidden = rule.at("dim_feedforward");
    return sum({product({attentions, attentionWeights(width, width, width, true)}),
                product({2, width, hidden}), hidden, width, product({2, attentions + 1, width})});
}

Extent feedForwardMacs(const ShapeRule& rule, SequenceShape input, Extent width)
{
    return product({2, input.steps, width, rule.at("dim_feedforward")});
}

ShapeResult encoderRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    needBatchFirst(rule);
    SequenceShape source = sequenceAt(rule, 0, "src");
    checkMask(rule, 1, "src_key_padding_mask", source.steps);
    const Extent width = transformerWidth(rule, source);
    source.features = width;
    rule.setParameters(transformerWeights(rule, width, 1));
    rule.setMacs(sum(
        {attentionMacs(width, source, source, width, source.steps), feedForwardMacs(rule, source, width)}));
    rule.output({kBatch, source.steps, width});
    return std::move(rule).finish();
}

ShapeResult decoderRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    needBatchFirst(rule);
    SequenceShape target = sequenceAt(rule, 0, "tgt");
    SequenceShape memory = sequenceAt(rule, 1, "memory");
    checkMask(rule, 2, "tgt_key_padding_mask", target.steps);
    checkMask(rule, 3, "memory_key_padding_mask", memory.steps);
    const Extent width = transformerWidth(rule, target);
    if (width >= 0 && memory.features >= 0 && memory.features != width)
        rule.problem("memory",
                     "tgt has " + std::to_string(width) + " features, but memory has " +
                         std::to_string(memory.features),
                     "put a Linear between them that brings both to the same number");
    target.features = memory.features = width;
    rule.setParameters(transformerWeights(rule, width, 2));
    rule.setMacs(sum({attentionMacs(width, target, target, width, target.steps),
                      attentionMacs(width, target, memory, width, memory.steps),
                      feedForwardMacs(rule, target, width)}));
    rule.output({kBatch, target.steps, width});
    return std::move(rule).finish();
}

std::vector<std::string> attentionNames(const Json& params)
{
    const auto number = [&](const char* name, Extent otherwise) {
        const Json value = params.value(name, Json());
        return value.is_number_integer() ? value.get<Extent>() : otherwise;
    };
    const Extent width = number("embed_dim", kUnknown);
    const bool biased = params.value("bias", Json()) == true;
    std::vector<std::string> names{"in_proj_weight"};
    if (isUnpacked(width, number("kdim", width), number("vdim", width)))
        names = {"q_proj_weight", "k_proj_weight", "v_proj_weight"};
    if (biased)
        names.push_back("in_proj_bias");
    if (params.value("add_bias_kv", Json()) == true)
        names.insert(names.end(), {"bias_k", "bias_v"});
    names.push_back("out_proj.weight");
    if (biased)
        names.push_back("out_proj.bias");
    return names;
}

std::vector<std::string> transformerNames(const std::vector<std::string>& attentions)
{
    std::vector<std::string> names;
    for (const std::string& attention : attentions)
        for (const char* end : {".in_proj_weight", ".in_proj_bias", ".out_proj.weight", ".out_proj.bias"})
            names.push_back(attention + end);
    std::vector<std::string> modules{"linear1", "linear2"};
    for (std::size_t i = 0; i <= attentions.size(); ++i)
        modules.push_back("norm" + std::to_string(i + 1));
    for (const std::string& module : modules)
        names.insert(names.end(), {module + ".weight", module + ".bias"});
    return names;
}

ParamSpec batchFirst()
{
    return boolean("batch_first", false,
                   "True: sequences are N×T×features. The batch is the first axis of everything here, so it "
                   "must be true.");
}

ParamSpec attentionMask(const std::string& name, const std::string& what)
{
    return choice(name, {"none", "causal"}, "none",
                  what + " `causal`: each time step sees the steps up to its own only; `none`: all steps.");
}

PortSpec maskPort(const std::string& name)
{
    return {.name = name, .optional = true};
}

const char* const kMaskHelp =
    " N×T is 1 where a time step is valid and 0 where it is padding that nobody looks at: the field `mask` as "
    "the data yields it, and the opposite of PyTorch's, which is true at the padding. A sample without a "
    "valid step gives NaN, as in PyTorch.";

NodeKind attentionKind()
{
    return {
        .kind = "MultiheadAttention",
        .family = NodeFamily::Attention,
        .title = "Multi-head attention",
        .help =
            std::string(
                "softmax(Q·Kᵀ/√d)·V in num_heads heads of d = embed_dim/num_heads features each, with Q = "
                "query·W_q, K = key·W_k, V = value·W_v, and a last linear layer over all heads. For "
                "self-attention connect one sequence to all three ports.\n\nquery N×L×embed_dim, key "
                "N×S×kdim, value N×S×vdim → output N×L×embed_dim, weights N×L×S. `key_padding_mask`") +
            kMaskHelp +
            "\n\nVaswani et al., Attention Is All You Need, 2017, section 3.2.\n\nPyTorch: "
            "`torch.nn.MultiheadAttention`.",
        .inputs = {{"query"}, {"key"}, {"value"}, maskPort("key_padding_mask")},
        .outputs = {{"output"}, {"weights"}},
        .params =
            {inferred(integer("embed_dim", {},
                              "Features of the query and of the output; follows from the "
                              "query.",
                              1)),
             required(integer("num_heads", {}, "Attentions beside each other; must divide embed_dim.", 1)),
             real("dropout", 0.0, "Probability of dropping an attention weight in training, 0 to 1.", 0, 1),
             boolean("bias", true, "Adds learned numbers to the projections."),
             boolean("add_bias_kv", false, "Adds a learned key and value to every sequence."),
             boolean("add_zero_attn", false, "Adds a key and value of zeros: a place to look at nothing."),
             inferred(integer("kdim", {}, "Features of the key; follows from it.", 1)),
             inferred(integer("vdim", {}, "Features of the value; follows from it.", 1)), batchFirst(),
             attentionMask("attn_mask", "What a query may see."),
             boolean("average_attn_weights", true,
                     "The output `weights` is the mean over the heads; false: N×heads×L×S.")},
        .shapeRule = attentionRule,
        .stateNames = attentionNames};
}

std::vector<ParamSpec> transformerParams()
{
    return {
        inferred(integer("d_model", {}, "Features of the sequence; follows from the input.", 1)),
        required(integer("nhead", {}, "Heads of each attention; must divide the features.", 1)),
        integer("dim_feedforward", 2048, "Units between the two linear layers.", 1),
        real("dropout", 0.1,
             "Probability of dropping an element in training, in the attention and behind each step, 0 to 1.",
             0, 1),
        choice("activation", {"relu", "gelu"}, "relu", "Between the two linear layers."),
        positive(
            real("layer_norm_eps", 1e-5, "Added to the variance before the root, against division by zero.")),
        batchFirst(),
        boolean(
            "norm_first", false,
            "Normalizes before each step instead of behind it, which trains more steadily when layers are "
            "many.")};
}

NodeKind encoderKind()
{
    std::vector<ParamSpec> params = transformerParams();
    params.push_back(attentionMask("src_mask", "What the self-attention may see."));
    return {.kind = "TransformerEncoderLayer",
            .family = NodeFamily::Attention,
            .title = "Transformer encoder layer",
            .help = std::string(
                        "x = LayerNorm(x + SelfAttention(x)); x = LayerNorm(x + W₂·act(W₁·x + b₁) + b₂), "
                        "N×T×d_model → N×T×d_model. With norm_first x + SelfAttention(LayerNorm(x)), and so "
                        "on. `src_key_padding_mask`") +
                    kMaskHelp +
                    "\n\nVaswani et al., Attention Is All You Need, 2017.\n\nPyTorch: "
                    "`torch.nn.TransformerEncoderLayer`, computed alike in training and evaluation.",
            .inputs = {{"src"}, maskPort("src_key_padding_mask")},
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = encoderRule,
            .stateNames = [](const Json&) { return transformerNames({"self_attn"}); }};
}

NodeKind decoderKind()
{
    std::vector<ParamSpec> params = transformerParams();
    params.push_back(attentionMask("tgt_mask", "What the self-attention may see."));
    params.push_back(attentionMask("memory_mask", "What of the memory may be seen."));
    return {.kind = "TransformerDecoderLayer",
            .family = NodeFamily::Attention,
            .title = "Transformer decoder layer",
            .help = std::string(
                        "x = LayerNorm(x + SelfAttention(x)); x = LayerNorm(x + Attention(x, memory)); x = "
                        "LayerNorm(x + W₂·act(W₁·x + b₁) + b₂), for tgt N×T×d_model and the encoder's "
                        "memory N×S×d_model → N×T×d_model. With norm_first each LayerNorm comes before its "
                        "step. To predict the next step set tgt_mask to causal. `tgt_key_padding_mask` and "
                        "`memory_key_padding_mask`: each") +
                    kMaskHelp +
                    "\n\nVaswani et al., Attention Is All You Need, 2017.\n\nPyTorch: "
                    "`torch.nn.TransformerDecoderLayer`.",
            .inputs = {{"tgt"},
                       {"memory"},
                       maskPort("tgt_key_padding_mask"),
                       maskPort("memory_key_padding_mask")},
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = decoderRule,
            .stateNames = [](const Json&) {
                return transformerNames({"self_attn", "multihead_attn"});
            }};
}

} // namespace

std::vector<NodeKind> attentionLayers()
{
    return {attentionKind(), encoderKind(), decoderKind()};
}

} // namespace athanor
