// Groups opened: names, edges, checks and what is wrong with groups.
#include "graph_builder.h"

#include "engine/graph/flat_graph.h"

using namespace athanor;

namespace {

GroupDefinition group(std::string name, std::vector<Node> nodes, const std::vector<std::string>& edges)
{
    return {std::move(name), graphOf(std::move(nodes), edges), Json::object()};
}

Graph graphWith(std::vector<GroupDefinition> definitions, std::vector<Node> nodes,
                const std::vector<std::string>& edges)
{
    const Graph plain = graphOf(std::move(nodes), edges);
    return std::move(buildGraph(plain.nodes(), plain.edges(), {}, {}, std::move(definitions))).value();
}

Node instance(std::string id, const char* definition, int repeat = 1)
{
    Json params{{"definition", definition}};
    if (repeat != 1)
        params["repeat"] = repeat;
    return node(std::move(id), "Group", std::move(params));
}

Node shared(std::string id, const char* of)
{
    return node(std::move(id), "Shared", {{"of", of}});
}

// in → fc → act → out
GroupDefinition dense(const char* name = "Dense", Json features = 4)
{
    return group(name,
                 {node("in", "GroupInput"), node("fc", "Linear", {{"out_features", std::move(features)}}),
                  node("act", "ReLU"), node("out", "GroupOutput")},
                 {"in -> fc", "fc -> act", "act -> out"});
}

const FieldTypes kFields{{{"features", floats({4})}, {"target", floats({4})}}, true};

// x → … → loss, with the middle given.
Graph around(std::vector<GroupDefinition> definitions, std::vector<Node> middle,
             std::vector<std::string> edges)
{
    std::vector<Node> nodes{node("x", "Input", {{"field", "features"}}),
                            node("y", "Input", {{"field", "target"}})};
    nodes.insert(nodes.end(), middle.begin(), middle.end());
    nodes.push_back(node("loss", "MSELoss"));
    edges.push_back("y -> loss:target");
    return graphWith(std::move(definitions), std::move(nodes), edges);
}

std::string idsOf(const Graph& graph)
{
    std::string text;
    for (const Node& one : graph.nodes())
        text += (text.empty() ? "" : " ") + one.id;
    return text;
}

std::string edgesOf(const Graph& graph)
{
    std::set<std::string> lines;
    for (const Edge& edge : graph.edges())
        lines.insert(edge.from.text() + ">" + edge.to.text());
    std::string text;
    for (const std::string& line : lines)
        text += (text.empty() ? "" : " ") + line;
    return text;
}

} // namespace

class FlatGraphTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void membersAreNamedAfterTheirInstance();
    void copiesFollowEachOther();
    void groupsInGroupsAreOpened();
    void instancesSumTheirMembers();
    void eachInstanceHasItsOwnProblems();
    void sharedWeightsCountOnce();
    void aSharedGroupSharesItsMembers();
    void sharedWeightsNeedTheSameShape();
    void brokenGroupsAreNamed_data();
    void brokenGroupsAreNamed();
    void aGroupThatHoldsItselfIsNamed();
    void hugeGroupsAreRefused();
    void namesAndPlacesDoNotCountInTheHash();
    void aFlatNodeLeadsBackToItsDrawing();
};

void FlatGraphTest::membersAreNamedAfterTheirInstance()
{
    const Graph graph = around({dense()}, {instance("a", "Dense"), instance("b", "Dense")},
                               {"x -> a", "a:out -> b:in", "b -> loss:input"});
    const FlatGraph flat = flattened(graph);
    QCOMPARE(idsOf(flat.graph), std::string("x y a/in a/fc a/act a/out b/in b/fc b/act b/out loss"));
    QCOMPARE(edgesOf(flat.graph),
             std::string("a/act>a/out a/fc>a/act a/in>a/fc a/out>b/in b/act>b/out b/fc>b/act "
                         "b/in>b/fc b/out>loss:input x>a/in y>loss:target"));
    QVERIFY(flat.problems.empty());
    QVERIFY((flat.places.at("b/fc") == DrawnPlace{"Dense", "fc"}));
    QVERIFY((flat.places.at("x") == DrawnPlace{"", "x"}));
    QVERIFY(checkNetwork(graph, kFields).ok());
    QVERIFY(!hasGroups(flat.graph) == false); // the ports are still there
}

void FlatGraphTest::copiesFollowEachOther()
{
    GroupDefinition masked = group("Masked",
                                   {node("in", "GroupInput"), node("mask", "GroupInput"),
                                    node("mul", "Multiply"), node("out", "GroupOutput")},
                                   {"in -> mul", "mask -> mul", "mul -> out"});
    const Graph graph =
        around({masked}, {instance("m", "Masked", 3)}, {"x -> m:in", "x -> m:mask", "m -> loss:input"});
    const FlatGraph flat = flattened(graph);
    QCOMPARE(
        edgesOf(flat.graph),
        std::string("m/0/in>m/0/mul m/0/mask>m/0/mul m/0/mask>m/1/mask m/0/mul>m/0/out m/0/out>m/1/in "
                    "m/1/in>m/1/mul m/1/mask>m/1/mul m/1/mask>m/2/mask m/1/mul>m/1/out m/1/out>m/2/in "
                    "m/2/in>m/2/mul m/2/mask>m/2/mul m/2/mul>m/2/out m/2/out>loss:input x>m/0/in x>m/0/mask "
                    "y>loss:target"));
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(linesOf(check.problems), std::string());
    QCOMPARE(check.nodes.at("m").outputs.front()->text(), std::string("N×4"));
}

void FlatGraphTest::groupsInGroupsAreOpened()
{
    GroupDefinition stage = group("Stage",
                                  {node("in", "GroupInput"), instance("first", "Dense"),
                                   instance("rest", "Dense", 2), node("out", "GroupOutput")},
                                  {"in -> first", "first -> rest", "rest -> out"});
    const Graph graph = around({stage, dense()}, {instance("s", "Stage")}, {"x -> s", "s -> loss:input"});
    const FlatGraph flat = flattened(graph);
    QVERIFY(flat.graph.find("s/first/fc") != nullptr);
    QVERIFY(flat.graph.find("s/rest/1/fc") != nullptr);
    QVERIFY(flat.graph.find("s/rest/fc") == nullptr);
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(linesOf(check.problems), std::string());
    // Three Linear(4, 4) with bias.
    QCOMPARE(check.parameters, std::int64_t(3 * 20));
    QCOMPARE(check.nodes.at("s").parameters, std::int64_t(3 * 20));
    QCOMPARE(check.nodes.at("s/rest").parameters, std::int64_t(2 * 20));
}

void FlatGraphTest::instancesSumTheirMembers()
{
    const Graph graph = around({dense()}, {instance("a", "Dense"), instance("b", "Dense")},
                               {"x -> a", "a -> b", "b -> loss:input"});
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(check.nodes.at("a").parameters, std::int64_t(20));
    QCOMPARE(check.nodes.at("a").macs, std::int64_t(16));
    QCOMPARE(check.nodes.at("a").outputs.size(), std::size_t(1));
    QCOMPARE(check.nodes.at("a").params["repeat"].get<int>(), 1);
    QCOMPARE(check.nodes.at("a/fc").params["in_features"].get<int>(), 4);
    QCOMPARE(check.parameters, std::int64_t(40));
}

void FlatGraphTest::eachInstanceHasItsOwnProblems()
{
    GroupDefinition fixed =
        group("Fixed",
              {node("in", "GroupInput"), node("fc", "Linear", {{"in_features", 4}, {"out_features", 3}}),
               node("out", "GroupOutput")},
              {"in -> fc", "fc -> out"});
    const Graph graph =
        around({fixed, dense()}, {instance("a", "Fixed"), instance("b", "Fixed"), instance("c", "Dense")},
               {"x -> a", "a -> b", "b -> c", "c -> loss:input"});
    QCOMPARE(linesOf(checkNetwork(graph, kFields).problems),
             std::string("error network/b/fc/in_features: expects 4 features, but gets 3 (N×3)\n"));
    const Graph open = around({dense()}, {instance("a", "Dense")}, {"a -> loss:input"});
    QVERIFY(problemAt(checkNetwork(open, kFields), "network/a/in") != nullptr);
    const Graph unknown =
        around({dense()}, {instance("a", "Dense")}, {"x -> a:inn", "x -> a", "a -> loss:input"});
    QCOMPARE(problemAt(checkNetwork(unknown, kFields), "network/a/inn")->hint,
             std::string("did you mean 'in'?"));
}

void FlatGraphTest::sharedWeightsCountOnce()
{
    const Graph graph = around({}, {node("fc", "Linear", {{"out_features", 4}}), shared("again", "fc")},
                               {"x -> fc", "fc -> again", "again -> loss:input"});
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(linesOf(check.problems), std::string());
    QCOMPARE(check.parameters, std::int64_t(20));
    QCOMPARE(check.macs, std::int64_t(32));
    QCOMPARE(check.nodes.at("again").outputs.front()->text(), std::string("N×4"));
}

void FlatGraphTest::aSharedGroupSharesItsMembers()
{
    const Graph graph =
        around({dense()}, {instance("left", "Dense", 2), shared("right", "left"), node("sum", "Add")},
               {"x -> left", "x -> right", "left -> sum", "right -> sum", "sum -> loss:input"});
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(linesOf(check.problems), std::string());
    QCOMPARE(check.parameters, std::int64_t(40));
    const FlatGraph flat = flattened(graph);
    QCOMPARE(flat.graph.find("right/1/fc")->kind, std::string("Shared"));
    QCOMPARE(flat.graph.find("right/1/fc")->params["of"].get<std::string>(), std::string("left/1/fc"));
    QCOMPARE(check.nodes.at("right").parameters, std::int64_t(0));
}

void FlatGraphTest::sharedWeightsNeedTheSameShape()
{
    // The node that shares comes first, so that the other's sizes are not known yet when it is reached.
    const Graph graph =
        around({},
               {shared("again", "fc"), node("half", "Linear", {{"out_features", 3}}),
                node("fc", "Linear", {{"out_features", 4}}), node("sum", "Add")},
               {"x -> again", "again -> sum", "x -> half", "half -> fc", "fc -> sum", "sum -> loss:input"});
    QCOMPARE(
        linesOf(checkNetwork(graph, kFields).problems),
        std::string(
            "error network/again: does not fit the weights of 'fc': expects 3 features, but gets 4 (N×4)\n"));
}

void FlatGraphTest::brokenGroupsAreNamed_data()
{
    QTest::addColumn<QString>("params");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* name, const char* kind, const char* params, const char* where,
                        const char* hint) { QTest::newRow(name) << params << kind << where << hint; };
    row("no definition", "Group", "{}", "network/g/definition", "");
    row("unknown definition", "Group", R"({"definition": "Dense2"})", "network/g/definition",
        "did you mean 'Dense'?");
    row("a number for a name", "Group", R"({"definition": 7})", "network/g/definition", "");
    row("repeat 0", "Group", R"({"definition": "Dense", "repeat": 0})", "network/g/repeat", "");
    row("repeat too often", "Group", R"({"definition": "Dense", "repeat": 100000})", "network/g/repeat", "");
    row("an unknown parameter", "Group", R"({"definition": "Dense", "repat": 2})", "network/g/repat",
        "did you mean 'repeat'?");
    row("shares nothing", "Shared", "{}", "network/g/of", "set of to a node's name");
    row("shares what is not there", "Shared", R"({"of": "lossx"})", "network/g/of", "did you mean 'loss'?");
    row("shares a loss", "Shared", R"({"of": "loss"})", "network/g/of", "set of to a layer or a group");
    row("shares an input", "Shared", R"({"of": "x"})", "network/g/of", "set of to a layer or a group");
    row("shares itself", "Shared", R"({"of": "g"})", "network/g/of", "set of to 'g'");
    row("a port in the open", "GroupInput", "{}", "network/g", "use Input, or draw it inside a group");
}

void FlatGraphTest::brokenGroupsAreNamed()
{
    QFETCH(QString, params);
    QFETCH(QString, kind);
    QFETCH(QString, where);
    QFETCH(QString, hint);
    const Graph graph = around({dense()}, {node("g", kind.toStdString(), Json::parse(params.toStdString()))},
                               {"x -> g", "g -> loss:input"});
    const GraphCheck check = checkNetwork(graph, kFields);
    const Problem* problem = problemAt(check, where.toStdString());
    QVERIFY2(problem != nullptr, linesOf(check.problems).c_str());
    QVERIFY(problem->severity == Severity::Error);
    if (!hint.isEmpty())
        QCOMPARE(problem->hint, hint.toStdString());
}

void FlatGraphTest::aGroupThatHoldsItselfIsNamed()
{
    GroupDefinition a = group("A", {node("in", "GroupInput"), instance("b", "B"), node("out", "GroupOutput")},
                              {"in -> b", "b -> out"});
    GroupDefinition b = group("B", {node("in", "GroupInput"), instance("a", "A"), node("out", "GroupOutput")},
                              {"in -> a", "a -> out"});
    const Graph graph = around({a, b}, {instance("g", "A")}, {"x -> g", "g -> loss:input"});
    const GraphCheck check = checkNetwork(graph, kFields);
    QCOMPARE(problemAt(check, "network/g/b/a/definition")->message,
             std::string("the group 'A' would hold itself: A → B → A"));
}

void FlatGraphTest::hugeGroupsAreRefused()
{
    // 40 groups, each with two of the next: 2^40 nodes.
    std::vector<GroupDefinition> definitions;
    for (int i = 0; i < 40; ++i)
        definitions.push_back(group(numbered("G", i),
                                    {node("in", "GroupInput"), instance("p", numbered("G", i + 1).c_str()),
                                     instance("q", numbered("G", i + 1).c_str()), node("out", "GroupOutput")},
                                    {"in -> p", "p -> q", "q -> out"}));
    definitions.push_back(dense("G40"));
    const Graph graph = around(definitions, {instance("g", "G0")}, {"x -> g", "g -> loss:input"});
    QCOMPARE(problemAt(checkNetwork(graph, kFields), "network/g/definition")->message,
             std::string("the network would have more than 100000 nodes"));
    // 100 groups inside each other.
    definitions.clear();
    for (int i = 0; i < 100; ++i)
        definitions.push_back(group(numbered("G", i),
                                    {node("in", "GroupInput"), instance("p", numbered("G", i + 1).c_str()),
                                     node("out", "GroupOutput")},
                                    {"in -> p", "p -> out"}));
    definitions.push_back(dense("G100"));
    QVERIFY(!checkNetwork(around(definitions, {instance("g", "G0")}, {"x -> g", "g -> loss:input"}), kFields)
                 .ok());
}

void FlatGraphTest::namesAndPlacesDoNotCountInTheHash()
{
    Graph graph = around({dense()}, {instance("a", "Dense")}, {"x -> a", "a -> loss:input"});
    const std::string before = semanticHash(graph);
    QVERIFY(apply(graph, GraphEdit{edit::RenameDefinition{"Dense", "Block"}}));
    QVERIFY(apply(graph,
                  GraphEdit{edit::InDefinition{"Block", {GraphEdit{edit::Move{{{"fc", Position{1, 2}}}}}}}}));
    QVERIFY(apply(graph, GraphEdit{edit::AddDefinition{dense("Unused"), {}}}));
    QCOMPARE(semanticHash(graph), before);
    QVERIFY(apply(graph, GraphEdit{edit::InDefinition{
                             "Block", {GraphEdit{edit::SetParameter{"fc", "out_features", Json(5)}}}}}));
    QVERIFY(semanticHash(graph) != before);
}

void FlatGraphTest::aFlatNodeLeadsBackToItsDrawing()
{
    GroupDefinition stage =
        group("Stage", {node("in", "GroupInput"), instance("rest", "Dense", 2)}, {"in -> rest"});
    const Graph graph = around({stage, dense()}, {instance("s", "Stage"), shared("t", "s")}, {});
    const std::vector<DrawnPlace> wanted{{"", "s"}, {"Stage", "rest"}, {"Dense", "fc"}};
    QVERIFY(drawnPath(graph, "s/rest/1/fc") == wanted);
    QVERIFY((drawnPath(graph, "t/rest/0/fc").back() == DrawnPlace{"Dense", "fc"}));
    QVERIFY((drawnPath(graph, "x") == std::vector<DrawnPlace>{{"", "x"}}));
    QVERIFY(drawnPath(graph, "nobody/fc").empty());
}

QTEST_APPLESS_MAIN(FlatGraphTest)
#include "tst_flat_graph.moc"
