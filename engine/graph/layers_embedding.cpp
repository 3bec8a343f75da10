#include "engine/graph/catalog_parts.h"
#include "engine/graph/sequence_rules.h"

namespace athanor {
namespace {

using namespace part;

void needIndices(ShapeRule& rule, const char* wanted)
{
    if (rule.input() && rule.input()->type != ElementType::Index)
        rule.problem({}, std::string("takes ") + wanted + ", but gets numbers (" + rule.input()->text() + ")",
                     "connect the field with the tokens or categories");
}

// What was written, or what the data tells. kUnknown, with a problem when the input is there, when neither does.
Extent rowsOf(ShapeRule& rule)
{
    const Extent written = rule.at("num_embeddings");
    const auto& input = rule.input();
    const Extent told = input && input->classes > 0 ? input->classes : kUnknown;
    if (written < 0 && told < 0 && input && input->type == ElementType::Index)
        rule.problem("num_embeddings", "the data does not tell how many indices there are",
                     "write num_embeddings: one more than the largest index");
    if (written >= 0 && told > written)
        rule.problem("num_embeddings",
                     "num_embeddings is " + std::to_string(written) + ", but the data has " +
                         std::to_string(told) + " indices",
                     "leave it out: it follows from the data");
    if (rule.flag("sparse") && rule.flag("scale_grad_by_freq"))
        rule.problem("scale_grad_by_freq", "sparse gradients cannot be scaled by frequency",
                     "set either sparse or scale_grad_by_freq");
    const Extent rows = written >= 0 ? written : told;
    const Extent padding = rule.at("padding_idx");
    if (rows >= 0 && !rule.isNull("padding_idx") && (padding >= rows || padding < -rows))
        rule.problem("padding_idx",
                     "padding_idx is " + std::to_string(padding) + ", but there are only " +
                         std::to_string(rows) + " rows",
                     "use 0 to " + std::to_string(rows - 1) +
                         ", or a negative number that counts from the end");
    return rows;
}

ShapeResult finishTable(ShapeRule rule, Extent rows, std::optional<TensorType> output)
{
    rule.setParameters(product({rows, rule.at("embedding_dim")}));
    rule.output(std::move(output));
    ShapeResult result = std::move(rule).finish();
    if (rows >= 0)
        result.inferred["num_embeddings"] = rows;
    return result;
}

ShapeResult embeddingRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    needIndices(rule, "indices N×…");
    const Extent rows = rowsOf(rule);
    if (!rule.input())
        return finishTable(std::move(rule), rows, std::nullopt);
    TensorType output{rule.input()->dims};
    output.dims.push_back(rule.at("embedding_dim"));
    return finishTable(std::move(rule), rows, std::move(output));
}

void checkSampleWeights(ShapeRule& rule)
{
    const auto& weights = rule.input(1);
    if (!weights)
        return;
    if (rule.text("mode") != "sum")
        rule.problem("mode", "weights for each index go with the mode sum only", "set mode to sum");
    if (weights->type == ElementType::Index)
        rule.problem("per_sample_weights",
                     "per_sample_weights takes numbers, but gets indices (" + weights->text() + ")",
                     "connect a field of numbers");
    else if (rule.input() && rule.input()->rank() == 2 &&
             (weights->rank() != 2 || (weights->dims[1] >= 0 && rule.input()->dims[1] >= 0 &&
                                       weights->dims[1] != rule.input()->dims[1])))
        rule.problem("per_sample_weights",
                     "the indices are " + rule.input()->text() + ", but per_sample_weights is " +
                         weights->text(),
                     "one weight for each index");
}

ShapeResult bagRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    needIndices(rule, "indices N×S");
    if (rule.input() && rule.input()->rank() != 2)
        rule.problem({}, "takes indices N×S, but gets " + rule.input()->text(),
                     "one bag of indices per sample");
    checkSampleWeights(rule);
    if (rule.flag("scale_grad_by_freq") && rule.text("mode") == "max")
        rule.problem("scale_grad_by_freq", "the mode max cannot scale gradients by frequency",
                     "leave it out, or use mean or sum");
    if (rule.flag("sparse") && rule.text("mode") == "max")
        rule.problem("sparse", "the mode max has no sparse gradients", "leave it out, or use mean or sum");
    const Extent rows = rowsOf(rule);
    TensorType output{{kBatch, rule.at("embedding_dim")}};
    return finishTable(std::move(rule), rows, std::move(output));
}

ShapeResult positionsRule(const ShapeContext& context)
{
    ShapeRule rule(context);
    const SequenceShape input = sequenceAt(rule, 0, "input");
    const Extent features = rule.infer("d_model", input.features, "features");
    const Extent longest = rule.at("max_len");
    if (input.steps >= 0 && longest >= 0 && input.steps > longest)
        rule.problem("max_len",
                     "sequences have " + std::to_string(input.steps) + " time steps, but max_len is " +
                         std::to_string(longest),
                     "raise max_len");
    if (rule.text("mode") == "learned")
        rule.setParameters(product({longest, features}));
    rule.output({kBatch, input.steps, features});
    return std::move(rule).finish();
}

std::vector<ParamSpec> tableParams()
{
    return {
        inferred(integer("num_embeddings", {},
                         "Rows of the table: how many different indices there are; follows from the data "
                         "where that tells.",
                         1)),
        required(integer("embedding_dim", {}, "Length of the vector that stands for an index.", 1)),
        nullable(integer("padding_idx", {},
                         "Index of padding: its vector starts at zero and learns nothing. A negative number "
                         "counts from the end; null: there is none.")),
        nullable(
            positive(real("max_norm", {},
                          "Vectors that are longer are shortened to this length when they are used; null: "
                          "none is."))),
        positive(real("norm_type", 2.0, "Order of the norm for max_norm; 2: Euclidean length.")),
        boolean("scale_grad_by_freq", false,
                "Divides the gradient of a vector by how often its index occurs in the batch."),
        boolean(
            "sparse", false,
            "The backward pass touches only the rows that occurred: faster with a large table. The optimizer "
            "still steps every row.")};
}

std::vector<std::string> onlyWeight(const Json& /*params*/)
{
    return {"weight"};
}

NodeKind embeddingKind()
{
    return {.kind = "Embedding",
            .family = NodeFamily::Embedding,
            .title = "Embedding table",
            .help = "y = W[x]: looks up a learned vector for each index; N×… → N×…×embedding_dim. Weight "
                    "num_embeddings×embedding_dim, drawn from the normal distribution with deviation 1 "
                    "(Bengio et al., A Neural Probabilistic Language Model, 2003).\n\nPyTorch: "
                    "`torch.nn.Embedding`.",
            .inputs = oneInput(),
            .outputs = oneOutput(),
            .params = tableParams(),
            .shapeRule = embeddingRule,
            .stateNames = onlyWeight};
}

NodeKind bagKind()
{
    std::vector<ParamSpec> params = tableParams();
    params.push_back(choice("mode", {"mean", "sum", "max"}, "mean", "How the vectors of a bag become one."));
    return {.kind = "EmbeddingBag",
            .family = NodeFamily::Embedding,
            .title = "Embedding of bags",
            .help =
                "y = mean, sum or max of W[x_i] over the indices of a sample, N×S → N×embedding_dim, without "
                "keeping the single vectors. The padding index does not count. `per_sample_weights` N×S "
                "weighs each index of a sum (Joulin et al., Bag of Tricks for Efficient Text "
                "Classification, 2017).\n\nPyTorch: `torch.nn.EmbeddingBag`.",
            .inputs = {{"input"}, {.name = "per_sample_weights", .optional = true}},
            .outputs = oneOutput(),
            .params = std::move(params),
            .shapeRule = bagRule,
            .stateNames = onlyWeight};
}

NodeKind positionsKind()
{
    return {
        .kind = "PositionalEncoding",
        .family = NodeFamily::Embedding,
        .title = "Positional encoding",
        .help =
            "y_t = x_t + p_t, so that what follows can tell the positions t = 0, 1, … of a sequence apart; "
            "N×T×d_model stays.\n\n`sinusoidal`: p_{t,2i} = sin(t / 10000^{2i/d_model}), p_{t,2i+1} = cos(t "
            "/ 10000^{2i/d_model}), fixed and without state. `learned`: one vector per position, drawn as "
            "`torch.nn.Embedding(max_len, d_model)` draws them; state `weight`. In training a dropout "
            "follows.\n\nVaswani et al., Attention Is All You Need, 2017, section 3.5.",
        .inputs = oneInput(),
        .outputs = oneOutput(),
        .params = {inferred(integer("d_model", {}, "Features of one time step; follows from the input.", 1)),
                   choice("mode", {"sinusoidal", "learned"}, "sinusoidal",
                          "Where the positions' vectors come from."),
                   integer("max_len", 5000, "Longest sequence, in time steps.", 1),
                   real("dropout", 0.1, "Probability of dropping an element of the sum in training, 0 to 1.",
                        0, 1)},
        .shapeRule = positionsRule,
        .stateNames = [](const Json& params) {
            return params.value("mode", Json()) == "learned" ? onlyWeight(params)
                                                             : std::vector<std::string>{};
        }};
}

} // namespace

std::vector<NodeKind> embeddingLayers()
{
    return {embeddingKind(), bagKind(), positionsKind()};
}

} // namespace athanor
