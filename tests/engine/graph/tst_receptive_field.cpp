// Expected values by hand, from r = r + (k − 1)·j, j = j·s, start = start + ((k − 1)/2 − p)·j of the paper.
#include "engine/graph/receptive_field.h"
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

Node layer(const char* id, const char* kind, Json params = Json::object())
{
    return node(id, kind, std::move(params));
}

Graph chain(std::vector<Node> layers)
{
    std::vector<Node> nodes{node("image", "Input", {{"field", "image"}})};
    std::vector<std::string> edges;
    for (Node& next : layers) {
        edges.push_back(nodes.back().id + " -> " + next.id);
        nodes.push_back(std::move(next));
    }
    return graphOf(std::move(nodes), edges);
}

std::map<NodeId, ReceptiveField> fieldsOf(const Graph& graph, const TensorType& image)
{
    return receptiveFields(graph, checkNetwork(graph, {{{"image", image}}, true}));
}

Json conv(Json kernel, Json more = Json::object())
{
    Json params = {{"out_channels", 4}, {"kernel_size", std::move(kernel)}};
    params.update(more);
    return params;
}

} // namespace

class ReceptiveFieldTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chainOfConvolutions()
    {
        const auto fields = fieldsOf(chain({layer("c1", "Conv2d", conv(3, {{"padding", 1}})),
                                            layer("pool", "MaxPool2d", {{"kernel_size", 2}}),
                                            layer("c2", "Conv2d", conv(5, {{"stride", 2}, {"padding", 2}})),
                                            layer("c3", "Conv2d", conv(3, {{"dilation", 2}}))}),
                                     floats({1, 64, 64}));
        // c1: 3, 1, 0; pool: 3 + 1 = 4, 2, 0.5; c2: 4 + 4·2 = 12, 4, 0.5; c3 (reach 5): 12 + 4·4 = 28, 4, 0.5 + 2·4 = 8.5
        QVERIFY((fields.at("image").axes == std::vector<FieldAxis>{{1, 1, 0}, {1, 1, 0}}));
        QVERIFY((fields.at("c1").axes == std::vector<FieldAxis>{{3, 1, 0}, {3, 1, 0}}));
        QVERIFY((fields.at("pool").axes == std::vector<FieldAxis>{{4, 2, 0.5}, {4, 2, 0.5}}));
        QVERIFY((fields.at("c2").axes == std::vector<FieldAxis>{{12, 4, 0.5}, {12, 4, 0.5}}));
        QVERIFY((fields.at("c3").axes == std::vector<FieldAxis>{{28, 4, 8.5}, {28, 4, 8.5}}));
        QCOMPARE(fields.at("c3").text(), std::string("28×28"));
    }

    // The paper's table: 195 for the last convolution of AlexNet (version 2), stride 32 behind its last pooling.
    void alexNet()
    {
        const auto fields = fieldsOf(
            chain({layer("c1", "Conv2d", conv(11, {{"stride", 4}})), layer("p1", "MaxPool2d", {{"kernel_size", 3}, {"stride", 2}}),
                   layer("c2", "Conv2d", conv(5, {{"padding", 2}})), layer("p2", "MaxPool2d", {{"kernel_size", 3}, {"stride", 2}}),
                   layer("c3", "Conv2d", conv(3, {{"padding", 1}})), layer("c4", "Conv2d", conv(3, {{"padding", 1}})),
                   layer("c5", "Conv2d", conv(3, {{"padding", 1}})), layer("p5", "MaxPool2d", {{"kernel_size", 3}, {"stride", 2}})}),
            floats({3, 224, 224}));
        QCOMPARE(fields.at("c5").axes[0].size, 163.0);
        QCOMPARE(fields.at("p5").axes[0].size, 195.0);
        QCOMPARE(fields.at("p5").axes[0].jump, 32.0);
    }

    void axesOfTheirOwn()
    {
        const auto fields = fieldsOf(
            chain({layer("c", "Conv2d", conv({3, 5}, {{"stride", {1, 2}}, {"padding", "valid"}})),
                   layer("same", "Conv2d", conv({7, 1}, {{"padding", "same"}}))}),
            floats({1, 32, 32}));
        QVERIFY((fields.at("c").axes == std::vector<FieldAxis>{{3, 1, 1}, {5, 2, 2}}));
        QVERIFY((fields.at("same").axes == std::vector<FieldAxis>{{9, 1, 1}, {5, 2, 2}}));
        QCOMPARE(fields.at("same").text(), std::string("9×5"));
    }

    void theLongestPathCounts()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), layer("a", "Conv2d", conv(3, {{"padding", 1}})),
                                     layer("b", "Conv2d", conv(3, {{"padding", 1}})), layer("short", "Conv2d", conv(1)),
                                     layer("add", "Add")},
                                    {"image -> a", "a -> b", "image -> short", "b -> add", "short -> add"});
        const auto fields = fieldsOf(graph, floats({1, 16, 16}));
        QVERIFY((fields.at("add").axes == std::vector<FieldAxis>{{5, 1, 0}, {5, 1, 0}}));
        QVERIFY(fields.at("add").aligned);
    }

    void misalignedPathsAreTold()
    {
        const Graph graph = graphOf({node("image", "Input", {{"field", "image"}}), layer("a", "Conv2d", conv(3)),
                                     layer("b", "Conv2d", conv(3, {{"padding", 2}})),
                                     layer("slice", "Slice", {{"dim", 2}, {"start", 0}, {"end", 14}}),
                                     layer("slice2", "Slice", {{"dim", 3}, {"start", 0}, {"end", 14}}), layer("add", "Add")},
                                    {"image -> a", "image -> b", "b -> slice", "slice -> slice2", "a -> add", "slice2 -> add"});
        const auto fields = fieldsOf(graph, floats({1, 16, 16}));
        QVERIFY(!fields.at("add").aligned);
        QCOMPARE(fields.at("add").axes[0].size, 3.0);
    }

    void upAgain()
    {
        const auto fields = fieldsOf(
            chain({layer("down", "Conv2d", conv(4, {{"stride", 4}})), layer("up", "ConvTranspose2d", conv(4, {{"stride", 2}, {"padding", 1}})),
                   layer("near", "Upsample", {{"scale_factor", 2}})}),
            floats({1, 32, 32}));
        // down: 4, 4, 1.5; up: two taps meet each element: 4 + 4 = 8, jump 2, start 1.5 + (1 − 1.5)·2 = 0.5
        QVERIFY((fields.at("down").axes[0] == FieldAxis{4, 4, 1.5}));
        QVERIFY((fields.at("up").axes[0] == FieldAxis{8, 2, 0.5}));
        QCOMPARE(fields.at("near").axes[0].jump, 1.0);
        QCOMPARE(fields.at("near").axes[0].size, 8.0);
    }

    void wholeImages()
    {
        const auto fields = fieldsOf(
            chain({layer("c", "Conv2d", conv(3, {{"padding", 1}})), layer("parts", "AdaptiveAvgPool2d", {{"output_size", 4}}),
                   layer("pool", "AdaptiveAvgPool2d", {{"output_size", 1}}), layer("flat", "Flatten"),
                   layer("fc", "Linear", {{"out_features", 10}}), layer("relu", "ReLU")}),
            floats({1, 16, 16}));
        QVERIFY((fields.at("parts").axes[0] == FieldAxis{6, 4, 1.5})); // 3 + (4 − 1)
        QCOMPARE(fields.at("pool").text(), std::string("all"));
        QCOMPARE(fields.at("relu").text(), std::string("all"));
        const auto flat = fieldsOf(chain({layer("c", "Conv2d", conv(3)), layer("flat", "Flatten"),
                                          layer("fc", "Linear", {{"out_features", 10}})}),
                                   floats({1, 8, 8}));
        QCOMPARE(flat.at("flat").text(), std::string("3×3"));
        QCOMPARE(flat.at("fc").text(), std::string("all"));
    }

    void sequencesAndTables()
    {
        const Graph text = chain({layer("emb", "Embedding", {{"num_embeddings", 50}, {"embedding_dim", 8}}),
                                  layer("turn", "Permute", {{"dims", {0, 2, 1}}}), layer("c", "Conv1d", conv(5)),
                                  layer("lstm", "Permute", {{"dims", {0, 2, 1}}})});
        const auto fields = fieldsOf(text, classIndices(50, {20}));
        QVERIFY((fields.at("emb").axes == std::vector<FieldAxis>{{1, 1, 0}}));
        QVERIFY((fields.at("c").axes == std::vector<FieldAxis>{{5, 1, 2}}));
        QCOMPARE(fields.at("lstm").text(), std::string("5"));
        QVERIFY(fieldsOf(chain({layer("fc", "Linear", {{"out_features", 3}})}), floats({7})).empty());
    }

    void whatIsNotKnownIsLeftOut()
    {
        const auto fields = fieldsOf(chain({layer("c", "Conv2d", conv(3)), layer("odd", "Zzyzx"), layer("relu", "ReLU")}),
                                     floats({1, 8, 8}));
        QVERIFY(fields.contains("c") && !fields.contains("odd") && !fields.contains("relu"));
    }
};

QTEST_APPLESS_MAIN(ReceptiveFieldTest)
#include "tst_receptive_field.moc"
