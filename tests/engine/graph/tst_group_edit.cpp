// Making, opening and reusing groups, each as one edit that can be taken back.
#include "graph_builder.h"

#include "engine/graph/flat_graph.h"
#include "engine/graph/group_edit.h"

#include <random>

using namespace athanor;

namespace {

const FieldTypes kFields{{{"features", floats({8})}, {"target", floats({8})}}, true};

// x → a → b → sum → loss, with a residual edge from x to sum.
Graph residual()
{
    Graph graph =
        graphOf({node("x", "Input", {{"field", "features"}}), node("y", "Input", {{"field", "target"}}),
                 node("a", "Linear", {{"out_features", 16}}), node("b", "Linear", {{"out_features", 8}}),
                 node("sum", "Add"), node("loss", "MSELoss")},
                {"x -> a", "a -> b", "x -> sum", "b -> sum", "sum -> loss:input", "y -> loss:target"});
    edit::Move move;
    int column = 0;
    for (const Node& one : graph.nodes())
        move.to[one.id] = Position{200.0 * column++, 40};
    (void)apply(graph, GraphEdit{move});
    return graph;
}

// Applies an edit and checks that taking it back gives the graph from before.
Graph applied(const Graph& graph, const Result<GroupEdit>& made)
{
    if (!made)
        throw std::runtime_error(made.error().text());
    Graph after = graph;
    auto change = apply(after, made->edit);
    if (!change)
        throw std::runtime_error(change.error().text());
    Graph back = after;
    if (!apply(back, change->inverse) || !(back == graph))
        throw std::runtime_error("the edit cannot be taken back");
    return after;
}

std::string edgesOf(const Graph& graph)
{
    std::string text;
    for (const Edge& edge : graph.edges())
        text += (text.empty() ? "" : ", ") + edge.from.text() + " -> " + edge.to.text();
    return text;
}

// What a graph computes, whatever its nodes are called: the check's sums and the output's shape.
std::string measure(const Graph& graph)
{
    const GraphCheck check = checkNetwork(graph, kFields);
    return linesOf(check.problems) + std::to_string(check.parameters) + " " + std::to_string(check.macs);
}

} // namespace

class GroupEditTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void crossingEdgesBecomePorts();
    void edgesKeepTheirOrder();
    void groupsAreMadeInsideGroups();
    void whatWouldBeACycleIsRefused();
    void ungroupingBringsTheNodesBack();
    void copiesBecomeNodesOfTheirOwn();
    void anInstanceUsedTwiceFollows();
    void aDetachedInstanceStaysBehind();
    void noGroupIsPlacedIntoItself();
    void portsAreRenamedEverywhere();
    void ownersAreRenamedEverywhere();
    void importedGroupsDoNotMixWithOthers();
    void groupingAndUngroupingChangesNoNetwork();
};

void GroupEditTest::crossingEdgesBecomePorts()
{
    const Graph graph = residual();
    const Graph after = applied(graph, makeGroup(graph, {}, {"a", "b"}, "Block"));
    QCOMPARE(edgesOf(after),
             std::string("x -> block1, x -> sum, block1 -> sum, sum -> loss:input, y -> loss:target"));
    QCOMPARE(after.nodes()[2].id, std::string("block1"));
    QVERIFY((after.positions().at("block1") == Position{500, 40}));
    const Graph& inside = *after.definition("Block");
    QCOMPARE(edgesOf(inside), std::string("input -> a, a -> b, b -> output"));
    QVERIFY((inside.positions().at("a") == Position{400, 40}));
    QVERIFY(inside.positions().at("input").x < 400 && inside.positions().at("output").x > 600);
    QCOMPARE(measure(after), measure(graph));
    QVERIFY(!measure(after).starts_with("error"));
}

void GroupEditTest::edgesKeepTheirOrder()
{
    const Graph graph =
        graphOf({node("p", "ReLU"), node("q", "Tanh"), node("r", "ELU"), node("cat", "Concat")},
                {"p -> cat", "q -> cat", "r -> cat"});
    const Graph after = applied(graph, makeGroup(graph, {}, {"q"}, "One"));
    QCOMPARE(edgesOf(after), std::string("p -> cat, one1 -> cat, r -> cat"));
    const Graph whole = applied(graph, makeGroup(graph, {}, {"cat", "q"}, "Two"));
    QCOMPARE(edgesOf(whole), std::string("p -> two1:input, r -> two1:input2"));
    QCOMPARE(edgesOf(*whole.definition("Two")), std::string("input -> cat, q -> cat, input2 -> cat"));
}

void GroupEditTest::groupsAreMadeInsideGroups()
{
    const Graph outer = applied(residual(), makeGroup(residual(), {}, {"a", "b", "sum"}, "Outer"));
    const Graph both = applied(outer, makeGroup(outer, "Outer", {"a"}, "Inner"));
    QVERIFY(flattened(both).graph.find("outer1/inner1/a") != nullptr);
    QCOMPARE(measure(both), measure(residual()));
    QVERIFY(!makeGroup(both, "Outer", {"input", "b"}, "Bad")); // a port of the definition
    QVERIFY(!makeGroup(both, "Outer", {"b"}, "Inner"));        // a name that is taken
    QVERIFY(!makeGroup(both, "Outer", {}, "Empty"));
}

void GroupEditTest::whatWouldBeACycleIsRefused()
{
    const Graph graph = residual();
    const auto made = makeGroup(graph, {}, {"x", "b"}, "Block");
    QVERIFY(!made);
    QCOMPARE(made.error().hint, std::string("select 'a' as well"));
}

void GroupEditTest::ungroupingBringsTheNodesBack()
{
    const Graph graph = residual();
    const Graph grouped = applied(graph, makeGroup(graph, {}, {"a", "b", "sum"}, "Block"));
    const Graph back = applied(grouped, ungroup(grouped, {}, "block1"));
    QVERIFY(back == graph);
}

void GroupEditTest::copiesBecomeNodesOfTheirOwn()
{
    Graph graph = applied(residual(), makeGroup(residual(), {}, {"a", "b", "sum"}, "Block"));
    QVERIFY(apply(graph, GraphEdit{edit::SetParameter{"block1", "repeat", Json(3)}}));
    const Graph back = applied(graph, ungroup(graph, {}, "block1"));
    QVERIFY(back.definitions().empty());
    QVERIFY(back.find("a") != nullptr && back.find("a_2") != nullptr && back.find("a_3") != nullptr);
    QCOMPARE(measure(back), measure(graph));
    QVERIFY(back.positions().at("a_2").x > back.positions().at("sum").x);
}

void GroupEditTest::anInstanceUsedTwiceFollows()
{
    Graph graph = applied(residual(), makeGroup(residual(), {}, {"a", "b", "sum"}, "Block"));
    graph = applied(graph, placeGroup(graph, {}, "Block", Position{7, 8}));
    QCOMPARE(graph.nodes().back().id, std::string("block2"));
    QVERIFY(apply(graph, GraphEdit{edit::InDefinition{
                             "Block", {GraphEdit{edit::SetParameter{"a", "out_features", Json(32)}}}}}));
    const Graph flat = flattened(graph).graph;
    for (const char* id : {"block1/a", "block2/a"})
        QCOMPARE(flat.find(id)->params["out_features"].get<int>(), 32);
    const Graph kept = applied(graph, ungroup(graph, {}, "block1"));
    QVERIFY(kept.definition("Block") != nullptr); // block2 uses it
}

void GroupEditTest::aDetachedInstanceStaysBehind()
{
    Graph graph = applied(residual(), makeGroup(residual(), {}, {"a", "b", "sum"}, "Block"));
    graph = applied(graph, placeGroup(graph, {}, "Block", {}));
    graph = applied(graph, detachGroup(graph, {}, "block2"));
    QVERIFY(apply(graph, GraphEdit{edit::InDefinition{
                             "Block2", {GraphEdit{edit::SetParameter{"a", "out_features", Json(32)}}}}}));
    const Graph flat = flattened(graph).graph;
    QCOMPARE(flat.find("block1/a")->params["out_features"].get<int>(), 16);
    QCOMPARE(flat.find("block2/a")->params["out_features"].get<int>(), 32);
}

void GroupEditTest::noGroupIsPlacedIntoItself()
{
    Graph graph = applied(residual(), makeGroup(residual(), {}, {"a", "b"}, "Outer"));
    graph = applied(graph, makeGroup(graph, "Outer", {"a"}, "Inner"));
    QVERIFY(!placeGroup(graph, "Outer", "Outer", {}));
    QVERIFY(!placeGroup(graph, "Inner", "Outer", {}));
    QVERIFY(placeGroup(graph, "Outer", "Inner", {}));
    QVERIFY(!placeGroup(graph, {}, "Nobody", {}));
}

void GroupEditTest::portsAreRenamedEverywhere()
{
    Graph graph = graphOf({node("p", "ReLU"), node("q", "ReLU"), node("sum", "Add"), node("end", "Tanh")},
                          {"p -> sum", "q -> sum", "sum -> end"});
    graph = applied(graph, makeGroup(graph, {}, {"sum"}, "Join"));
    QCOMPARE(edgesOf(graph), std::string("p -> join1:input, q -> join1:input2, join1 -> end"));
    const Graph before = graph;
    auto change =
        apply(graph, GraphEdit{edit::InDefinition{"Join", {GraphEdit{edit::Rename{"input2", "skip"}}}}});
    QVERIFY(change);
    QCOMPARE(edgesOf(graph), std::string("p -> join1:input, q -> join1:skip, join1 -> end"));
    QVERIFY(change->touched.contains("join1"));
    QVERIFY(apply(graph, change->inverse));
    QVERIFY(graph == before);
}

void GroupEditTest::ownersAreRenamedEverywhere()
{
    Graph graph = graphOf({node("fc", "Linear"), node("again", "Shared", {{"of", "fc"}})}, {"fc -> again"});
    const Graph before = graph;
    auto change = apply(graph, GraphEdit{edit::Rename{"fc", "head"}});
    QCOMPARE(graph.find("again")->params["of"].get<std::string>(), std::string("head"));
    QVERIFY(apply(graph, change->inverse));
    QVERIFY(graph == before);
    QVERIFY(apply(graph, GraphEdit{edit::SetParameter{"again", "of", Json("ghost")}}));
    QVERIFY(!apply(graph, GraphEdit{edit::Rename{"fc", "ghost"}})); // would be shared unasked
}

void GroupEditTest::importedGroupsDoNotMixWithOthers()
{
    Graph source = applied(residual(), makeGroup(residual(), {}, {"a", "b"}, "Outer"));
    source = applied(source, makeGroup(source, "Outer", {"a"}, "Inner"));
    const auto carried = withItsDefinitions(source, "Outer");
    QCOMPARE(carried.size(), std::size_t(2));
    QCOMPARE(carried.front().name, std::string("Inner"));

    Graph target = residual();
    const ImportedDefinitions fresh = importDefinitions(target, carried);
    QVERIFY(apply(target, fresh.edit));
    QCOMPARE(target.definitions().size(), std::size_t(2));
    const ImportedDefinitions again = importDefinitions(target, carried);
    QVERIFY(std::get<edit::Sequence>(again.edit.what).edits.empty()); // all there already
    QCOMPARE(again.names.at("Outer"), std::string("Outer"));

    Graph other =
        applied(residual(), makeGroup(residual(), {}, {"sum"}, "Inner")); // the name is another group's
    const ImportedDefinitions clash = importDefinitions(other, carried);
    QVERIFY(apply(other, clash.edit));
    QCOMPARE(clash.names.at("Inner"), std::string("Inner2"));
    QCOMPARE(other.definition("Outer")->find("inner1")->params["definition"].get<std::string>(),
             std::string("Inner2"));
}

// Random selections: what can be grouped computes the same afterwards, and when it is ungrouped again.
void GroupEditTest::groupingAndUngroupingChangesNoNetwork()
{
    std::mt19937 random(7);
    const auto pick = [&](std::size_t n) {
        return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
    };
    int made = 0;
    for (int round = 0; round < 300; ++round) {
        std::vector<Node> nodes{node("n0", "Input", {{"field", "features"}})};
        std::vector<std::string> edges;
        const int count = 4 + static_cast<int>(pick(8));
        for (int i = 1; i < count; ++i) {
            nodes.push_back(pick(2) ? node(numbered("n", i), "Linear", {{"out_features", 8}})
                                    : node(numbered("n", i), "Add"));
            const std::size_t sources = nodes.back().kind == "Add" ? 2 : 1;
            for (std::size_t k = 0; k < sources; ++k)
                edges.push_back(numbered("n", static_cast<int>(pick(static_cast<std::size_t>(i)))) + " -> " +
                                nodes.back().id);
        }
        const auto drawn = std::set<std::string>(edges.begin(), edges.end());
        const Graph graph = graphOf(nodes, {drawn.begin(), drawn.end()});
        std::set<NodeId> chosen;
        for (std::size_t k = 1 + pick(5); k > 0; --k)
            chosen.insert(nodes[pick(nodes.size())].id);
        const auto group = makeGroup(graph, {}, chosen, "Group");
        if (!group)
            continue;
        ++made;
        const Graph grouped = applied(graph, group);
        const GraphCheck before = checkNetwork(graph, kFields), after = checkNetwork(grouped, kFields);
        QCOMPARE(after.parameters, before.parameters);
        QCOMPARE(after.macs, before.macs);
        for (const auto& [id, check] : before.nodes) {
            const auto& member = after.nodes.at(chosen.contains(id) ? "group1/" + id : id);
            QVERIFY(member.outputs == check.outputs);
        }
        const Graph back = applied(grouped, ungroup(grouped, {}, "group1"));
        QCOMPARE(semanticHash(back), semanticHash(graph));
    }
    QVERIFY(made > 100);
}

QTEST_APPLESS_MAIN(GroupEditTest)
#include "tst_group_edit.moc"
