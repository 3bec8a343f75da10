#include "engine/compare/graph_difference.h"
#include "engine/graph/graph_edit.h"

#include <QTest>

using namespace athanor;

namespace {

Graph graphOf(std::vector<Node> nodes, const std::vector<std::pair<std::string, std::string>>& edges,
              std::vector<GroupDefinition> definitions = {})
{
    std::vector<Edge> list;
    for (const auto& [from, to] : edges)
        list.push_back({PortRef::parse(from), PortRef::parse(to)});
    auto graph = buildGraph(std::move(nodes), std::move(list), {}, {}, std::move(definitions));
    if (!graph)
        throw std::runtime_error(graph.error().text());
    return *graph;
}

const NodeDifference* of(const GraphDifference& difference, const std::string& id)
{
    for (const NodeDifference& node : difference.nodes)
        if (node.after == id || (node.after.empty() && node.before == id))
            return &node;
    return nullptr;
}

const std::vector<Node> kNodes{{"image", "Input", {{"field", "image"}}},
                               {"conv1", "Conv2d", {{"out_channels", 8}, {"kernel_size", 3}}},
                               {"act", "ReLU"},
                               {"fc", "Linear", {{"out_features", 10}}}};
const std::vector<std::pair<std::string, std::string>> kEdges{
    {"image", "conv1"}, {"conv1", "act"}, {"act", "fc"}};

} // namespace

class TestGraphDifference : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nothingDiffersByOrderPlaceOrWrittenDefaults()
    {
        const Graph before = graphOf(kNodes, kEdges);
        std::vector<Node> nodes{kNodes[3], kNodes[1], kNodes[0], kNodes[2]};
        nodes[1].params["stride"] = 1;
        nodes[1].params["kernel_size"] = Json::array({3, 3});
        auto after = buildGraph(nodes, {before.edges().rbegin(), before.edges().rend()}, {{"fc", {5, 6}}});
        QVERIFY(graphDifference(before, *after, layerCatalog()).empty());
    }

    void addedRemovedChanged()
    {
        const Graph before = graphOf(kNodes, kEdges);
        std::vector<Node> nodes{kNodes[0],
                                kNodes[1],
                                {"act", "GELU"},
                                {"drop", "Dropout", {{"p", 0.5}}},
                                {"head", "Linear", {{"out_features", 5}}}};
        nodes[1].params["out_channels"] = 16;
        const Graph after =
            graphOf(nodes, {{"image", "conv1"}, {"conv1", "act"}, {"act", "drop"}, {"drop", "head"}});
        const GraphDifference difference = graphDifference(before, after, layerCatalog());
        QCOMPARE(difference.nodes.size(), 5U);
        QCOMPARE(of(difference, "conv1")->change, NodeChange::Changed);
        QCOMPARE(of(difference, "conv1")->parameters.size(), 1U);
        QCOMPARE(of(difference, "conv1")->parameters[0].name, std::string("out_channels"));
        QVERIFY(*of(difference, "conv1")->parameters[0].before == 8);
        QVERIFY(*of(difference, "conv1")->parameters[0].after == 16);
        QCOMPARE(of(difference, "act")->kindBefore, std::string("ReLU"));
        QCOMPARE(of(difference, "act")->kindAfter, std::string("GELU"));
        QCOMPARE(of(difference, "drop")->change, NodeChange::Added);
        QCOMPARE(of(difference, "head")->change, NodeChange::Added);
        QCOMPARE(of(difference, "fc")->change, NodeChange::Removed);
        QCOMPARE(difference.addedEdges.size(), 2U);
        QCOMPARE(difference.removedEdges.size(), 1U);
        QCOMPARE(difference.removedEdges[0].to.node, std::string("fc"));

        const MergedGraph merged = mergedGraph(before, after, difference);
        QCOMPARE(merged.graph.nodes().size(), 6U);
        QVERIFY(merged.graph.find("fc") != nullptr);
        QCOMPARE(merged.graph.edges().size(), 5U);
        QVERIFY(merged.removed.contains(Edge{{"act", {}}, {"fc", {}}}));
        QVERIFY(merged.changes.at("fc").change == NodeChange::Removed);
    }

    void aRenamedChainIsRecognized()
    {
        const Graph before = graphOf(kNodes, kEdges);
        std::vector<Node> nodes = kNodes;
        nodes[1].id = "stem";
        nodes[2].id = "stem_act";
        const Graph after = graphOf(nodes, {{"image", "stem"}, {"stem", "stem_act"}, {"stem_act", "fc"}});
        const GraphDifference difference = graphDifference(before, after, layerCatalog());
        QCOMPARE(difference.nodes.size(), 2U);
        QCOMPARE(of(difference, "stem")->change, NodeChange::Renamed);
        QCOMPARE(of(difference, "stem")->before, std::string("conv1"));
        QCOMPARE(of(difference, "stem_act")->before, std::string("act"));
        QVERIFY(difference.addedEdges.empty() && difference.removedEdges.empty());
        const MergedGraph merged = mergedGraph(before, after, difference);
        QCOMPARE(merged.graph.nodes().size(), 4U);
    }

    void insideOfGroups()
    {
        const auto block = [](double p) {
            return GroupDefinition{
                "Block",
                graphOf({{"in", "GroupInput"}, {"drop", "Dropout", {{"p", p}}}, {"out", "GroupOutput"}},
                        {{"in", "drop"}, {"drop", "out"}})};
        };
        const std::vector<Node> nodes{kNodes[0], {"block1", "Group", {{"definition", "Block"}}}, kNodes[3]};
        const std::vector<std::pair<std::string, std::string>> edges{{"image", "block1"}, {"block1", "fc"}};
        const Graph before = graphOf(nodes, edges, {block(0.1)});
        const Graph after = graphOf(nodes, edges, {block(0.3)});
        const GraphDifference difference = graphDifference(before, after, layerCatalog());
        QCOMPARE(difference.nodes.size(), 1U);
        QCOMPARE(difference.nodes[0].after, std::string("Block/drop"));
        const MergedGraph merged = mergedGraph(before, after, difference);
        QCOMPARE(merged.changes.size(), 1U);
        QVERIFY(merged.changes.contains("block1"));
    }

    void jsonNamesEverything()
    {
        const Graph before = graphOf(kNodes, kEdges);
        const Graph after = graphOf({kNodes[0], kNodes[1]}, {{"image", "conv1"}});
        const Json json = graphDifferenceJson(graphDifference(before, after, layerCatalog()));
        QCOMPARE(json["nodes"].size(), 2U);
        QVERIFY(json["nodes"][0]["change"] == "removed");
        QVERIFY(json["nodes"][0]["node"].is_null());
        QVERIFY(json["nodes"][0]["was"] == "act");
        QVERIFY(json["edges_removed"].dump() == R"([["conv1","act"],["act","fc"]])");
    }
};

QTEST_APPLESS_MAIN(TestGraphDifference)
#include "tst_graph_difference.moc"
