#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

using namespace athanor;

namespace {

Graph chain()
{
    return graphOf({node("x", "Input", {{"field", "image"}}), node("fc", "Linear", {{"out_features", 3}}),
                    node("y", "Input", {{"field", "label"}}), node("loss", "CrossEntropyLoss")},
                   {"x -> fc", "fc -> loss:input", "y -> loss:target"});
}

} // namespace

class GraphTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void portTexts();
    void nodeIds();
    void freeIds();
    void topologicalOrder();
    void orderLeavesCyclesOut();
    void buildRefusesBadNames();
    void buildKeepsWhatAFileMayHold();
    void hashIgnoresWhatDoesNotCompute();
    void hashSeesWhatComputes();
};

void GraphTest::portTexts()
{
    QCOMPARE(PortRef::parse("conv1").node, std::string("conv1"));
    QCOMPARE(PortRef::parse("conv1").port, std::string());
    QCOMPARE(PortRef::parse("loss:target").node, std::string("loss"));
    QCOMPARE(PortRef::parse("loss:target").port, std::string("target"));
    QCOMPARE(PortRef::parse("block1/conv:output").text(), std::string("block1/conv:output"));
    QCOMPARE((PortRef{"a", ""}).text(), std::string("a"));
}

void GraphTest::nodeIds()
{
    for (const char* good : {"a", "_", "conv1", "Conv_2", "block1/conv", "a/b/c"})
        QVERIFY2(isValidNodeId(good), good);
    for (const char* bad : {"", "1a", "a b", "a-b", "/a", "a/", "a//b", "a/1", "ü", "a:b", "a.b"})
        QVERIFY2(!isValidNodeId(bad), bad);
}

void GraphTest::freeIds()
{
    const Graph graph =
        graphOf({node("conv2d1", "Conv2d"), node("conv2d3", "Conv2d")}, {"conv2d1 -> conv2d2"});
    // 2 is no node, but an edge names it: a new node must not be caught by that edge.
    QCOMPARE(freeNodeId(graph, "conv2d"), std::string("conv2d4"));
    QCOMPARE(freeNodeId(graph, "2nd layer"), std::string("node2ndlayer1"));
    QCOMPARE(freeNodeId(Graph(), ""), std::string("node1"));
}

void GraphTest::topologicalOrder()
{
    const Graph graph = graphOf(
        {node("d", "Add"), node("c", "ReLU"), node("b", "ReLU"), node("a", "ReLU"), node("lone", "ReLU")},
        {"a -> b", "a -> c", "b -> d", "c -> d"});
    QCOMPARE(graph.topologicalOrder(), (std::vector<NodeId>{"a", "c", "b", "d", "lone"}));
}

void GraphTest::orderLeavesCyclesOut()
{
    const Graph graph = graphOf(
        {node("a", "ReLU"), node("b", "ReLU"), node("c", "ReLU"), node("d", "ReLU"), node("e", "ReLU")},
        {"a -> b", "b -> c", "c -> b", "c -> d", "e -> e"});
    QCOMPARE(graph.topologicalOrder(), (std::vector<NodeId>{"a"}));
}

void GraphTest::buildRefusesBadNames()
{
    const auto twice = buildGraph({node("a", "ReLU"), node("a", "Tanh")}, {});
    QVERIFY(!twice.ok());
    QCOMPARE(twice.error().where, std::string("a"));
    QVERIFY(!buildGraph({node("a b", "ReLU")}, {}).ok());
}

void GraphTest::buildKeepsWhatAFileMayHold()
{
    const Edge toNowhere{{"a", ""}, {"ghost", ""}}, loop{{"a", ""}, {"a", ""}};
    const auto graph =
        buildGraph({node("a", "ReLU")}, {toNowhere, loop, toNowhere}, {{"a", {1, 2}}, {"ghost", {3, 4}}});
    QVERIFY(graph.ok());
    QCOMPARE(graph->edges(), (std::vector<Edge>{toNowhere, loop}));
    QCOMPARE(graph->positions().size(), std::size_t(1));
}

void GraphTest::hashIgnoresWhatDoesNotCompute()
{
    const std::string hash = semanticHash(chain());
    QCOMPARE(hash.size(), std::size_t(32));

    Graph moved = chain();
    QVERIFY(apply(moved, {edit::Move{{{"fc", Position{40, 2}}}}}).ok());
    QCOMPARE(semanticHash(moved), hash);

    // Other order of nodes and edges, defaults written out, ports named, an unknown key of the file.
    Node fc = node("fc", "Linear", {{"out_features", 3.0}, {"bias", true}});
    fc.extra = {{"comment", "the head"}};
    const Graph same =
        graphOf({node("loss", "CrossEntropyLoss", {{"label_smoothing", 0}}),
                 node("y", "Input", {{"field", "label"}}), fc, node("x", "Input", {{"field", "image"}})},
                {"y -> loss:target", "fc:output -> loss", "x -> fc:input"});
    QCOMPARE(semanticHash(same), hash);
    QCOMPARE(semanticHash(graphOf({node("c", "Conv2d", {{"kernel_size", Json::array({3, 3})}})}, {})),
             semanticHash(graphOf({node("c", "Conv2d", {{"kernel_size", 3}})}, {})));
}

void GraphTest::hashSeesWhatComputes()
{
    const std::string hash = semanticHash(chain());
    const std::vector<GraphEdit> edits{{edit::SetParameter{"fc", "out_features", 4}},
                                       {edit::SetParameter{"fc", "bias", false}},
                                       {edit::Rename{"fc", "head"}},
                                       {edit::RemoveNode{"y"}},
                                       {edit::Disconnect{{{"x", ""}, {"fc", ""}}}},
                                       {edit::AddNode{node("more", "ReLU"), {}, {}}},
                                       {edit::SetParameter{"fc", "unheard_of", 1}}};
    for (const GraphEdit& change : edits) {
        Graph graph = chain();
        QVERIFY(apply(graph, change).ok());
        QVERIFY(semanticHash(graph) != hash);
    }
    const auto concat = [](const std::vector<std::string>& edges) {
        return semanticHash(
            graphOf({node("a", "Identity"), node("b", "Identity"), node("c", "Concat")}, edges));
    };
    QVERIFY(concat({"a -> c", "b -> c"}) != concat({"b -> c", "a -> c"}));
}

QTEST_APPLESS_MAIN(GraphTest)
#include "tst_graph.moc"
