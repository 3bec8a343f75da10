// Shape rules of layers over sequences: what is inferred, what is refused and with which advice.
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

TensorType tokens(std::int64_t vocabulary, Extent steps = kUnknown)
{
    return classIndices(vocabulary, {steps});
}

/// One node, its ports fed by fields of these types.
GraphCheck checkOne(const char* kind, const Json& params,
                    const std::vector<std::pair<std::string, TensorType>>& ports)
{
    std::vector<Node> nodes{node("layer", kind, params)};
    std::vector<std::string> edges;
    FieldTypes fields{{}, true};
    for (const auto& [port, type] : ports) {
        nodes.push_back(node(port, "Input", {{"field", port}}));
        edges.push_back(port + " -> layer:" + port);
        fields.fields[port] = type;
    }
    return checkNetwork(graphOf(std::move(nodes), edges), fields);
}

/// "where: message" lines of the layer's errors.
std::string errorsOf(const GraphCheck& check)
{
    std::string text;
    for (const Problem& problem : check.problems)
        if (problem.severity == Severity::Error && problem.where != "network")
            text += problem.where + ": " + problem.message + "\n";
    return text;
}

} // namespace

class SequenceCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void embeddingsFollowFromTheData();
    void lengthsMayBeUnknown();
    void attentionNamesItsWeights();
    void adviceFitsTheMistake();
    void lossesNameTheirPorts();
};

void SequenceCheck::embeddingsFollowFromTheData()
{
    const GraphCheck told = checkOne("Embedding", {{"embedding_dim", 8}}, {{"input", tokens(12)}});
    QCOMPARE(errorsOf(told), std::string());
    QVERIFY(told.nodes.at("layer").params["num_embeddings"] == 12);
    QCOMPARE(told.nodes.at("layer").parameters, std::int64_t(96));
    QCOMPARE(told.nodes.at("layer").outputs[0]->text(), std::string("N×?×8"));

    const auto written = [](std::int64_t rows, std::int64_t vocabulary) {
        return errorsOf(checkOne("Embedding", {{"embedding_dim", 8}, {"num_embeddings", rows}},
                                 {{"input", tokens(vocabulary)}}));
    };
    QCOMPARE(written(20, 12), std::string()); // room for tokens that this data does not have
    QCOMPARE(written(20, 0), std::string());
    QCOMPARE(written(10, 12),
             std::string("network/layer/num_embeddings: num_embeddings is 10, but the data has "
                         "12 indices\n"));
    QCOMPARE(
        errorsOf(checkOne("Embedding", {{"embedding_dim", 8}}, {{"input", tokens(0)}})),
        std::string("network/layer/num_embeddings: the data does not tell how many indices there are\n"));
}

void SequenceCheck::lengthsMayBeUnknown()
{
    const GraphCheck encoder =
        checkOne("TransformerEncoderLayer", {{"nhead", 2}, {"dim_feedforward", 16}, {"batch_first", true}},
                 {{"src", floats({kUnknown, 8})}, {"src_key_padding_mask", tokens(2)}});
    QCOMPARE(errorsOf(encoder), std::string());
    QCOMPARE(encoder.nodes.at("layer").outputs[0]->text(), std::string("N×?×8"));
    QCOMPARE(encoder.nodes.at("layer").parameters,
             std::int64_t(4 * 8 * 8 + 4 * 8 + 2 * 8 * 16 + 16 + 8 + 2 * 2 * 8));
    const GraphCheck lstm = checkOne("LSTM", {{"hidden_size", 5}, {"proj_size", 3}, {"batch_first", true}},
                                     {{"input", floats({kUnknown, 8})}, {"mask", tokens(2)}});
    QCOMPARE(errorsOf(lstm), std::string());
    std::string texts;
    for (const auto& output : lstm.nodes.at("layer").outputs)
        texts += output->text() + " ";
    QCOMPARE(texts, std::string("N×?×3 N×3 N×5 "));
}

void SequenceCheck::attentionNamesItsWeights()
{
    const auto names = [](Extent keyFeatures) {
        const GraphCheck check = checkOne(
            "MultiheadAttention", {{"num_heads", 2}, {"batch_first", true}, {"add_bias_kv", true}},
            {{"query", floats({5, 8})}, {"key", floats({7, keyFeatures})}, {"value", floats({7, 8})}});
        std::string text = errorsOf(check);
        for (const std::string& name :
             layerCatalog().find("MultiheadAttention")->stateNames(check.nodes.at("layer").params))
            text += name + " ";
        return text + check.nodes.at("layer").outputs[1]->text();
    };
    QCOMPARE(names(8),
             std::string("in_proj_weight in_proj_bias bias_k bias_v out_proj.weight out_proj.bias N×5×8"));
    QCOMPARE(names(6), std::string("q_proj_weight k_proj_weight v_proj_weight in_proj_bias bias_k bias_v "
                                   "out_proj.weight out_proj.bias N×5×8"));
}

void SequenceCheck::adviceFitsTheMistake()
{
    const Json lstm{{"hidden_size", 4}, {"batch_first", true}};
    const GraphCheck indices = checkOne("LSTM", lstm, {{"input", tokens(9)}});
    QCOMPARE(problemAt(indices, "network/layer")->hint, std::string("put an Embedding before it"));
    const GraphCheck numbers = checkOne("Embedding", {{"embedding_dim", 2}}, {{"input", floats({3})}});
    QCOMPARE(problemAt(numbers, "network/layer")->message,
             std::string("takes indices N×…, but gets numbers (N×3)"));
    const GraphCheck mask = checkOne("LSTM", lstm, {{"input", floats({5, 2})}, {"mask", tokens(2, 4)}});
    QCOMPARE(problemAt(mask, "network/layer/mask")->message,
             std::string("mask takes one number per time step, N×5, but gets N×4"));
    const GraphCheck heads =
        checkOne("TransformerEncoderLayer", {{"nhead", 3}, {"batch_first", true}}, {{"src", floats({5, 8})}});
    QCOMPARE(problemAt(heads, "network/layer/nhead")->message,
             std::string("nhead is 3, which does not divide the 8 features"));
    const GraphCheck axes = checkOne("GRU", {{"hidden_size", 4}}, {{"input", floats({5, 2})}});
    QCOMPARE(problemAt(axes, "network/layer/batch_first")->hint, std::string("set batch_first to true"));
    const GraphCheck longer = checkOne("PositionalEncoding", {{"max_len", 4}}, {{"input", floats({5, 2})}});
    QVERIFY(problemAt(longer, "network/layer/max_len") != nullptr);
}

void SequenceCheck::lossesNameTheirPorts()
{
    const GraphCheck variance =
        checkOne("GaussianNLLLoss", Json::object(),
                 {{"input", floats({3})}, {"target", floats({3})}, {"var", floats({2})}});
    QCOMPARE(errorsOf(variance),
             std::string("network/layer/var: the variance of N×3 cannot have the shape N×2\n"));
    const GraphCheck shared =
        checkOne("GaussianNLLLoss", Json::object(),
                 {{"input", floats({3})}, {"target", floats({3})}, {"var", floats({1})}});
    QCOMPARE(errorsOf(shared), std::string());
    const GraphCheck triplet =
        checkOne("TripletMarginLoss", Json::object(),
                 {{"anchor", floats({3})}, {"positive", floats({3})}, {"negative", floats({1})}});
    QCOMPARE(errorsOf(triplet), std::string("network/layer/negative: anchor is N×3, but negative is N×1\n"));
    const GraphCheck free =
        checkOne("CTCLoss", Json::object(), {{"log_probs", floats({kUnknown, 5})}, {"targets", tokens(5)}});
    QCOMPARE(errorsOf(free), std::string()); // both lengths may stay unconnected
}

QTEST_APPLESS_MAIN(SequenceCheck)
#include "tst_sequence_check.moc"
