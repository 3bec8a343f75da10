// Editing on the canvas, driven by real mouse, drag and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/canvas_actions.h"
#include "ui/graph/canvas_mime.h"
#include "ui/graph/comment_item.h"
#include "ui/graph/edge_item.h"
#include "ui/graph/find_bar.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_item.h"
#include "ui/graph/quick_add.h"

#include <QAction>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMimeData>
#include <QNativeGestureEvent>
#include <QPlainTextEdit>
#include <QPointingDevice>
#include <QSignalSpy>
#include <QWheelEvent>

using namespace athanor;
using namespace athanor::test;

namespace {

constexpr auto kNetwork = GraphPart::Network;

} // namespace

class CanvasEditingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void dragsAWireToAPort();
    void aTakenInputIsReplaced();
    void aRefusedWireSaysWhy();
    void draggingAnEndMovesTheWire();
    void draggingAnEndIntoSpaceRemovesTheWire();
    void aWireIntoSpaceOffersWhatFits();
    void connectsByKeys();
    void escapeGivesTheWireUp();
    void typingAddsBehindTheSelectedNode();
    void typingAddsUnderTheCursor();
    void aNewNodeCoversNoOther();
    void quickAddKeys();
    void doubleClickAddsThere();
    void doubleClickOnAWirePutsANodeIn();
    void dropsAKindOnTheCanvas();
    void dropsAKindOnAWire();
    void draggingALooseNodeOntoAWire();
    void makesRoomForANewNode();
    void deleteHeals();
    void shiftDeleteLeavesAGap();
    void deletesAWire();
    void rubberBandMeansNodes();
    void copiesAndPastes();
    void cutsAndPastes();
    void pastesBetweenWindows();
    void pasteRefusesOtherText();
    void duplicates();
    void renamesInPlace();
    void aRefusedNameStaysOpen();
    void comments();
    void resizesAndMovesComments();
    void findsNodes();
    void alignsAndDistributes();
    void snapsToNeighbours();
    void shiftAndControlSelect();
    void homeAndEnd();
    void contextMenus();
    void menusActOnWhatIsUnderTheCursor();
    void touchpadPansAndPinches();
    void undoNamesEveryStep();
    void undoingAllBringsTheFileBack();
    void drawsAChainFromAnEmptyCanvas();
    void dataCanvasHasItAll();
    void textsOfActionsAreUnique();

private:
    QPoint at(const char* node) const { return m_view->mapFromScene(m_scene->nodeItem(node)->box().center()); }
    QPoint port(const char* node, PortSide side, std::size_t place = 0) const
    {
        return m_view->mapFromScene(m_scene->nodeItem(node)->portPoint({side, place}));
    }
    QPoint along(const char* from, const char* to, double share) const
    {
        const EdgeItem* item = m_scene->edgeItem(edge(from, to));
        return m_view->mapFromScene(item->start() + (item->end() - item->start()) * share);
    }
    QWidget* ground() const { return m_view->viewport(); }
    template <typename T> T* child(const char* name) const { return m_view->findChild<T*>(QString::fromLatin1(name)); }
    [[nodiscard]] const Graph& graph() const { return m_project->document.graph(kNetwork); }
    [[nodiscard]] bool has(const char* from, const char* to) const
    {
        const auto& edges = graph().edges();
        return std::find(edges.begin(), edges.end(), edge(from, to)) != edges.end();
    }
    [[nodiscard]] QUndoStack& undo() const { return *m_project->document.undoStack(); }
    [[nodiscard]] QString lastStep() const { return undo().text(undo().index() - 1); }
    void select(std::set<std::string> nodes) { m_project->selection.select(kNetwork, std::move(nodes)); }
    void key(int key, Qt::KeyboardModifiers modifiers = {}) { QTest::keyClick(m_view.get(), static_cast<Qt::Key>(key), modifiers); }
    void press(const QPoint& at, Qt::KeyboardModifiers modifiers = {}) { QTest::mousePress(ground(), Qt::LeftButton, modifiers, at); }
    void moveTo(const QPoint& to, Qt::MouseButtons buttons = Qt::LeftButton);
    void drag(const QPoint& from, const QPoint& to);
    void drop(const char* kind, const QPoint& at);
    QMenu* menuAt(const QPoint& at);
    QStringList offered() const;

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<GraphScene> m_scene;
    std::unique_ptr<GraphView> m_view;
};

void CanvasEditingTest::init()
{
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_project->selection.follow(m_project->document);
    m_scene = std::make_unique<GraphScene>(m_project->document, m_project->selection, kNetwork, m_project->theme);
    m_view = std::make_unique<GraphView>(*m_scene);
    m_view->resize(2400, 800); // all of it at 100 %
    m_view->show();
    QVERIFY(QTest::qWaitForWindowActive(m_view.get()));
    m_view->setFocus();
    m_view->setZoom(1);
    m_view->centerOn(m_scene->nodesRect().center());
}

void CanvasEditingTest::cleanup()
{
    m_view.reset();
    m_scene.reset();
    m_project.reset();
}

void CanvasEditingTest::moveTo(const QPoint& to, Qt::MouseButtons buttons)
{
    QMouseEvent move(QEvent::MouseMove, QPointF(to), ground()->mapToGlobal(QPointF(to)), Qt::NoButton, buttons, Qt::NoModifier);
    QApplication::sendEvent(ground(), &move);
}

void CanvasEditingTest::drag(const QPoint& from, const QPoint& to)
{
    press(from);
    for (int i = 1; i <= 4; ++i) {
        moveTo(from + (to - from) * i / 4);
    }
    QTest::mouseRelease(ground(), Qt::LeftButton, {}, to);
}

void CanvasEditingTest::drop(const char* kind, const QPoint& at)
{
    QMimeData mime;
    mime.setData(QString::fromLatin1(kKindMime), kind);
    QDragEnterEvent enter(at, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &enter);
    QDragMoveEvent move(at, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &move);
    QDropEvent drop(at, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &drop);
}

QMenu* CanvasEditingTest::menuAt(const QPoint& at)
{
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, ground()->mapToGlobal(at));
    QApplication::sendEvent(ground(), &event);
    const auto menus = m_view->findChildren<QMenu*>(QStringLiteral("canvasMenu"));
    return menus.isEmpty() ? nullptr : menus.last();
}

QStringList CanvasEditingTest::offered() const
{
    QStringList kinds;
    auto* list = child<QListWidget>("quickAddList");
    for (int row = 0; row < list->count(); ++row) {
        kinds << list->item(row)->data(Qt::UserRole).toString();
    }
    return kinds;
}

void CanvasEditingTest::dragsAWireToAPort()
{
    QVERIFY(m_project->document.push(kNetwork, GraphEdit{edit::Disconnect{edge("relu1", "pool1")}}, QStringLiteral("cut")).ok());
    press(port("relu1", PortSide::Output));
    moveTo(port("relu1", PortSide::Output) + QPoint(30, 0));
    moveTo(port("pool1", PortSide::Input));
    QCOMPARE(m_scene->nodeItem("pool1")->target(), TargetMark::Accepts);
    QVERIFY2(child<QLabel>("canvasHint")->text().startsWith(QStringLiteral("relu1 → pool1")), qPrintable(child<QLabel>("canvasHint")->text()));
    QTest::mouseRelease(ground(), Qt::LeftButton, {}, port("pool1", PortSide::Input));
    QVERIFY(has("relu1", "pool1"));
    QCOMPARE(lastStep(), QStringLiteral("Connect relu1 to pool1"));
    QCOMPARE(m_scene->nodeItem("pool1")->target(), TargetMark::None);
    QVERIFY(!child<QLabel>("canvasHint")->isVisible());
    // From an input to an output, dropped anywhere on the node.
    undo().undo();
    drag(port("pool1", PortSide::Input), at("relu1"));
    QVERIFY(has("relu1", "pool1"));
}

void CanvasEditingTest::aTakenInputIsReplaced()
{
    press(port("conv1", PortSide::Output));
    moveTo(port("conv1", PortSide::Output) + QPoint(20, 60));
    moveTo(at("pool1"));
    QVERIFY(child<QLabel>("canvasHint")->text().contains(QStringLiteral("replaces the wire from relu1")));
    QTest::mouseRelease(ground(), Qt::LeftButton, {}, at("pool1"));
    QVERIFY(has("conv1", "pool1") && !has("relu1", "pool1"));
    QCOMPARE(undo().count(), 1);
    undo().undo();
    QVERIFY(!has("conv1", "pool1") && has("relu1", "pool1"));
}

void CanvasEditingTest::aRefusedWireSaysWhy()
{
    press(port("fc1", PortSide::Output));
    moveTo(port("fc1", PortSide::Output) + QPoint(20, 60));
    moveTo(at("conv1"));
    QCOMPARE(m_scene->nodeItem("conv1")->target(), TargetMark::Refuses);
    QVERIFY2(child<QLabel>("canvasHint")->text().contains(QStringLiteral("cycle")), qPrintable(child<QLabel>("canvasHint")->text()));
    QTest::mouseRelease(ground(), Qt::LeftButton, {}, at("conv1"));
    QCOMPARE(undo().count(), 0);
    QVERIFY(child<QLabel>("canvasHint")->isVisible()); // still to be read
}

void CanvasEditingTest::draggingAnEndMovesTheWire()
{
    drag(along("relu1", "pool1", 0.85), at("flat"));
    QVERIFY(has("relu1", "flat") && !has("relu1", "pool1") && !has("pool1", "flat"));
    undo().undo();
    drag(along("relu1", "pool1", 0.15), at("conv1")); // its beginning
    QVERIFY(has("conv1", "pool1") && !has("relu1", "pool1"));
    undo().undo();
    drag(port("pool1", PortSide::Input), port("pool1", PortSide::Input) + QPoint(0, 3)); // a trembling click
    QVERIFY(has("relu1", "pool1"));
    QVERIFY(m_scene->edgeItem(edge("relu1", "pool1"))->isSelected());
}

void CanvasEditingTest::draggingAnEndIntoSpaceRemovesTheWire()
{
    drag(port("pool1", PortSide::Input), port("pool1", PortSide::Input) + QPoint(-30, 150));
    QVERIFY(!has("relu1", "pool1"));
    QCOMPARE(lastStep(), QStringLiteral("Disconnect pool1 from relu1"));
    QVERIFY(!child<QuickAdd>("quickAdd")->isVisible());
}

void CanvasEditingTest::aWireIntoSpaceOffersWhatFits()
{
    drag(port("flat", PortSide::Output), port("flat", PortSide::Output) + QPoint(60, 160));
    auto* box = child<QuickAdd>("quickAdd");
    QVERIFY(box->isVisible());
    // 6272 numbers a sample: no image, no sequence.
    const QStringList kinds = offered();
    QVERIFY(kinds.contains(QStringLiteral("Linear")) && kinds.contains(QStringLiteral("ReLU")));
    QVERIFY(!kinds.contains(QStringLiteral("Conv2d")) && !kinds.contains(QStringLiteral("Input")));
    QVERIFY(child<QLabel>("quickAddNote")->text().contains(QStringLiteral("6272")));
    QTest::keyClicks(child<QLineEdit>("quickAddInput"), QStringLiteral("dropo"));
    QTest::keyClick(child<QLineEdit>("quickAddInput"), Qt::Key_Return);
    QVERIFY(graph().find("dropout1"));
    QVERIFY(has("flat", "dropout1") && has("flat", "fc1"));
    QCOMPARE(undo().count(), 1);
    QVERIFY(!box->isVisible());
    QVERIFY(m_view->hasFocus());
}

void CanvasEditingTest::connectsByKeys()
{
    select({"conv1"});
    key(Qt::Key_J, Qt::ControlModifier);
    QVERIFY(child<QLabel>("canvasHint")->isVisible());
    key(Qt::Key_Right);
    key(Qt::Key_Right);
    QCOMPARE(m_scene->nodeItem("pool1")->target(), TargetMark::Accepts);
    key(Qt::Key_Return);
    QVERIFY(has("conv1", "pool1") && !has("relu1", "pool1"));
    QCOMPARE(m_scene->nodeItem("pool1")->target(), TargetMark::None);
    // Tab chooses the port.
    select({"fc1"});
    key(Qt::Key_J, Qt::ControlModifier);
    key(Qt::Key_Right);
    key(Qt::Key_Right);
    QCOMPARE(m_scene->nodeItem("loss")->target(), TargetMark::Accepts);
    const auto first = m_scene->nodeItem("loss")->targetPort();
    key(Qt::Key_Tab);
    QVERIFY(m_scene->nodeItem("loss")->targetPort() != first);
    key(Qt::Key_Return);
    QVERIFY(has("fc1", "loss:target"));
}

void CanvasEditingTest::escapeGivesTheWireUp()
{
    select({"conv1"});
    key(Qt::Key_J, Qt::ControlModifier);
    key(Qt::Key_Right);
    key(Qt::Key_Escape);
    QVERIFY(!m_scene->wire().isActive());
    QCOMPARE(undo().count(), 0);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"conv1"}); // only the wire was given up
    // Delete takes out the wire that is there, not the node.
    key(Qt::Key_J, Qt::ControlModifier);
    key(Qt::Key_Right);
    QCOMPARE(m_scene->nodeItem("relu1")->target(), TargetMark::Refuses); // they are connected already
    key(Qt::Key_Delete);
    QVERIFY(!has("conv1", "relu1") && graph().find("conv1") && graph().find("relu1"));
    QCOMPARE(lastStep(), QStringLiteral("Disconnect relu1 from conv1"));
}

void CanvasEditingTest::typingAddsBehindTheSelectedNode()
{
    select({"conv1"});
    QTest::keyClick(m_view.get(), 'b');
    auto* input = child<QLineEdit>("quickAddInput");
    QVERIFY(input->isVisible() && input->hasFocus());
    QCOMPARE(input->text(), QStringLiteral("b"));
    QTest::keyClicks(input, QStringLiteral("atchnorm2"));
    QTest::keyClick(input, Qt::Key_Return);
    QVERIFY(graph().find("batchnorm1"));
    QVERIFY(has("conv1", "batchnorm1") && has("batchnorm1", "relu1") && !has("conv1", "relu1"));
    QCOMPARE(lastStep(), QStringLiteral("Add BatchNorm2d batchnorm1"));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"batchnorm1"});
    QVERIFY(m_view->hasFocus());
}

void CanvasEditingTest::typingAddsUnderTheCursor()
{
    const QPoint place = at("flat") + QPoint(0, 200);
    QTest::mouseClick(ground(), Qt::LeftButton, {}, place);
    moveTo(place, Qt::NoButton);
    QTest::keyClick(m_view.get(), 't');
    QTest::keyClicks(child<QLineEdit>("quickAddInput"), QStringLiteral("anh"));
    QTest::keyClick(child<QLineEdit>("quickAddInput"), Qt::Key_Return);
    QVERIFY(graph().find("tanh1"));
    QVERIFY((at("tanh1") - place).manhattanLength() <= 8);
    QVERIFY(graph().incoming("tanh1").empty());
}

void CanvasEditingTest::aNewNodeCoversNoOther()
{
    moveTo(at("flat"), Qt::NoButton); // the cursor was left on a node
    m_scene->clearSelection();
    QTest::keyClick(m_view.get(), 't');
    QTest::keyClicks(child<QLineEdit>("quickAddInput"), QStringLiteral("anh"));
    QTest::keyClick(child<QLineEdit>("quickAddInput"), Qt::Key_Return);
    QVERIFY(graph().find("tanh1"));
    QVERIFY(!m_scene->nodeItem("tanh1")->box().intersects(m_scene->nodeItem("flat")->box()));
}

void CanvasEditingTest::quickAddKeys()
{
    m_scene->clearSelection();
    key(Qt::Key_Insert);
    auto* input = child<QLineEdit>("quickAddInput");
    auto* list = child<QListWidget>("quickAddList");
    QVERIFY(input->isVisible());
    QCOMPARE(list->currentRow(), 0);
    QTest::keyClick(input, Qt::Key_Down);
    QTest::keyClick(input, Qt::Key_Down);
    QTest::keyClick(input, Qt::Key_Up);
    QCOMPARE(list->currentRow(), 1);
    QTest::keyClicks(input, QStringLiteral("zzzz"));
    QCOMPARE(list->count(), 0);
    QVERIFY(child<QLabel>("quickAddNote")->isVisible());
    QTest::keyClick(input, Qt::Key_Return); // nothing is chosen, so nothing happens
    QVERIFY(input->isVisible());
    QTest::keyClick(input, Qt::Key_Escape);
    QVERIFY(!input->isVisible());
    QCOMPARE(undo().count(), 0);
    QTest::keyClick(m_view.get(), '5'); // digits are no kind's beginning
    QVERIFY(!input->isVisible());
}

void CanvasEditingTest::doubleClickAddsThere()
{
    const QPoint place = at("flat") + QPoint(40, 220);
    QTest::mouseDClick(ground(), Qt::LeftButton, {}, place);
    QTest::keyClicks(child<QLineEdit>("quickAddInput"), QStringLiteral("Identity"));
    QTest::keyClick(child<QLineEdit>("quickAddInput"), Qt::Key_Return);
    QVERIFY(graph().find("identity1"));
    QVERIFY((at("identity1") - place).manhattanLength() <= 8);
    QSignalSpy activated(m_view.get(), &GraphView::nodeActivated);
    QTest::mouseDClick(ground(), Qt::LeftButton, {}, at("flat"));
    QCOMPARE(activated.count(), 1);
    QVERIFY(!child<QuickAdd>("quickAdd")->isVisible());
}

void CanvasEditingTest::doubleClickOnAWirePutsANodeIn()
{
    QTest::mouseDClick(ground(), Qt::LeftButton, {}, along("relu1", "pool1", 0.5));
    QVERIFY(child<QuickAdd>("quickAdd")->isVisible());
    QVERIFY(!offered().contains(QStringLiteral("CrossEntropyLoss"))); // nothing follows a loss
    QTest::keyClicks(child<QLineEdit>("quickAddInput"), QStringLiteral("dropout2"));
    QTest::keyClick(child<QLineEdit>("quickAddInput"), Qt::Key_Return);
    QVERIFY(!has("relu1", "pool1"));
    const std::set<std::string> added = m_project->selection.nodes();
    QCOMPARE(added.size(), std::size_t(1));
    QVERIFY(has("relu1", added.begin()->c_str()) && has(added.begin()->c_str(), "pool1"));
}

void CanvasEditingTest::dropsAKindOnTheCanvas()
{
    const QPoint place = at("flat") + QPoint(0, 180);
    drop("Conv2d", place);
    QVERIFY(graph().find("conv2"));
    QVERIFY((at("conv2") - place).manhattanLength() <= 8);
    QCOMPARE(lastStep(), QStringLiteral("Add Conv2d conv2"));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"conv2"});
    drop("MnistIdx", place); // a kind of the other canvas
    QCOMPARE(undo().count(), 1);
}

void CanvasEditingTest::dropsAKindOnAWire()
{
    QMimeData mime;
    mime.setData(QString::fromLatin1(kKindMime), "Dropout");
    const QPoint place = along("fc1", "fc2", 0.5);
    QDragEnterEvent enter(place, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &enter);
    QDragMoveEvent move(place, Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &move);
    QVERIFY(m_scene->edgeItem(edge("fc1", "fc2"))->isMarked());
    QDragMoveEvent away(place + QPoint(0, 200), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(ground(), &away);
    QVERIFY(!m_scene->edgeItem(edge("fc1", "fc2"))->isMarked());
    QDragLeaveEvent leave;
    QApplication::sendEvent(ground(), &leave);
    drop("Dropout", place);
    QVERIFY(has("fc1", "dropout1") && has("dropout1", "fc2") && !has("fc1", "fc2"));
    QCOMPARE(undo().count(), 1);
    undo().undo();
    QVERIFY(has("fc1", "fc2") && !graph().find("dropout1"));
}

void CanvasEditingTest::draggingALooseNodeOntoAWire()
{
    drop("Dropout", at("flat") + QPoint(0, 180));
    drag(at("dropout1"), along("fc1", "fc2", 0.5));
    QVERIFY(has("fc1", "dropout1") && has("dropout1", "fc2") && !has("fc1", "fc2"));
    QCOMPARE(lastStep(), QStringLiteral("Put dropout1 between fc1 and fc2"));
    QCOMPARE(undo().count(), 2);
}

void CanvasEditingTest::makesRoomForANewNode()
{
    select({"conv1"});
    m_view->addKind(QStringLiteral("BatchNorm2d"));
    for (const Node& a : graph().nodes()) {
        for (const Node& b : graph().nodes()) {
            QVERIFY2(a.id == b.id || !m_scene->nodeItem(a.id)->box().intersects(m_scene->nodeItem(b.id)->box()),
                     (a.id + " lies on " + b.id).c_str());
        }
    }
    QVERIFY(m_project->position("batchnorm1").x > m_project->position("conv1").x);
    QVERIFY(m_project->position("relu1").x > m_project->position("batchnorm1").x);
    QCOMPARE(undo().count(), 1);
}

void CanvasEditingTest::deleteHeals()
{
    select({"relu1", "pool1"});
    key(Qt::Key_Delete);
    QVERIFY(!graph().find("relu1") && !graph().find("pool1"));
    QVERIFY(has("conv1", "flat"));
    QCOMPARE(lastStep(), QStringLiteral("Delete 2 nodes"));
    undo().undo();
    QVERIFY(has("conv1", "relu1") && has("relu1", "pool1") && has("pool1", "flat") && !has("conv1", "flat"));
}

void CanvasEditingTest::shiftDeleteLeavesAGap()
{
    select({"relu1"});
    key(Qt::Key_Delete, Qt::ShiftModifier);
    QVERIFY(!graph().find("relu1") && !has("conv1", "pool1"));
    QCOMPARE(lastStep(), QStringLiteral("Delete relu1"));
}

void CanvasEditingTest::deletesAWire()
{
    QTest::mouseClick(ground(), Qt::LeftButton, {}, along("relu1", "pool1", 0.5));
    QVERIFY(m_scene->edgeItem(edge("relu1", "pool1"))->isSelected());
    QVERIFY(m_project->selection.nodes().empty());
    key(Qt::Key_Delete);
    QVERIFY(!has("relu1", "pool1") && graph().find("relu1") && graph().find("pool1"));
    QCOMPARE(lastStep(), QStringLiteral("Delete a wire"));
}

void CanvasEditingTest::rubberBandMeansNodes()
{
    const QPoint from = at("relu1") - QPoint(120, 60);
    drag(from, at("relu1") + QPoint(120, 60)); // over the wires on both sides
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"relu1"});
    key(Qt::Key_Delete);
    QVERIFY(has("conv1", "pool1"));
}

void CanvasEditingTest::copiesAndPastes()
{
    select({"conv1", "relu1"});
    key(Qt::Key_C, Qt::ControlModifier);
    const QMimeData* mime = QApplication::clipboard()->mimeData();
    QVERIFY(mime->hasFormat(QString::fromLatin1(kGraphMime)) && mime->hasText());
    QVERIFY(mime->text().contains(QStringLiteral("\"conv1\"")));
    const QPoint place = at("flat") + QPoint(-100, 180);
    moveTo(place, Qt::NoButton);
    key(Qt::Key_V, Qt::ControlModifier);
    QVERIFY(graph().find("conv2") && graph().find("relu2"));
    QVERIFY(has("conv2", "relu2") && !has("conv1", "relu2"));
    QVERIFY(graph().find("conv2")->params == graph().find("conv1")->params);
    QCOMPARE(m_project->selection.nodes(), (std::set<std::string>{"conv2", "relu2"}));
    QCOMPARE(lastStep(), QStringLiteral("Paste 2 nodes"));
    const QPointF corner = m_scene->nodeItem("conv2")->box().topLeft();
    QVERIFY((m_view->mapFromScene(corner) - place).manhattanLength() <= 8);
    key(Qt::Key_V, Qt::ControlModifier); // once more: beside the first paste, not on it
    QVERIFY(graph().find("conv3"));
    QVERIFY(!(m_project->position("conv3") == m_project->position("conv2")));
}

void CanvasEditingTest::cutsAndPastes()
{
    select({"relu1"});
    key(Qt::Key_X, Qt::ControlModifier);
    QVERIFY(!graph().find("relu1") && has("conv1", "pool1"));
    key(Qt::Key_V, Qt::ControlModifier);
    QVERIFY(graph().find("relu1")); // the name is free again
    undo().undo();
    undo().undo();
    QVERIFY(has("conv1", "relu1") && has("relu1", "pool1"));
}

void CanvasEditingTest::pastesBetweenWindows()
{
    select({"fc1", "fc2"});
    key(Qt::Key_C, Qt::ControlModifier);
    OpenProject other;
    other.open(R"({"athanor": 1, "name": "other"})");
    GraphScene scene(other.document, other.selection, kNetwork, other.theme);
    GraphView view(scene);
    view.resize(600, 400);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_V, Qt::ControlModifier);
    const Graph& pasted = other.document.graph(kNetwork);
    QVERIFY(pasted.find("fc1") && pasted.find("fc2"));
    QVERIFY(pasted.find("fc1")->params == Json({{"out_features", 128}}));
    QCOMPARE(pasted.edges().size(), std::size_t(1));
    // As plain text, from a mail or a file, it does as well.
    QApplication::clipboard()->setText(QApplication::clipboard()->text());
    QTest::keyClick(&view, Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(pasted.nodes().size(), std::size_t(4));
}

void CanvasEditingTest::pasteRefusesOtherText()
{
    QApplication::clipboard()->setText(QStringLiteral("shopping list"));
    key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(undo().count(), 0);
    QVERIFY(child<QLabel>("canvasHint")->isVisible());
    QApplication::clipboard()->setText(QStringLiteral(R"({"athanor": 1, "data": {"nodes": [{"id": "s", "kind": "Split"}]}})"));
    key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(undo().count(), 0);
    QVERIFY(child<QLabel>("canvasHint")->text().contains(QStringLiteral("data canvas")));
}

void CanvasEditingTest::duplicates()
{
    QApplication::clipboard()->setText(QStringLiteral("kept"));
    select({"fc1", "fc2"});
    key(Qt::Key_D, Qt::ControlModifier);
    QVERIFY(has("fc3", "fc4"));
    QCOMPARE(lastStep(), QStringLiteral("Duplicate 2 nodes"));
    QCOMPARE(QApplication::clipboard()->text(), QStringLiteral("kept"));
    QVERIFY(m_project->position("fc3").y > m_project->position("fc1").y);
}

void CanvasEditingTest::renamesInPlace()
{
    select({"fc1"});
    key(Qt::Key_F2);
    auto* editor = child<QPlainTextEdit>("inlineEditor");
    QVERIFY(editor->isVisible() && editor->hasFocus());
    QCOMPARE(editor->toPlainText(), QStringLiteral("fc1"));
    QTest::keyClicks(editor, QStringLiteral("hidden"));
    QTest::keyClick(editor, Qt::Key_Return);
    QVERIFY(!editor->isVisible());
    QVERIFY(graph().find("hidden") && has("flat", "hidden"));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"hidden"});
    QCOMPARE(lastStep(), QStringLiteral("Rename fc1 to hidden"));
    QVERIFY(m_view->hasFocus());
    key(Qt::Key_F2);
    QTest::keyClicks(editor, QStringLiteral("never"));
    QTest::keyClick(editor, Qt::Key_Escape);
    QVERIFY(graph().find("hidden") && !editor->isVisible());
}

void CanvasEditingTest::aRefusedNameStaysOpen()
{
    select({"fc1"});
    key(Qt::Key_F2);
    auto* editor = child<QPlainTextEdit>("inlineEditor");
    QTest::keyClicks(editor, QStringLiteral("fc2"));
    QTest::keyClick(editor, Qt::Key_Return);
    QVERIFY(editor->isVisible());
    QVERIFY(child<QLabel>("canvasHint")->text().contains(QStringLiteral("fc2")));
    QCOMPARE(undo().count(), 0);
    QTest::keyClick(editor, Qt::Key_Escape);
}

void CanvasEditingTest::comments()
{
    select({"conv1", "relu1"});
    key(Qt::Key_M, Qt::ControlModifier);
    auto* editor = child<QPlainTextEdit>("inlineEditor");
    QVERIFY(editor->isVisible());
    QTest::keyClicks(editor, QStringLiteral("The stem"));
    QTest::keyClick(editor, Qt::Key_Return); // a comment may have many lines
    QTest::keyClicks(editor, QStringLiteral("sees edges"));
    QTest::keyClick(editor, Qt::Key_Return, Qt::ControlModifier);
    QVERIFY(!editor->isVisible());
    QCOMPARE(graph().comments().at("note1").text, std::string("The stem\nsees edges"));
    const CommentItem* item = m_scene->commentItem("note1");
    QVERIFY(item->box().contains(m_scene->nodeItem("conv1")->box()) && item->box().contains(m_scene->nodeItem("relu1")->box()));
    QVERIFY(undo().text(0) == QStringLiteral("Add a comment") && undo().text(1) == QStringLiteral("Write a comment"));
    undo().undo();
    undo().undo();
    QVERIFY(graph().comments().empty() && !m_scene->commentItem("note1"));
    undo().redo();
    QVERIFY(m_scene->commentItem("note1"));
}

void CanvasEditingTest::resizesAndMovesComments()
{
    QVERIFY(m_scene->editor().addComment(m_view->mapToScene(QRect(500, 450, 200, 120)).boundingRect()));
    const Comment before = graph().comments().at("note1");
    const auto corner = [&] { return m_view->mapFromScene(m_scene->commentItem("note1")->box().bottomRight()) - QPoint(4, 4); };
    drag(corner(), corner() + QPoint(60, 40));
    const Comment resized = graph().comments().at("note1");
    QVERIFY2(std::abs(resized.width - before.width - 60) <= 8 && std::abs(resized.height - before.height - 40) <= 8,
             qPrintable(QStringLiteral("%1 %2").arg(resized.width).arg(resized.height)));
    QCOMPARE(resized.x, before.x);
    const QPoint top = m_view->mapFromScene(m_scene->commentItem("note1")->box().topLeft()) + QPoint(40, 3);
    drag(top, top + QPoint(-80, 40));
    const Comment moved = graph().comments().at("note1");
    QVERIFY(std::abs(moved.x - before.x + 80) <= 8 && std::abs(moved.y - before.y - 40) <= 8);
    QCOMPARE(moved.width, resized.width);
    QCOMPARE(undo().count(), 3);
    // Its inside is the canvas: a click there selects nothing.
    QTest::mouseClick(ground(), Qt::LeftButton, {}, m_view->mapFromScene(m_scene->commentItem("note1")->box().center()));
    QVERIFY(m_scene->choice().isEmpty());
    QTest::mouseClick(ground(), Qt::LeftButton, {}, m_view->mapFromScene(m_scene->commentItem("note1")->box().topLeft()) + QPoint(40, 3));
    QCOMPARE(m_scene->choice().comments, std::set<std::string>{"note1"});
    key(Qt::Key_Delete);
    QVERIFY(graph().comments().empty());
    QCOMPARE(lastStep(), QStringLiteral("Delete a comment"));
}

void CanvasEditingTest::findsNodes()
{
    key(Qt::Key_F, Qt::ControlModifier);
    auto* input = child<QLineEdit>("findInput");
    QVERIFY(input->isVisible() && input->hasFocus());
    QTest::keyClicks(input, QStringLiteral("linear"));
    QCOMPARE(child<QLabel>("findCount")->text(), QStringLiteral("1 of 2"));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc2"});
    QTest::keyClick(input, Qt::Key_Return);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
    QTest::keyClick(input, Qt::Key_Return, Qt::ShiftModifier);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc2"});
    input->setText(QStringLiteral("32x14x14")); // a shape: pool1's output, by hand 28 / 2
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"pool1"});
    QVERIFY(ground()->rect().contains(at("pool1")));
    input->setText(QStringLiteral("nonsense"));
    QCOMPARE(child<QLabel>("findCount")->text(), QStringLiteral("none"));
    QTest::keyClick(input, Qt::Key_Escape);
    QVERIFY(!input->isVisible() && m_view->hasFocus());
}

void CanvasEditingTest::alignsAndDistributes()
{
    QVERIFY(m_scene->editor().place({{"conv1", {0, 8}}, {"relu1", {220, 40}}, {"pool1", {700, 100}}}, {}));
    select({"conv1", "relu1", "pool1"});
    key(Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(m_project->position("pool1").y, 8.0);
    QCOMPARE(m_project->position("relu1").y, 8.0);
    QCOMPARE(lastStep(), QStringLiteral("Align 3 nodes"));
    key(Qt::Key_H, Qt::ControlModifier | Qt::AltModifier);
    QCOMPARE(m_project->position("relu1").x, 352.0); // halfway, 350, on the grid of 4
    select({"conv1"});
    QVERIFY(!m_view->actions().action("alignLeftAction")->isEnabled());
}

void CanvasEditingTest::snapsToNeighbours()
{
    QVERIFY(m_scene->editor().place({{"fc2", {m_project->position("fc2").x, m_project->position("fc1").y + 200}}}, {}));
    const Position goal = m_project->position("fc1");
    const QPoint start = at("fc2");
    const double down = m_project->position("fc2").y - goal.y;
    drag(start, start + QPoint(0, -static_cast<int>(down) + 5)); // five below: near enough
    QCOMPARE(m_project->position("fc2").y, goal.y);
}

void CanvasEditingTest::shiftAndControlSelect()
{
    QTest::mouseClick(ground(), Qt::LeftButton, {}, at("relu1"));
    QTest::mouseClick(ground(), Qt::LeftButton, Qt::ControlModifier, at("pool1"));
    QCOMPARE(m_project->selection.nodes(), (std::set<std::string>{"pool1", "relu1"}));
    QTest::mouseClick(ground(), Qt::LeftButton, Qt::ShiftModifier, at("flat"));
    QCOMPARE(m_project->selection.nodes(), (std::set<std::string>{"flat", "pool1", "relu1"}));
    QTest::mouseClick(ground(), Qt::LeftButton, Qt::ControlModifier, at("pool1"));
    QCOMPARE(m_project->selection.nodes(), (std::set<std::string>{"flat", "relu1"}));
    QCOMPARE(undo().count(), 0);
}

void CanvasEditingTest::homeAndEnd()
{
    key(Qt::Key_End);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"loss"});
    QVERIFY(ground()->rect().contains(at("loss")));
    key(Qt::Key_Home);
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"image"});
    QVERIFY(ground()->rect().contains(at("image")));
}

void CanvasEditingTest::contextMenus()
{
    const auto texts = [](const QMenu* menu) {
        QStringList list;
        for (const QAction* action : menu->actions()) {
            list << action->text();
        }
        return list;
    };
    QMenu* menu = menuAt(at("fc1"));
    QVERIFY(menu && texts(menu).contains(QStringLiteral("Rename…")));
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"fc1"});
    menu->close();
    menu = menuAt(along("relu1", "pool1", 0.5));
    QVERIFY(menu && texts(menu).contains(QStringLiteral("Take the wire out")) && texts(menu).contains(QStringLiteral("Go to relu1")));
    menu->close();
    menu = menuAt(at("flat") + QPoint(0, 220));
    QVERIFY(menu && texts(menu).contains(QStringLiteral("Add a node…")) && texts(menu).contains(QStringLiteral("Paste")));
    menu->close();
}

void CanvasEditingTest::menusActOnWhatIsUnderTheCursor()
{
    QMenu* menu = menuAt(along("relu1", "pool1", 0.5));
    QVERIFY(menu);
    for (QAction* action : menu->actions()) {
        if (action->text() == QStringLiteral("Take the wire out")) {
            action->trigger();
        }
    }
    menu->close();
    QVERIFY(!has("relu1", "pool1"));
    QVERIFY(m_scene->editor().addComment(m_view->mapToScene(QRect(500, 450, 200, 120)).boundingRect()));
    menu = menuAt(m_view->mapFromScene(m_scene->commentItem("note1")->box().topLeft()) + QPoint(40, 3));
    auto* colours = menu->findChild<QMenu*>();
    QVERIFY(colours && colours->actions().size() == static_cast<qsizetype>(commentColors().size()));
    colours->actions().at(1)->trigger();
    menu->close();
    QCOMPARE(graph().comments().at("note1").color, commentColors()[1].first);
}

void CanvasEditingTest::touchpadPansAndPinches()
{
    static const QPointingDevice kPad(QStringLiteral("pad"), 77, QInputDevice::DeviceType::TouchPad, QPointingDevice::PointerType::Finger,
                                      QInputDevice::Capability::Position | QInputDevice::Capability::PixelScroll, 2, 1);
    const QPoint cursor(300, 200);
    const QPoint before = at("flat");
    QWheelEvent scroll(cursor, ground()->mapToGlobal(cursor), {-30, 20}, {-240, 160}, Qt::NoButton, Qt::NoModifier,
                       Qt::ScrollUpdate, false, Qt::MouseEventNotSynthesized, &kPad);
    QApplication::sendEvent(ground(), &scroll);
    QCOMPARE(at("flat") - before, QPoint(-30, 20));
    QCOMPARE(m_view->zoom(), 1.0);
    QNativeGestureEvent pinch(Qt::ZoomNativeGesture, &kPad, 2, cursor, cursor, ground()->mapToGlobal(cursor), 0.25, {});
    QApplication::sendEvent(ground(), &pinch);
    QCOMPARE(m_view->zoom(), 1.25);
    QWheelEvent zoom(cursor, ground()->mapToGlobal(cursor), {0, 30}, {0, 120}, Qt::NoButton, Qt::ControlModifier, Qt::ScrollUpdate,
                     false, Qt::MouseEventNotSynthesized, &kPad);
    QApplication::sendEvent(ground(), &zoom);
    QCOMPARE(m_view->zoom(), 1.5);
}

void CanvasEditingTest::undoNamesEveryStep()
{
    select({"conv1"});
    m_view->addKind(QStringLiteral("BatchNorm2d"));
    key(Qt::Key_Delete);
    select({"fc1", "fc2"});
    key(Qt::Key_D, Qt::ControlModifier);
    key(Qt::Key_L, Qt::ControlModifier);
    for (int step = 0; step < undo().count(); ++step) {
        QVERIFY2(!undo().text(step).isEmpty(), qPrintable(QString::number(step)));
    }
    QCOMPARE(undo().text(0), QStringLiteral("Add BatchNorm2d batchnorm1"));
    QCOMPARE(undo().text(1), QStringLiteral("Delete batchnorm1"));
    QCOMPARE(undo().text(2), QStringLiteral("Duplicate 2 nodes"));
    QCOMPARE(undo().text(3), QStringLiteral("Lay out the network"));
}

void CanvasEditingTest::undoingAllBringsTheFileBack()
{
    const std::string before = projectText(m_project->document.project());
    undoNamesEveryStep();
    drop("Dropout", along("fc1", "fc2", 0.5));
    select({"fc1"});
    key(Qt::Key_M, Qt::ControlModifier);
    QTest::keyClick(child<QPlainTextEdit>("inlineEditor"), Qt::Key_Escape);
    const std::string after = projectText(m_project->document.project());
    const int steps = undo().count();
    QVERIFY(steps >= 6);
    while (undo().canUndo()) {
        undo().undo();
    }
    QVERIFY(projectText(m_project->document.project()) == before);
    while (undo().canRedo()) {
        undo().redo();
    }
    QVERIFY(projectText(m_project->document.project()) == after);
    QCOMPARE(m_scene->items().size(), static_cast<qsizetype>(graph().nodes().size() + graph().edges().size() + graph().comments().size()));
}

void CanvasEditingTest::drawsAChainFromAnEmptyCanvas()
{
    m_project->open(R"({"athanor": 1, "name": "empty"})");
    QVERIFY(child<QLabel>("emptyText")->isVisible());
    m_view->setFocus();
    for (const char* kind : {"input", "conv2d", "relu", "maxpool2d", "flatten", "linear", "crossentropyloss"}) {
        QTest::keyClick(m_view.get(), kind[0]);
        auto* input = child<QLineEdit>("quickAddInput");
        QVERIFY2(input->hasFocus(), kind);
        QTest::keyClicks(input, QString::fromLatin1(kind + 1));
        QTest::keyClick(input, Qt::Key_Return);
    }
    QVERIFY(has("input1", "conv1") && has("conv1", "relu1") && has("relu1", "maxpool1") && has("maxpool1", "flatten1"));
    QVERIFY(has("flatten1", "linear1") && has("linear1", "loss1:input"));
    QCOMPARE(undo().count(), 7);
    QVERIFY(!child<QLabel>("emptyText")->isVisible());
    const auto& positions = graph().positions();
    QVERIFY(positions.at("linear1").x > positions.at("flatten1").x);
}

void CanvasEditingTest::dataCanvasHasItAll()
{
    GraphScene scene(m_project->document, m_project->selection, GraphPart::Data, m_project->theme);
    GraphView view(scene);
    view.resize(900, 500);
    view.show();
    QVERIFY(QTest::qWaitForWindowActive(&view));
    view.setFocus();
    m_project->selection.select(GraphPart::Data, {"split"});
    QTest::keyClick(&view, 'n');
    auto* input = view.findChild<QLineEdit*>(QStringLiteral("quickAddInput"));
    QTest::keyClicks(input, QStringLiteral("ormalize"));
    QTest::keyClick(input, Qt::Key_Return);
    const Graph& data = m_project->document.graph(GraphPart::Data);
    QVERIFY(data.find("normalize1"));
    const auto in = data.incoming("normalize1");
    QVERIFY(in.size() == 1 && in.front().from.node == "split");
    QTest::keyClick(&view, Qt::Key_Delete);
    QCOMPARE(data.edges().size(), std::size_t(2));
    m_project->selection.select(GraphPart::Data, {"split", "loader"});
    QTest::keyClick(&view, Qt::Key_D, Qt::ControlModifier);
    QCOMPARE(data.nodes().size(), std::size_t(5));
}

void CanvasEditingTest::textsOfActionsAreUnique()
{
    QSet<QString> texts;
    QSet<QString> keys;
    for (const QAction* action : m_view->actions().editActions()) {
        if (!action) {
            continue;
        }
        QVERIFY2(!action->objectName().isEmpty() && !texts.contains(action->text()), qPrintable(action->text()));
        texts << action->text();
        for (const QKeySequence& sequence : action->shortcuts()) {
            QVERIFY2(!keys.contains(sequence.toString()), qPrintable(sequence.toString()));
            keys << sequence.toString();
        }
    }
    QVERIFY(texts.size() >= 20);
}

QTEST_MAIN(CanvasEditingTest)
#include "tst_canvas_editing.moc"
