#include "engine/graph/graph_layout.h"
#include "tests/engine/graph/graph_builder.h"

#include <QtTest>

#include <thread>

using namespace athanor;

namespace {

Graph diamond()
{
    return graphOf(
        {node("a", "Input"), node("b", "ReLU"), node("c", "Tanh"), node("d", "Add"), node("lone", "ReLU")},
        {"a -> b", "a -> c", "b -> d", "c -> d", "d -> ghost"});
}

bool overlap(const Position& a, const NodeSize& sa, const Position& b, const NodeSize& sb)
{
    return a.x < b.x + sb.width && b.x < a.x + sa.width && a.y < b.y + sb.height && b.y < a.y + sa.height;
}

} // namespace

class GraphLayoutTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void edgesRunForward();
    void nodesDoNotOverlap();
    void sameGraphSamePlaces();
    void oddGraphs();
    void manyThreads();
};

void GraphLayoutTest::edgesRunForward()
{
    const auto right = layoutGraph(diamond(), {});
    QCOMPARE(right.size(), std::size_t(5));
    for (const auto& [from, to] :
         {std::pair("a", "b"), std::pair("a", "c"), std::pair("b", "d"), std::pair("c", "d")})
        QVERIFY(right.at(from).x + NodeSize{}.width < right.at(to).x);
    QCOMPARE(right.at("b").x, right.at("c").x);
    const auto down = layoutGraph(diamond(), {}, LayoutDirection::TopToBottom);
    for (const auto& [from, to] :
         {std::pair("a", "b"), std::pair("a", "c"), std::pair("b", "d"), std::pair("c", "d")})
        QVERIFY(down.at(from).y + NodeSize{}.height < down.at(to).y);
}

void GraphLayoutTest::nodesDoNotOverlap()
{
    const std::map<NodeId, NodeSize> sizes{
        {"a", {300, 40}}, {"b", {100, 200}}, {"c", {100, 90}}, {"lone", {500, 80}}};
    for (const LayoutDirection direction : {LayoutDirection::LeftToRight, LayoutDirection::TopToBottom}) {
        const auto places = layoutGraph(diamond(), sizes, direction);
        const auto size = [&](const NodeId& id) { return sizes.contains(id) ? sizes.at(id) : NodeSize{}; };
        for (const auto& [one, at] : places) {
            QVERIFY(at.x >= -1 && at.y >= -1); // top left corner of the whole is the origin
            for (const auto& [other, there] : places)
                QVERIFY2(one == other || !overlap(at, size(one), there, size(other)),
                         (one + " " + other).c_str());
        }
    }
}

void GraphLayoutTest::sameGraphSamePlaces()
{
    const auto first = layoutGraph(diamond(), {});
    Graph moved = diamond();
    QVERIFY(apply(moved, {edit::Move{{{"a", Position{900, 900}}}}}).ok());
    for (int i = 0; i < 5; ++i)
        QVERIFY(layoutGraph(moved, {}) == first);
}

void GraphLayoutTest::oddGraphs()
{
    QVERIFY(layoutGraph(Graph(), {}).empty());
    QCOMPARE(layoutGraph(graphOf({node("one", "ReLU")}, {}), {}).size(), std::size_t(1));
    QCOMPARE(layoutGraph(graphOf({node("a", "ReLU"), node("b", "ReLU")}, {"a -> b", "b -> a", "a -> a"}), {})
                 .size(),
             std::size_t(2));
    std::vector<Node> nodes;
    std::vector<std::string> edges;
    for (int i = 0; i < 120; ++i) {
        nodes.push_back(node(numbered("n", i), "ReLU"));
        if (i > 0)
            edges.push_back(numbered("n", i - 1) + " -> " + numbered("n", i));
    }
    const auto places = layoutGraph(graphOf(nodes, edges), {});
    for (int i = 1; i < 120; ++i)
        QVERIFY(places.at(numbered("n", i - 1)).x < places.at(numbered("n", i)).x);
}

void GraphLayoutTest::manyThreads()
{
    const auto expected = layoutGraph(diamond(), {});
    std::vector<std::map<NodeId, Position>> answers(4);
    {
        std::vector<std::jthread> threads;
        for (auto& answer : answers)
            threads.emplace_back([&answer] {
                for (int i = 0; i < 10; ++i)
                    answer = layoutGraph(diamond(), {});
            });
    }
    for (const auto& answer : answers)
        QVERIFY(answer == expected);
}

QTEST_APPLESS_MAIN(GraphLayoutTest)
#include "tst_graph_layout.moc"
