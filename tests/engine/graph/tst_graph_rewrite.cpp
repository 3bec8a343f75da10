#include "tests/engine/graph/graph_builder.h"

#include "engine/graph/graph_rewrite.h"

#include <QtTest>

using namespace athanor;

namespace {

// image → conv → relu → add ← conv, add → fc → loss ← label
Graph sample()
{
    return graphOf({node("image", "Input", {{"field", "image"}}), node("conv", "Conv2d"), node("relu", "ReLU"),
                    node("add", "Add"), node("fc", "Linear"), node("label", "Input", {{"field", "label"}}),
                    node("loss", "CrossEntropyLoss")},
                   {"image -> conv", "conv -> relu", "relu -> add", "conv -> add", "add -> fc", "fc -> loss:input",
                    "label -> loss:target"});
}

GraphContext context(const Graph& graph)
{
    return {graph, layerCatalog()};
}

Edge edge(const char* from, const char* to)
{
    return {PortRef::parse(from), PortRef::parse(to)};
}

// Edges as text, so that a comparison shows what is different; the order counts.
std::string edgesOf(const Graph& graph)
{
    std::string text;
    for (const Edge& edge : graph.edges())
        text += (text.empty() ? "" : ", ") + edge.from.text() + ">" + edge.to.text();
    return text;
}

std::string after(Graph graph, const Result<GraphEdit>& edit)
{
    if (!edit)
        return "refused: " + edit.error().message;
    const Graph before = graph;
    const auto change = apply(graph, *edit);
    if (!change)
        return "not applied: " + change.error().message;
    Graph back = graph;
    if (!apply(back, change->inverse) || !(back == before))
        return "the inverse does not bring back the graph";
    return edgesOf(graph);
}

} // namespace

class GraphRewriteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void spellsPorts();
    void choosesTheInput();
    void connects_data();
    void connects();
    void replugs();
    void insertsIntoAnEdge();
    void insertsAnAddedNode();
    void addsBehind();
    void healsChains_data();
    void healsChains();
    void namesNewNodes();
    void newNodesCanBeUsed();
    void tellsWhatAKindTakes();
    void connectsQuicklyInBigGraphs();
};

void GraphRewriteTest::spellsPorts()
{
    const Graph graph = sample();
    QCOMPARE(fullInput(context(graph), {"conv", ""}).text(), std::string("conv:input"));
    QCOMPARE(shortInput(context(graph), {"conv", "input"}).text(), std::string("conv"));
    QCOMPARE(shortInput(context(graph), {"loss", ""}).text(), std::string("loss:input"));
    QCOMPARE(shortOutput(context(graph), {"conv", "output"}).text(), std::string("conv"));
    QCOMPARE(fullInput(context(graph), {"conv", "nonsense"}).text(), std::string("conv:nonsense"));
}

void GraphRewriteTest::choosesTheInput()
{
    Graph graph = sample();
    QCOMPARE(bestInput(context(graph), "add")->text(), std::string("add")); // takes many
    QVERIFY(!bestInput(context(graph), "image"));
    QCOMPARE(bestInput(context(graph), "loss")->text(), std::string("loss:input")); // all taken: the first
    QVERIFY(apply(graph, {edit::Disconnect{edge("label", "loss:target")}}).ok());
    QCOMPARE(bestInput(context(graph), "loss")->text(), std::string("loss:target"));
    QVERIFY(apply(graph, {edit::Disconnect{edge("fc", "loss:input")}}).ok());
    QCOMPARE(bestInput(context(graph), "loss")->text(), std::string("loss:input"));
    QCOMPARE(firstOutput(context(graph), "conv")->text(), std::string("conv"));
}

void GraphRewriteTest::connects_data()
{
    QTest::addColumn<Edge>("drawn");
    QTest::addColumn<std::string>("edges");
    const std::string start = edgesOf(sample());
    QTest::newRow("many inputs") << edge("image", "add") << start + ", image>add";
    QTest::newRow("a taken input makes room")
        << edge("relu", "fc") << std::string("image>conv, conv>relu, relu>add, conv>add, relu>fc, fc>loss:input, label>loss:target");
    QTest::newRow("ports written out")
        << edge("image:output", "add:input") << start + ", image>add";
    QTest::newRow("cycle") << edge("fc", "conv") << std::string("refused: this edge would close a cycle");
    QTest::newRow("itself") << edge("add", "add") << std::string("refused: a node cannot feed itself");
    QTest::newRow("twice") << edge("relu", "add") << std::string("refused: these two ports are connected already");
    QTest::newRow("twice, other spelling") << edge("relu:output", "add:input")
                                           << std::string("refused: these two ports are connected already");
    QTest::newRow("no such input") << edge("relu", "fc:weight") << std::string("refused: there is no input 'fc:weight'");
    QTest::newRow("no input at all") << edge("relu", "image") << std::string("refused: 'image' has no input");
}

void GraphRewriteTest::connects()
{
    QFETCH(Edge, drawn);
    QFETCH(std::string, edges);
    const Graph graph = sample();
    QCOMPARE(after(graph, connectEdit(context(graph), drawn)), edges);
}

void GraphRewriteTest::replugs()
{
    const Graph graph = sample();
    // The new edge stands where the old one stood: the order of Add's terms stays.
    QCOMPARE(after(graph, replugEdit(context(graph), edge("relu", "add"), edge("image", "add"))),
             std::string("image>conv, conv>relu, image>add, conv>add, add>fc, fc>loss:input, label>loss:target"));
    // The label's edge comes to the input that fc holds, which makes room.
    QCOMPARE(after(graph, replugEdit(context(graph), edge("label", "loss:target"), edge("label", "loss:input"))),
             std::string("image>conv, conv>relu, relu>add, conv>add, add>fc, label>loss:input"));
    QCOMPARE(after(graph, replugEdit(context(graph), edge("image", "conv"), edge("fc", "conv"))),
             std::string("refused: this edge would close a cycle"));
    // Legal only because the old edge goes first.
    QCOMPARE(after(graph, replugEdit(context(graph), edge("conv", "relu"), edge("image", "relu"))),
             std::string("image>conv, image>relu, relu>add, conv>add, add>fc, fc>loss:input, label>loss:target"));
}

void GraphRewriteTest::insertsIntoAnEdge()
{
    Graph graph = sample();
    QVERIFY(apply(graph, {edit::AddNode{node("drop", "Dropout"), {}, {}}}).ok());
    QCOMPARE(after(graph, insertEdit(context(graph), edge("relu", "add"), "drop", {})),
             std::string("image>conv, conv>relu, drop>add, conv>add, add>fc, fc>loss:input, label>loss:target, relu>drop"));
    QVERIFY(apply(graph, {edit::AddNode{node("more", "Input"), {}, {}}}).ok());
    QVERIFY(!insertEdit(context(graph), edge("relu", "add"), "more", {}).ok());
    QVERIFY(!insertEdit(context(graph), edge("relu", "nowhere"), "drop", {}).ok());
}

void GraphRewriteTest::insertsAnAddedNode()
{
    const Graph graph = sample();
    const edit::AddNode added{node("bn", "BatchNorm2d"), Position{1, 2}, {}};
    QCOMPARE(after(graph, insertEdit(context(graph), edge("image", "conv"), "bn", added)),
             std::string("bn>conv, conv>relu, relu>add, conv>add, add>fc, fc>loss:input, label>loss:target, image>bn"));
}

void GraphRewriteTest::addsBehind()
{
    const Graph graph = sample();
    const auto with = [&](const char* behind, const char* kind) {
        return after(graph, addAfterEdit(context(graph), behind, {node("new", kind), {}, {}}));
    };
    const std::string start = edgesOf(graph);
    QCOMPARE(with("fc", "Dropout"), std::string("image>conv, conv>relu, relu>add, conv>add, add>fc, new>loss:input, "
                                                "label>loss:target, fc>new"));
    QCOMPARE(with("conv", "Dropout"), start + ", conv>new"); // two ways on: a third one
    QCOMPARE(with("fc", "Input"), start);                    // takes nothing
    QCOMPARE(with("fc", "MSELoss"), start + ", fc>new:input");
}

void GraphRewriteTest::healsChains_data()
{
    QTest::addColumn<std::vector<std::string>>("removed");
    QTest::addColumn<bool>("heals");
    QTest::addColumn<std::string>("edges");
    using Ids = std::vector<std::string>;
    QTest::newRow("one of a chain") << Ids{"fc"} << true
                                    << std::string("image>conv, conv>relu, relu>add, conv>add, add>loss:input, label>loss:target");
    QTest::newRow("left open") << Ids{"fc"} << false << std::string("image>conv, conv>relu, relu>add, conv>add, label>loss:target");
    QTest::newRow("no edge twice") << Ids{"relu"} << true
                                   << std::string("image>conv, conv>add, add>fc, fc>loss:input, label>loss:target");
    QTest::newRow("a fork hands on to both")
        << Ids{"conv"} << true << std::string("image>relu, relu>add, image>add, add>fc, fc>loss:input, label>loss:target");
    QTest::newRow("two in: open") << Ids{"add"} << true
                                  << std::string("image>conv, conv>relu, fc>loss:input, label>loss:target");
    QTest::newRow("a whole run") << Ids{"conv", "relu"} << true
                                 << std::string("image>add, add>fc, fc>loss:input, label>loss:target");
    QTest::newRow("the beginning") << Ids{"image"} << true
                                   << std::string("conv>relu, relu>add, conv>add, add>fc, fc>loss:input, label>loss:target");
}

void GraphRewriteTest::healsChains()
{
    QFETCH(std::vector<std::string>, removed);
    QFETCH(bool, heals);
    QFETCH(std::string, edges);
    const Graph graph = sample();
    QCOMPARE(after(graph, removeEdit(context(graph), removed, {}, heals ? Healing::Join : Healing::Leave)), edges);
}

void GraphRewriteTest::namesNewNodes()
{
    const Graph graph = graphOf({node("conv1", "Conv2d"), node("loss1", "MSELoss")}, {});
    const auto name = [&](const char* kind) { return newNodeName(graph, *layerCatalog().find(kind)); };
    QCOMPARE(name("Conv2d"), std::string("conv2"));
    QCOMPARE(name("Conv1d"), std::string("conv2"));
    QCOMPARE(name("MaxPool2d"), std::string("maxpool1"));
    QCOMPARE(name("ReLU"), std::string("relu1"));
    QCOMPARE(name("CrossEntropyLoss"), std::string("loss2"));
}

// The batch is the first axis of everything here, which is not the default of PyTorch's recurrent layers.
void GraphRewriteTest::newNodesCanBeUsed()
{
    QVERIFY(newNodeParams(*layerCatalog().find("LSTM")).at("batch_first") == true);
    QVERIFY(newNodeParams(*layerCatalog().find("ReLU")).empty());
}

void GraphRewriteTest::tellsWhatAKindTakes()
{
    const auto fits = [](const char* kind, const std::optional<TensorType>& type) {
        return takes(*layerCatalog().find(kind), type);
    };
    const TensorType image = floats({3, 32, 32});
    QVERIFY(fits("Conv2d", image)); // though out_channels is still missing
    QVERIFY(!fits("Conv1d", image));
    QVERIFY(fits("Linear", image));
    QVERIFY(!fits("Conv2d", floats({10})));
    QVERIFY(!fits("Linear", classIndices(10))); // numbers are needed
    QVERIFY(!fits("Input", image));
    QVERIFY(fits("Conv1d", std::nullopt)); // nothing is known, so nothing is ruled out
    QVERIFY(takes(*dataCatalog().find("Split"), std::nullopt));
}

void GraphRewriteTest::connectsQuicklyInBigGraphs()
{
    // A chain is the worst case of the search for cycles; a quadratic search would take minutes here.
    std::vector<Node> nodes;
    std::vector<std::string> edges;
    for (int i = 0; i < 20000; ++i) {
        nodes.push_back(node(numbered("n", i), "ReLU"));
        if (i > 0)
            edges.push_back(numbered("n", i - 1) + " -> " + numbered("n", i));
    }
    const Graph graph = graphOf(std::move(nodes), edges);
    QElapsedTimer clock;
    clock.start();
    QVERIFY(!connectEdit(context(graph), edge("n19999", "n0")).ok());
    QVERIFY2(clock.elapsed() < 10000, "the search for cycles is not linear");
}

QTEST_APPLESS_MAIN(GraphRewriteTest)
#include "tst_graph_rewrite.moc"
