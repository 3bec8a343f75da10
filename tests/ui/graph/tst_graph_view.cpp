// The canvas, driven by real mouse and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/edge_item.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/minimap.h"
#include "ui/graph/node_item.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace athanor;
using namespace athanor::test;

namespace {

QString shapeOn(const GraphScene& scene, const char* from, const char* to)
{
    const EdgeItem* item = scene.edgeItem(edge(from, to));
    return item ? item->look().shape : QStringLiteral("(no edge)");
}

} // namespace

class GraphViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void drawsEveryNodeAndEdge();
    void writesShapesOnEdges();
    void describesNodes();
    void marksProblems();
    void locksFrozenNodes();
    void dragIsOneMove();
    void clickWithoutDragIsNoEdit();
    void dragMovesTheWholeSelection();
    void rubberBandSelects();
    void keysGoThroughNodes();
    void arrowsFollowEdges();
    void altArrowsMoveInOneStep();
    void zoomKeysAndFit();
    void wheelZoomsAboutTheCursor();
    void middleButtonPans();
    void spacePans();
    void layoutIsOneUndoableStep();
    void minimapRecentres();
    void renameKeepsTheSelection();
    void removedNodesLeaveTheScene();
    void activityIsLogarithmic();
    void emptyCanvasSaysWhy();
    void onlyOnePartIsSelected();
    void opensFiveThousandNodesQuickly();

private:
    QPoint at(const char* node) const { return m_view->mapFromScene(m_scene->nodeItem(node)->box().center()); }
    QWidget* port() const { return m_view->viewport(); }
    void drag(const QPoint& from, const QPoint& by, Qt::MouseButton button = Qt::LeftButton);

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<GraphScene> m_scene;
    std::unique_ptr<GraphView> m_view;
};

void GraphViewTest::init()
{
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_project->selection.follow(m_project->document);
    m_scene = std::make_unique<GraphScene>(m_project->document, m_project->selection, GraphPart::Network, m_project->theme);
    m_view = std::make_unique<GraphView>(*m_scene);
    m_view->resize(1000, 600);
    m_view->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    m_view->setFocus();
}

void GraphViewTest::cleanup()
{
    m_view.reset();
    m_scene.reset();
    m_project.reset();
}

void GraphViewTest::drag(const QPoint& from, const QPoint& by, Qt::MouseButton button)
{
    QTest::mousePress(port(), button, {}, from);
    constexpr int kParts = 4;
    for (int i = 1; i <= kParts; ++i) {
        const QPointF to = from + QPointF(by) * i / kParts;
        QMouseEvent move(QEvent::MouseMove, to, port()->mapToGlobal(to), Qt::NoButton, button, Qt::NoModifier);
        QApplication::sendEvent(port(), &move);
    }
    QTest::mouseRelease(port(), button, {}, from + by);
}

void GraphViewTest::drawsEveryNodeAndEdge()
{
    const Graph& graph = m_project->document.graph(GraphPart::Network);
    for (const Node& node : graph.nodes()) {
        QVERIFY2(m_scene->nodeItem(node.id), node.id.c_str());
    }
    for (const Edge& edge : graph.edges()) {
        QVERIFY2(m_scene->edgeItem(edge), edge.from.text().c_str());
    }
    QCOMPARE(m_scene->items().size(), 9 + 8);
    QVERIFY(!m_project->document.isModified()); // it was laid out on the way in
    for (const Node& a : graph.nodes()) {
        for (const Node& b : graph.nodes()) {
            QVERIFY2(a.id == b.id || !m_scene->nodeItem(a.id)->box().intersects(m_scene->nodeItem(b.id)->box()),
                     (a.id + " lies on " + b.id).c_str());
        }
    }
}

void GraphViewTest::writesShapesOnEdges()
{
    // By hand: padding 1 keeps 28×28, pooling by 2 halves it, 32·14·14 = 6272.
    QCOMPARE(shapeOn(*m_scene, "image", "conv1"), QStringLiteral("1×28×28"));
    QCOMPARE(shapeOn(*m_scene, "conv1", "relu1"), QStringLiteral("32×28×28"));
    QCOMPARE(shapeOn(*m_scene, "relu1", "pool1"), QStringLiteral("32×28×28"));
    QCOMPARE(shapeOn(*m_scene, "pool1", "flat"), QStringLiteral("32×14×14"));
    QCOMPARE(shapeOn(*m_scene, "flat", "fc1"), QStringLiteral("6272"));
    QCOMPARE(shapeOn(*m_scene, "fc1", "fc2"), QStringLiteral("128"));
    QCOMPARE(shapeOn(*m_scene, "fc2", "loss:input"), QStringLiteral("10"));
    QCOMPARE(shapeOn(*m_scene, "label", "loss:target"), QStringLiteral("10 classes"));
}

void GraphViewTest::describesNodes()
{
    const NodeLook& conv = m_scene->nodeItem("conv1")->look();
    QCOMPARE(conv.name, QStringLiteral("conv1"));
    QCOMPARE(conv.kindLine, QStringLiteral("Conv2d  3×3, 32, pad 1"));
    QCOMPARE(conv.family, ColorRole::FamilyConvolution);
    QVERIFY(conv.toolTip.contains(QStringLiteral("N×32×28×28")));
    QVERIFY(conv.toolTip.contains(QStringLiteral("320"))); // 32·(1·3·3) + 32 weights
    QCOMPARE(m_scene->nodeItem("relu1")->look().kindLine, QStringLiteral("ReLU"));
    QCOMPARE(m_scene->nodeItem("pool1")->look().kindLine, QStringLiteral("MaxPool2d  2×2"));
    QCOMPARE(m_scene->nodeItem("fc1")->look().kindLine, QStringLiteral("Linear  128"));
}

void GraphViewTest::marksProblems()
{
    QVERIFY(!m_scene->nodeItem("conv1")->look().badge);
    QVERIFY(!m_scene->edgeItem(edge("flat", "fc1"))->look().bad);
    const GraphEdit wrong{edit::SetParameter{"fc1", "in_features", 100}};
    QVERIFY(m_project->document.push(GraphPart::Network, wrong, QStringLiteral("wrong")).ok());
    m_project->waitForCheck();
    QCOMPARE(m_scene->nodeItem("fc1")->look().badge, std::optional(Severity::Error));
    const EdgeLook& look = m_scene->edgeItem(edge("flat", "fc1"))->look();
    QVERIFY(look.bad);
    QVERIFY2(look.toolTip.contains(QStringLiteral("100")) && look.toolTip.contains(QStringLiteral("6272")), qPrintable(look.toolTip));
    QVERIFY(!m_scene->edgeItem(edge("fc1", "fc2"))->look().bad);

    m_project->document.undoStack()->undo();
    m_project->waitForCheck();
    QVERIFY(!m_scene->nodeItem("fc1")->look().badge);
    QVERIFY(!m_scene->edgeItem(edge("flat", "fc1"))->look().bad);
}

void GraphViewTest::locksFrozenNodes()
{
    QVERIFY(!m_scene->nodeItem("conv1")->look().frozen);
    QVERIFY(m_project->document.setValue(QStringLiteral("training.freeze"), Json::array({"conv*"}), QStringLiteral("freeze")).ok());
    m_project->waitForCheck();
    QVERIFY(m_scene->nodeItem("conv1")->look().frozen);
    QVERIFY(!m_scene->nodeItem("relu1")->look().frozen); // has no weights
    QVERIFY(!m_scene->nodeItem("fc1")->look().frozen);
}

void GraphViewTest::dragIsOneMove()
{
    QUndoStack* undo = m_project->document.undoStack();
    const Position before = m_project->position("fc1");
    m_view->setZoom(1);
    m_view->centerOn(m_scene->nodeItem("fc1"));
    drag(at("fc1"), {60, 40});
    QCOMPARE(undo->count(), 1);
    const Position after = m_project->position("fc1");
    QVERIFY2(std::abs(after.x - before.x - 60) <= 4 && std::abs(after.y - before.y - 40) <= 4, "not where it was dropped");
    QCOMPARE(m_scene->nodeItem("fc1")->pos(), QPointF(after.x, after.y));
    undo->undo();
    QVERIFY(m_project->position("fc1") == before);
    QCOMPARE(m_scene->nodeItem("fc1")->pos(), QPointF(before.x, before.y));
    QVERIFY(!m_project->document.isModified());
}

void GraphViewTest::clickWithoutDragIsNoEdit()
{
    m_view->centerOn(m_scene->nodeItem("fc1"));
    QTest::mouseClick(port(), Qt::LeftButton, {}, at("fc1"));
    QCOMPARE(m_project->document.undoStack()->count(), 0);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
    QTest::mouseClick(port(), Qt::LeftButton, {}, at("fc1") + QPoint(0, 150));
    QVERIFY(m_project->selection.nodes().empty());
}

void GraphViewTest::dragMovesTheWholeSelection()
{
    m_view->fit();
    m_project->selection.select(GraphPart::Network, {"conv1", "relu1"});
    const Position conv = m_project->position("conv1");
    const Position relu = m_project->position("relu1");
    drag(at("conv1"), {0, 60});
    QCOMPARE(m_project->document.undoStack()->count(), 1);
    QVERIFY(m_project->position("conv1").y > conv.y && m_project->position("relu1").y > relu.y);
    m_project->document.undoStack()->undo();
    QVERIFY(m_project->position("conv1") == conv && m_project->position("relu1") == relu);
}

void GraphViewTest::rubberBandSelects()
{
    m_view->fit();
    drag({4, 4}, QPoint(m_view->width() - 12, m_view->height() - 12));
    // The minimap in the corner must not swallow the gesture.
    QCOMPARE(m_project->selection.nodes().size(), std::size_t(9));
    QCOMPARE(m_project->document.undoStack()->count(), 0);
    QTest::keyClick(m_view.get(), Qt::Key_Escape);
    QVERIFY(m_project->selection.nodes().empty());
}

void GraphViewTest::keysGoThroughNodes()
{
    for (const char* id : {"image", "conv1", "relu1", "pool1", "flat", "fc1", "fc2", "label", "loss"}) {
        QTest::keyClick(m_view.get(), Qt::Key_Tab);
        QCOMPARE(m_project->selection.nodes(), std::set<std::string>{id});
        QVERIFY2(port()->rect().contains(at(id)), "the selected node is not in view");
    }
    QTest::keyClick(m_view.get(), Qt::Key_Backtab);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"label"});
}

void GraphViewTest::arrowsFollowEdges()
{
    QTest::keyClick(m_view.get(), Qt::Key_Right);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"image"});
    for (const char* id : {"conv1", "relu1", "pool1", "flat", "fc1", "fc2", "loss"}) {
        QTest::keyClick(m_view.get(), Qt::Key_Right);
        QCOMPARE(m_project->selection.nodes(), std::set<std::string>{id});
    }
    QTest::keyClick(m_view.get(), Qt::Key_Right); // nothing further
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"loss"});
    QTest::keyClick(m_view.get(), Qt::Key_Left);
    const std::set<std::string> back = m_project->selection.nodes();
    QVERIFY(back == std::set<std::string>{"fc2"} || back == std::set<std::string>{"label"});
}

void GraphViewTest::altArrowsMoveInOneStep()
{
    m_project->selection.select(GraphPart::Network, {"fc1"});
    const Position before = m_project->position("fc1");
    const auto send = [&](QEvent::Type type, Qt::Key key) {
        QKeyEvent event(type, key, Qt::AltModifier);
        QApplication::sendEvent(m_view.get(), &event);
    };
    send(QEvent::KeyPress, Qt::Key_Alt); // held, unlike in QTest::keyClick
    for (int i = 0; i < 3; ++i) {
        send(QEvent::KeyPress, Qt::Key_Down);
        send(QEvent::KeyRelease, Qt::Key_Down);
    }
    send(QEvent::KeyRelease, Qt::Key_Alt);
    QCOMPARE(m_project->position("fc1").y, before.y + 12);
    QCOMPARE(m_project->document.undoStack()->count(), 1);
    m_project->document.undoStack()->undo();
    QVERIFY(m_project->position("fc1") == before);
}

void GraphViewTest::zoomKeysAndFit()
{
    QTest::keyClick(m_view.get(), Qt::Key_0, Qt::ControlModifier);
    QCOMPARE(m_view->zoom(), 1.0);
    QTest::keyClick(m_view.get(), Qt::Key_Plus);
    QCOMPARE(m_view->zoom(), 1.2);
    QTest::keyClick(m_view.get(), Qt::Key_Minus);
    QTest::keyClick(m_view.get(), Qt::Key_Minus);
    QVERIFY(std::abs(m_view->zoom() - 1 / 1.2) < 1e-9);
    QTest::keyClick(m_view.get(), Qt::Key_9, Qt::ControlModifier);
    const QRectF seen = m_view->mapToScene(port()->rect()).boundingRect();
    QVERIFY(seen.contains(m_scene->nodesRect()));
    QVERIFY(m_view->zoom() <= 1);
    QVERIFY(std::abs(seen.center().x() - m_scene->nodesRect().center().x()) < 4);
    for (int i = 0; i < 40; ++i) {
        QTest::keyClick(m_view.get(), Qt::Key_Plus);
    }
    QCOMPARE(m_view->zoom(), GraphView::kMaximumZoom);
}

void GraphViewTest::wheelZoomsAboutTheCursor()
{
    m_view->setZoom(1);
    m_view->centerOn(m_scene->nodeItem("pool1"));
    const QPoint cursor(220, 170);
    const QPointF below = m_view->mapToScene(cursor);
    QTest::mouseMove(port(), cursor);
    QWheelEvent wheel(cursor, port()->mapToGlobal(cursor), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(port(), &wheel);
    QCOMPARE(m_view->zoom(), 1.2);
    const QPointF after = m_view->mapToScene(cursor);
    QVERIFY2(QLineF(below, after).length() < 3, "the point under the cursor has wandered");
}

void GraphViewTest::middleButtonPans()
{
    m_view->setZoom(1);
    m_view->centerOn(m_scene->nodeItem("pool1"));
    const QPoint before = at("pool1");
    drag({300, 300}, {80, -50}, Qt::MiddleButton);
    QCOMPARE(at("pool1") - before, QPoint(80, -50));
    QCOMPARE(m_project->document.undoStack()->count(), 0);
}

void GraphViewTest::spacePans()
{
    m_view->setZoom(1);
    m_view->centerOn(m_scene->nodeItem("pool1"));
    const QPoint before = at("pool1");
    QTest::keyPress(m_view.get(), Qt::Key_Space);
    drag(before, {60, 30}); // on a node: it must not move
    QTest::keyRelease(m_view.get(), Qt::Key_Space);
    QCOMPARE(at("pool1") - before, QPoint(60, 30));
    QCOMPARE(m_project->document.undoStack()->count(), 0);
    drag(at("pool1"), {40, 0}); // and now it does
    QCOMPARE(m_project->document.undoStack()->count(), 1);
}

void GraphViewTest::layoutIsOneUndoableStep()
{
    const auto before = m_project->document.graph(GraphPart::Network).positions();
    m_view->setDirection(LayoutDirection::TopToBottom);
    QTest::keyClick(m_view.get(), Qt::Key_L, Qt::ControlModifier);
    QCOMPARE(m_project->document.undoStack()->count(), 1);
    QVERIFY(m_project->position("conv1").y > m_project->position("image").y);
    QVERIFY(m_project->position("loss").y > m_project->position("fc2").y);
    m_project->document.undoStack()->undo();
    QVERIFY(m_project->document.graph(GraphPart::Network).positions() == before);
}

void GraphViewTest::minimapRecentres()
{
    m_view->setZoom(2);
    m_view->centerOn(m_scene->nodeItem("image"));
    Minimap* map = m_view->minimap();
    QTRY_VERIFY(map->isVisible());
    QTRY_VERIFY(QRectF(map->mapToScene(map->viewport()->rect()).boundingRect()).contains(m_scene->nodesRect()));
    const QPoint loss = map->mapFromScene(m_scene->nodeItem("loss")->box().center());
    QTest::mouseClick(map->viewport(), Qt::LeftButton, {}, loss);
    QVERIFY(port()->rect().contains(at("loss")));
    const QPoint image = map->mapFromScene(m_scene->nodeItem("image")->box().center());
    QTest::mousePress(map->viewport(), Qt::LeftButton, {}, loss);
    QMouseEvent move(QEvent::MouseMove, QPointF(image), map->viewport()->mapToGlobal(QPointF(image)), Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(map->viewport(), &move);
    QTest::mouseRelease(map->viewport(), Qt::LeftButton, {}, image);
    QVERIFY(port()->rect().contains(at("image")));
    QVERIFY(m_project->selection.nodes().empty());
}

void GraphViewTest::renameKeepsTheSelection()
{
    m_project->selection.select(GraphPart::Network, {"fc1"});
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::Rename{"fc1", "hidden"}}, QStringLiteral("rename")).ok());
    QVERIFY(!m_scene->nodeItem("fc1"));
    QCOMPARE(m_scene->nodeItem("hidden")->look().name, QStringLiteral("hidden"));
    QVERIFY(m_scene->edgeItem(edge("flat", "hidden")));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"hidden"});
    QVERIFY(m_scene->nodeItem("hidden")->isSelected());
    m_project->document.undoStack()->undo();
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
}

void GraphViewTest::removedNodesLeaveTheScene()
{
    m_project->selection.select(GraphPart::Network, {"pool1"});
    QVERIFY(m_project->document.push(GraphPart::Network, GraphEdit{edit::RemoveNode{"pool1"}}, QStringLiteral("remove")).ok());
    QVERIFY(!m_scene->nodeItem("pool1"));
    QCOMPARE(m_scene->items().size(), 8 + 6);
    QVERIFY(m_project->selection.nodes().empty());
    m_project->document.undoStack()->undo();
    QVERIFY(m_scene->edgeItem(edge("relu1", "pool1")));
    QCOMPARE(m_scene->items().size(), 9 + 8);
}

void GraphViewTest::activityIsLogarithmic()
{
    QCOMPARE(NodeItem::activityShare(1e-8), 0.0);
    QCOMPARE(NodeItem::activityShare(1e-3), 0.5);
    QCOMPARE(NodeItem::activityShare(1e2), 1.0);
    QCOMPARE(NodeItem::activityShare(0), 0.0);
    QCOMPARE(NodeItem::activityShare(std::numeric_limits<double>::quiet_NaN()), 1.0);
    m_scene->setActivity({{"conv1", 0.5}});
    QCOMPARE(m_scene->nodeItem("conv1")->activity(), std::optional(0.5));
    m_scene->setActivity({{"fc1", 0.25}});
    QVERIFY(!m_scene->nodeItem("conv1")->activity());
}

void GraphViewTest::emptyCanvasSaysWhy()
{
    ProjectDocument none;
    Selection selection;
    GraphScene scene(none, selection, GraphPart::Network, m_project->theme);
    GraphView view(scene);
    view.resize(600, 400);
    view.show();
    QVERIFY(QTest::qWaitForWindowExposed(&view));
    auto* text = view.findChild<QLabel*>(QStringLiteral("emptyText"));
    QVERIFY(text->isVisible());
    QVERIFY(text->text().contains(QStringLiteral("No project is open")));
    QSignalSpy asked(&view, &GraphView::openRequested);
    QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("emptyOpenButton")), Qt::LeftButton);
    QCOMPARE(asked.count(), 1);
    QVERIFY(!m_view->findChild<QLabel*>(QStringLiteral("emptyText"))->isVisible());
}

void GraphViewTest::onlyOnePartIsSelected()
{
    GraphScene data(m_project->document, m_project->selection, GraphPart::Data, m_project->theme);
    QVERIFY(data.nodeItem("digits") && data.nodeItem("loader") && !data.nodeItem("conv1"));
    m_project->selection.select(GraphPart::Network, {"conv1"});
    QVERIFY(m_scene->nodeItem("conv1")->isSelected());
    data.selectOnly("split");
    QVERIFY(data.nodeItem("split")->isSelected());
    QVERIFY(!m_scene->nodeItem("conv1")->isSelected());
    QCOMPARE(m_project->selection.part(), GraphPart::Data);
}

void GraphViewTest::opensFiveThousandNodesQuickly()
{
    // Not a timed assertion of the two seconds that are wanted (a busy machine would break it): only what
    // a quadratic slip would exceed by far.
    std::string nodes = R"({"id": "image", "kind": "Input", "params": {"field": "image"}})";
    std::string edges;
    std::string last = "image";
    for (int i = 0; i < 5000; ++i) {
        const std::string id = "relu" + std::to_string(i);
        nodes += R"(,{"id": ")" + id + R"(", "kind": "ReLU"})";
        edges += std::string(i == 0 ? "" : ",") + "[\"" + last + "\",\"" + id + "\"]";
        last = i % 50 == 49 ? "image" : id; // a hundred chains
    }
    const std::string text = R"({"athanor": 1, "name": "big", "network": {"nodes": [)" + nodes + R"(], "edges": [)" + edges + "]}}";
    Result<LoadedProject> parsed = parseProject(text);
    QVERIFY(parsed.ok());
    QElapsedTimer clock;
    clock.start();
    m_project->document.setProject(parsed->project);
    m_view->grab();
    const qint64 opened = clock.restart();
    for (int i = 0; i < 20; ++i) {
        m_view->horizontalScrollBar()->setValue(m_view->horizontalScrollBar()->value() + 40);
        m_view->grab();
    }
    const qint64 panned = clock.restart();
    m_view->fit();
    m_view->grab();
    const qint64 fitted = clock.elapsed();
    qInfo("5,001 nodes: opened in %lld ms, 20 frames of panning in %lld ms, all of it in %lld ms", opened, panned, fitted);
    QCOMPARE(m_scene->items().size(), 5001 + 5000);
    QVERIFY(opened < 20000);
}

QTEST_MAIN(GraphViewTest)
#include "tst_graph_view.moc"
