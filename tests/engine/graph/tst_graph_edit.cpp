#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

#include <random>

using namespace athanor;

namespace {

Graph sample()
{
    std::vector<Edge> edges{
        {{"a", ""}, {"b", ""}},      {{"b", ""}, {"d", ""}}, {{"c", "output"}, {"d", "input"}},
        {{"d", ""}, {"ghost", "x"}}, {{"e", ""}, {"f", ""}}, {{"f", ""}, {"e", ""}}};
    std::vector<Node> nodes{node("a", "Input", {{"field", "image"}}),
                            node("b", "ReLU"),
                            node("c", "BatchNorm2d", {{"momentum", nullptr}, {"eps", 0.1}}),
                            node("d", "Add"),
                            node("e", "Mystery", {{"deep", {1, {2, 3}}}}),
                            node("f", "Tanh")};
    nodes[1].extra = {{"comment", "kept"}};
    return std::move(buildGraph(std::move(nodes), std::move(edges), {{"a", {1, 2}}, {"c", {-3.5, 4}}}))
        .value();
}

// Random edits, sensible and senseless ones, over few names so that they meet each other.
class EditMaker {
public:
    explicit EditMaker(unsigned seed) : m_random(seed) {}

    GraphEdit make(const Graph& graph, int depth = 0)
    {
        switch (pick(depth < 2 ? 9 : 8)) {
        case 0:
            return {edit::AddNode{node(id(), "ReLU", {{"p", pick(3)}}), place(), index()}};
        case 1:
            return {edit::RemoveNode{id()}};
        case 2:
            return {edit::Connect{{{id(), port()}, {id(), port()}}, {}}};
        case 3:
            return {edit::Connect{{{id(), port()}, {id(), port()}}, index()}};
        case 4:
            return {
                edit::Disconnect{graph.edges().empty() ? Edge{} : graph.edges()[pick(graph.edges().size())]}};
        case 5:
            return {edit::SetParameter{id(), pick(2) ? "momentum" : "eps", value()}};
        case 6:
            return {edit::Move{{{id(), place()}, {id(), place()}}}};
        case 7:
            return {edit::Rename{id(), id()}};
        default:
            break;
        }
        edit::Sequence sequence;
        for (std::size_t i = pick(4); i > 0; --i)
            sequence.edits.push_back(make(graph, depth + 1));
        return {std::move(sequence)};
    }
    std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(m_random); }

private:
    NodeId id() { return std::string(1, static_cast<char>('a' + pick(12))); }
    std::string port() { return pick(3) == 0 ? "input" : ""; }
    std::optional<std::size_t> index() { return pick(2) ? std::optional(pick(8)) : std::nullopt; }
    std::optional<Position> place()
    {
        return pick(3) ? std::optional(Position{static_cast<double>(pick(9)), 0.5}) : std::nullopt;
    }
    std::optional<Json> value()
    {
        switch (pick(5)) {
        case 0:
            return std::nullopt;
        case 1:
            return Json();
        default:
            return Json(pick(100));
        }
    }
    std::mt19937 m_random;
};

} // namespace

class GraphEditTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void undoBringsBackEverything();
    void failedEditChangesNothing();
    void connectRefusesTheImpossible();
    void connectAllowsTheUnwise();
    void errorsNameTheNode();
    void removeTellsWhatItTouched();
    void renameTakesEdgesAndPositionAlong();
    void nullIsAValueAndNothingIsTheDefault();
    void moveIsNotSemantic();
    void sequenceIsAllOrNothing();
};

void GraphEditTest::undoBringsBackEverything()
{
    int applied = 0, refused = 0;
    for (unsigned seed = 1; seed <= 40; ++seed) {
        EditMaker maker(seed);
        Graph graph = sample();
        std::vector<Graph> before;
        std::vector<GraphEdit> undo, redo;
        for (int i = 0; i < 150; ++i) {
            const GraphEdit change = maker.make(graph);
            const Graph old = graph;
            auto result = apply(graph, change);
            if (!result) {
                ++refused;
                QVERIFY(graph == old);
                QVERIFY(!result.error().message.empty());
                continue;
            }
            ++applied;
            before.push_back(old);
            undo.push_back(std::move(result->inverse));
            redo.push_back(change);
        }
        const Graph end = graph;
        for (std::size_t i = undo.size(); i-- > 0;) {
            auto back = apply(graph, undo[i]);
            QVERIFY2(back.ok(), back.ok() ? "" : back.error().text().c_str());
            QVERIFY2(graph == before[i], std::to_string(i).c_str());
            // The inverse of the inverse is the edit again.
            const Graph here = graph;
            QVERIFY(apply(graph, back->inverse).ok());
            QVERIFY(graph == (i + 1 < before.size() ? before[i + 1] : end));
            QVERIFY(apply(graph, undo[i]).ok());
            QVERIFY(graph == here);
        }
        for (const GraphEdit& change : redo)
            QVERIFY(apply(graph, change).ok());
        QVERIFY(graph == end);
    }
    QVERIFY2(applied > 1500 && refused > 500,
             (std::to_string(applied) + " " + std::to_string(refused)).c_str());
}

void GraphEditTest::failedEditChangesNothing()
{
    const std::vector<GraphEdit> impossible{{edit::AddNode{node("a", "ReLU"), {}, {}}},
                                            {edit::AddNode{node("1", "ReLU"), {}, {}}},
                                            {edit::AddNode{node("ghost", "ReLU"), {}, {}}},
                                            {edit::RemoveNode{"z"}},
                                            {edit::Disconnect{{{"a", ""}, {"d", ""}}}},
                                            {edit::SetParameter{"z", "p", 1}},
                                            {edit::SetParameter{"a", "", 1}},
                                            {edit::Move{{{"a", Position{9, 9}}, {"z", Position{}}}}},
                                            {edit::Rename{"a", "b"}},
                                            {edit::Rename{"a", "not ok"}},
                                            {edit::Rename{"a", "ghost"}}};
    for (const GraphEdit& change : impossible) {
        Graph graph = sample();
        QVERIFY(!apply(graph, change).ok());
        QVERIFY(graph == sample());
    }
}

void GraphEditTest::connectRefusesTheImpossible()
{
    Graph graph = graphOf({node("a", "ReLU"), node("b", "ReLU"), node("c", "ReLU")}, {"a -> b", "b -> c"});
    const auto connect = [&](const char* from, const char* to) {
        return apply(graph, {edit::Connect{{{from, ""}, {to, ""}}, {}}});
    };
    QVERIFY(!connect("a", "a").ok());
    QVERIFY(!connect("c", "a").ok()); // closes a cycle over b
    QVERIFY(!connect("b", "a").ok());
    QVERIFY(!connect("a", "b").ok()); // is there
    QVERIFY(!connect("a", "z").ok());
    QVERIFY(connect("a", "c").ok());
}

void GraphEditTest::connectAllowsTheUnwise()
{
    // A second edge into one port, a port that no kind has: checkNetwork's matter.
    Graph graph = graphOf({node("a", "ReLU"), node("b", "ReLU"), node("c", "ReLU")}, {"a -> c"});
    QVERIFY(apply(graph, {edit::Connect{{{"b", ""}, {"c", ""}}, {}}}).ok());
    QVERIFY(apply(graph, {edit::Connect{{{"b", "nonsense"}, {"c", "more"}}, {}}}).ok());
    QCOMPARE(graph.edges().size(), std::size_t(3));
}

void GraphEditTest::errorsNameTheNode()
{
    Graph graph = graphOf({node("conv1", "Conv2d")}, {});
    const auto result = apply(graph, {edit::SetParameter{"conv2", "stride", 2}});
    QVERIFY(!result.ok());
    QCOMPARE(result.error().code, ErrorCode::NotFound);
    QCOMPARE(result.error().where, std::string("conv2"));
    QCOMPARE(result.error().hint, std::string("did you mean 'conv1'?"));
}

void GraphEditTest::removeTellsWhatItTouched()
{
    Graph graph = sample();
    const auto change = apply(graph, {edit::RemoveNode{"d"}});
    QVERIFY(change.ok());
    QVERIFY(change->semantic);
    QCOMPARE(change->touched, (std::set<NodeId>{"b", "c", "d", "ghost"}));
    QCOMPARE(graph.edges().size(), std::size_t(3));
}

void GraphEditTest::renameTakesEdgesAndPositionAlong()
{
    Graph graph = sample();
    const auto change = apply(graph, {edit::Rename{"c", "norm"}});
    QVERIFY(change.ok());
    QVERIFY(change->touched.contains("c") && change->touched.contains("norm") &&
            change->touched.contains("d"));
    QVERIFY(graph.find("c") == nullptr);
    QCOMPARE(graph.nodes()[2].id, std::string("norm"));
    QCOMPARE(graph.edges()[2].from.text(), std::string("norm:output"));
    QCOMPARE(graph.positions().at("norm").x, -3.5);
    QVERIFY(!graph.positions().contains("c"));
}

void GraphEditTest::nullIsAValueAndNothingIsTheDefault()
{
    Graph graph = graphOf({node("bn", "BatchNorm2d")}, {});
    const Graph before = graph;
    const auto written = apply(graph, {edit::SetParameter{"bn", "momentum", Json()}});
    QVERIFY(written.ok());
    QVERIFY(graph.find("bn")->params == Json({{"momentum", nullptr}}));
    const auto removed = apply(graph, {edit::SetParameter{"bn", "momentum", std::nullopt}});
    QVERIFY(removed.ok());
    QVERIFY(graph == before);
    QVERIFY(apply(graph, removed->inverse).ok());
    QVERIFY(graph.find("bn")->params == Json({{"momentum", nullptr}}));
    QVERIFY(apply(graph, written->inverse).ok());
    QVERIFY(graph == before);
}

void GraphEditTest::moveIsNotSemantic()
{
    Graph graph = sample();
    const auto moved = apply(graph, {edit::Move{{{"a", std::nullopt}, {"b", Position{7, 8}}}}});
    QVERIFY(moved.ok() && !moved->semantic);
    QVERIFY(!graph.positions().contains("a"));
    QCOMPARE(graph.positions().at("b").y, 8.0);
    const auto both = apply(graph, {edit::Sequence{{moved->inverse, {edit::SetParameter{"b", "p", 1}}}}});
    QVERIFY(both.ok() && both->semantic);
}

void GraphEditTest::sequenceIsAllOrNothing()
{
    Graph graph = sample();
    const auto result = apply(
        graph,
        {edit::Sequence{{{edit::Rename{"a", "first"}}, {edit::RemoveNode{"b"}}, {edit::RemoveNode{"b"}}}}});
    QVERIFY(!result.ok());
    QVERIFY(graph == sample());
}

QTEST_APPLESS_MAIN(GraphEditTest)
#include "tst_graph_edit.moc"
