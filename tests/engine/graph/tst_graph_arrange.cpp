#include "tests/engine/graph/graph_builder.h"

#include "engine/graph/graph_arrange.h"

#include <QtTest>

using namespace athanor;

namespace {

Graph placed()
{
    return std::move(buildGraph({node("a", "ReLU"), node("b", "ReLU"), node("c", "ReLU"), node("d", "ReLU")}, {},
                                {{"a", {0, 10}}, {"b", {50, 0}}, {"c", {300, 40}}}))
        .value();
}

Position to(const edit::Move& move, const char* id)
{
    return move.to.at(id).value();
}

} // namespace

class GraphArrangeTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void aligns();
    void distributes();
    void snapsToNeighbours();
    void snapsToTheGrid();
    void guidesReachOverAllThatIsLevel();
};

void GraphArrangeTest::aligns()
{
    const Graph graph = placed();
    const std::set<NodeId> all{"a", "b", "c", "d"}; // d has no place, so it does not take part
    const auto left = alignMove(graph, all, Alignment::Left);
    QCOMPARE(left.to.size(), std::size_t(3));
    QVERIFY(to(left, "a") == (Position{0, 10}) && to(left, "b") == (Position{0, 0}) && to(left, "c") == (Position{0, 40}));
    QVERIFY(to(alignMove(graph, all, Alignment::Right), "a") == (Position{300, 10}));
    QVERIFY(to(alignMove(graph, all, Alignment::Centre), "b") == (Position{150, 0}));
    QVERIFY(to(alignMove(graph, all, Alignment::Top), "c") == (Position{300, 0}));
    QVERIFY(to(alignMove(graph, all, Alignment::Bottom), "b") == (Position{50, 40}));
    QVERIFY(to(alignMove(graph, all, Alignment::Middle), "a") == (Position{0, 20}));
    QVERIFY(alignMove(graph, {"a"}, Alignment::Left).to.empty());
}

void GraphArrangeTest::distributes()
{
    const auto across = distributeMove(placed(), {"a", "b", "c"}, Axis::Horizontal);
    QVERIFY(to(across, "a") == (Position{0, 10}) && to(across, "b") == (Position{150, 0}) && to(across, "c") == (Position{300, 40}));
    const auto down = distributeMove(placed(), {"a", "b", "c"}, Axis::Vertical);
    QVERIFY(to(down, "b") == (Position{50, 0}) && to(down, "a") == (Position{0, 20}) && to(down, "c") == (Position{300, 40}));
    QVERIFY(distributeMove(placed(), {"a", "b"}, Axis::Vertical).to.empty());
}

void GraphArrangeTest::snapsToNeighbours()
{
    const Snap snap = snapRect({103, 47, 160, 52}, {{100, 200, 160, 52}, {400, 50, 160, 52}}, 6, 4);
    QCOMPARE(snap.dx, -3.0); // left, middle and right edge of the first
    QCOMPARE(snap.dy, 3.0);  // top of the second
    QCOMPARE(snap.guides.size(), std::size_t(6));
    const Snap middle = snapRect({0, 0, 100, 10}, {{48, 500, 10, 10}}, 6, 4);
    QCOMPARE(middle.dx, -2.0); // its middle, 50, comes to the other's edge, 48
}

void GraphArrangeTest::snapsToTheGrid()
{
    const Snap snap = snapRect({101, 47, 160, 52}, {{1000, 1000, 160, 52}}, 6, 4);
    QCOMPARE(snap.dx, -1.0);
    QCOMPARE(snap.dy, 1.0);
    QVERIFY(snap.guides.empty());
}

void GraphArrangeTest::guidesReachOverAllThatIsLevel()
{
    const Snap snap = snapRect({0, 102, 10, 10}, {{50, 100, 10, 20}, {200, 100, 10, 30}}, 6, 4);
    QCOMPARE(snap.dy, -2.0);
    QCOMPARE(snap.guides.size(), std::size_t(2)); // the tops of all, and our bottom in the middle of the first
    QVERIFY(snap.guides[0].axis == Axis::Horizontal);
    QCOMPARE(snap.guides[0].at, 100.0);
    QCOMPARE(snap.guides[0].begin, 0.0);
    QCOMPARE(snap.guides[0].end, 210.0);
}

QTEST_APPLESS_MAIN(GraphArrangeTest)
#include "tst_graph_arrange.moc"
