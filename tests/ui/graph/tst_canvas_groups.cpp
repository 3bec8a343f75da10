// Groups on the canvas, driven by real mouse and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "engine/graph/flat_graph.h"
#include "ui/graph/build_view.h"
#include "ui/graph/canvas_actions.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/group_store.h"
#include "ui/graph/node_item.h"
#include "ui/graph/node_palette.h"

#include <QAction>
#include <QComboBox>
#include <QInputDialog>
#include <QLineEdit>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

using namespace athanor;
using namespace athanor::test;

namespace {

constexpr auto kNetwork = GraphPart::Network;

} // namespace

class CanvasGroupsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void groupsTwoLayersAndUsesThemTwice();
    void whatCannotBeGroupedSaysWhy();
    void opensAndLeavesByMouseAndKeys();
    void undoLeavesAGroupThatIsGone();
    void showsTheShapesOfOneCopy();
    void aProblemLeadsIntoTheGroup();
    void namesAreGivenAndUngroupingBringsTheNodesBack();
    void aDetachedGroupStaysBehind();
    void weightsAreUsedAgain();
    void theLibraryServesAnotherProject();
    void nudgesInsideAGroupAreOneStep();
    void copiesGoIntoAnotherProject();

private:
    [[nodiscard]] GraphView& view() const { return m_build->view(kNetwork); }
    [[nodiscard]] GraphScene& scene() const { return *view().graphScene(); }
    [[nodiscard]] QPoint at(const char* node) const
    {
        return view().mapFromScene(scene().nodeItem(node)->box().center());
    }
    void click(const char* node, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseClick(view().viewport(), Qt::LeftButton, modifiers, at(node));
    }
    void key(int key, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::keyClick(&view(), static_cast<Qt::Key>(key), modifiers);
    }
    [[nodiscard]] const Graph& graph() const { return m_project->document.graph(kNetwork); }
    [[nodiscard]] const Graph& whole() const { return m_project->document.wholeGraph(kNetwork); }
    [[nodiscard]] const GroupPlace& place() const { return m_project->document.place(); }
    [[nodiscard]] std::string text() const { return projectText(m_project->document.project()); }
    void groupFullyConnected();
    void answer(const QString& text);
    void returnToCanvas();
    QTreeWidgetItem* paletteItem(NodePalette& palette, const QString& name) const;

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<GroupStore> m_store;
    std::unique_ptr<BuildView> m_build;
};

void CanvasGroupsTest::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_store = std::make_unique<GroupStore>(m_folder->filePath(QStringLiteral("groups")).toStdString());
    m_build = std::make_unique<BuildView>(m_project->document, m_project->selection, m_project->theme);
    m_build->useGroups(*m_store);
    m_build->resize(2400, 900);
    m_build->show();
    QVERIFY(QTest::qWaitForWindowActive(m_build.get()));
    view().setFocus();
    view().fit();
}

void CanvasGroupsTest::cleanup()
{
    m_build.reset();
    m_store.reset();
    m_project.reset();
    m_folder.reset();
}

/// Makes a group of fc1 and fc2 as a person does.
void CanvasGroupsTest::groupFullyConnected()
{
    click("fc1");
    click("fc2", Qt::ControlModifier);
    key(Qt::Key_G, Qt::ControlModifier);
    QVERIFY(graph().find("block1"));
}

/// Types into the dialog that comes next.
void CanvasGroupsTest::answer(const QString& text)
{
    QTimer::singleShot(0, this, [text] {
        auto* dialog = qobject_cast<QInputDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        if (dialog->inputMode() == QInputDialog::IntInput) {
            dialog->setIntValue(text.toInt());
        } else {
            dialog->setTextValue(text);
        }
        dialog->accept();
    });
}

/// After a dialog, which a window system takes a while to leave.
void CanvasGroupsTest::returnToCanvas()
{
    m_build->activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(m_build.get()));
    view().setFocus();
}

QTreeWidgetItem* CanvasGroupsTest::paletteItem(NodePalette& palette, const QString& name) const
{
    for (QTreeWidgetItemIterator item(palette.findChild<QTreeWidget*>()); *item; ++item) {
        if ((*item)->text(0) == name) {
            return *item;
        }
    }
    return nullptr;
}

void CanvasGroupsTest::groupsTwoLayersAndUsesThemTwice()
{
    const std::string before = text();
    groupFullyConnected();
    QVERIFY(!graph().find("fc1") && !graph().find("fc2"));
    QVERIFY(whole().definition("Block"));
    QVERIFY(m_project->selection.nodes() == std::set<std::string>{"block1"});
    QVERIFY(scene().nodeItem("block1")->look().isGroup);
    m_project->waitForCheck();
    QCOMPARE(m_project->document.check().problems.size(), std::size_t(0));

    key(Qt::Key_G, Qt::ControlModifier | Qt::AltModifier); // use it again
    QVERIFY(graph().find("block2"));
    QTest::mouseDClick(view().viewport(), Qt::LeftButton, {}, at("block1"));
    QCOMPARE(place().definition, std::string("Block"));
    QVERIFY(graph().find("fc1") && scene().nodeItem("fc1"));

    click("fc1");
    QTest::keyClick(&view(), Qt::Key_R); // a ReLU behind it
    auto* input = view().findChild<QLineEdit*>(QStringLiteral("quickAddInput"));
    QTest::keyClicks(input, QStringLiteral("elu"));
    QTest::keyClick(input, Qt::Key_Return);
    view().setFocus();
    key(Qt::Key_Escape); // selects nothing
    key(Qt::Key_Escape); // leaves
    QVERIFY(place().path.empty());
    const Graph flat = flattened(whole()).graph;
    QVERIFY(flat.find("block1/relu1") && flat.find("block2/relu1")); // one edit, both follow

    while (m_project->document.undoStack()->canUndo()) {
        m_project->document.undoStack()->undo();
    }
    QCOMPARE(QString::fromStdString(text()), QString::fromStdString(before));
    while (m_project->document.undoStack()->canRedo()) {
        m_project->document.undoStack()->redo();
    }
    QVERIFY(flattened(whole()).graph == flat);
}

void CanvasGroupsTest::whatCannotBeGroupedSaysWhy()
{
    const std::string before = text();
    click("conv1");
    click("pool1", Qt::ControlModifier);
    key(Qt::Key_G, Qt::ControlModifier);
    auto* hint = view().findChild<QWidget*>(QStringLiteral("canvasHint"));
    QVERIFY(hint->isVisible());
    QVERIFY(hint->accessibleName().contains(QStringLiteral("relu1")));
    QCOMPARE(QString::fromStdString(text()), QString::fromStdString(before));
}

void CanvasGroupsTest::opensAndLeavesByMouseAndKeys()
{
    groupFullyConnected();
    auto* bar = m_build->findChild<QWidget*>(QStringLiteral("groupBar"));
    QVERIFY(!bar->isVisible());
    key(Qt::Key_Return);
    QCOMPARE(place().path.size(), std::size_t(1));
    QVERIFY(bar->isVisible());
    key(Qt::Key_Up, Qt::ControlModifier);
    QVERIFY(place().path.empty());
    QVERIFY(m_project->selection.nodes() == std::set<std::string>{"block1"});
    QVERIFY(!bar->isVisible());

    key(Qt::Key_Return);
    click("fc1");
    key(Qt::Key_G, Qt::ControlModifier); // a group inside of the group
    QVERIFY(whole().definition("Block2"));
    key(Qt::Key_Return);
    QCOMPARE(place().path.size(), std::size_t(2));
    QVERIFY(graph().find("fc1"));
    auto* root = bar->findChild<QToolButton*>(QStringLiteral("groupStep0"));
    QTest::mouseClick(root, Qt::LeftButton);
    QVERIFY(place().path.empty());
}

void CanvasGroupsTest::undoLeavesAGroupThatIsGone()
{
    groupFullyConnected();
    key(Qt::Key_Return);
    QVERIFY(!place().path.empty());
    m_project->document.undoStack()->undo();
    QVERIFY(place().path.empty());
    QVERIFY(scene().nodeItem("fc1") && scene().nodeItem("conv1"));
    m_project->document.undoStack()->redo();
    QVERIFY(scene().nodeItem("block1") && !scene().nodeItem("fc1"));
}

void CanvasGroupsTest::showsTheShapesOfOneCopy()
{
    click("relu1");
    key(Qt::Key_G, Qt::ControlModifier);
    answer(QStringLiteral("3"));
    key(Qt::Key_R, Qt::ControlModifier);
    returnToCanvas();
    QCOMPARE(graph().find("block1")->params.at("repeat").get<int>(), 3);
    m_project->waitForCheck();
    QVERIFY(scene().nodeItem("block1")->look().kindLine.contains(u'3'));
    key(Qt::Key_Return);
    QCOMPARE(place().prefix, std::string("block1/0/"));
    QVERIFY(m_project->document.shownNodes().at("relu1").outputs.front().has_value());
    auto* copies = m_build->findChild<QComboBox*>(QStringLiteral("groupCopy"));
    QCOMPARE(copies->count(), 3);
    copies->setFocus();
    QTest::keyClick(copies, Qt::Key_Down);
    QTest::keyClick(copies, Qt::Key_Return);
    QTRY_COMPARE(place().prefix, std::string("block1/1/"));
}

void CanvasGroupsTest::aProblemLeadsIntoTheGroup()
{
    groupFullyConnected();
    QVERIFY(m_project->document
                .pushWhole(kNetwork,
                           GraphEdit{edit::InDefinition{
                               "Block", {GraphEdit{edit::SetParameter{"fc2", "in_features", Json(5)}}}}},
                           {})
                .ok());
    m_project->waitForCheck();
    QVERIFY(scene().nodeItem("block1")->look().badge == Severity::Error);
    const auto shown = m_project->document.reveal(kNetwork, "network/block1/fc2/in_features");
    QVERIFY(shown && shown->first == "fc2" && shown->second == "in_features");
    QCOMPARE(place().prefix, std::string("block1/"));
    QVERIFY(scene().nodeItem("fc2")->look().badge == Severity::Error);
    QVERIFY(!scene().nodeItem("fc1")->look().badge);
    QVERIFY(!m_project->document.reveal(kNetwork, "network/nobody/fc2"));
}

void CanvasGroupsTest::namesAreGivenAndUngroupingBringsTheNodesBack()
{
    const Graph before = whole();
    groupFullyConnected();
    answer(QStringLiteral("Head"));
    key(Qt::Key_F2, Qt::ShiftModifier);
    returnToCanvas();
    QVERIFY(whole().definition("Head") && !whole().definition("Block"));
    QCOMPARE(scene().nodeItem("block1")->look().kindLine, QStringLiteral("Head"));
    key(Qt::Key_G, Qt::ControlModifier | Qt::ShiftModifier);
    QVERIFY(whole().nodes() == before.nodes() && whole().edges() == before.edges() &&
            whole().definitions().empty());
    QVERIFY((m_project->selection.nodes() == std::set<std::string>{"fc1", "fc2"}));
}

void CanvasGroupsTest::aDetachedGroupStaysBehind()
{
    groupFullyConnected();
    key(Qt::Key_G, Qt::ControlModifier | Qt::AltModifier);
    view().actions().action("detachGroupAction")->trigger();
    QCOMPARE(whole().definitions().size(), std::size_t(2));
    QCOMPARE(graph().find("block2")->params.at("definition").get<std::string>(), std::string("Block2"));
}

void CanvasGroupsTest::weightsAreUsedAgain()
{
    click("fc1");
    key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
    const Node* shared = graph().find("fc1_shared");
    QVERIFY(shared && shared->params.at("of") == "fc1");
    QVERIFY(scene().nodeItem("fc1_shared")->look().isShared);
    QCOMPARE(scene().nodeItem("fc1_shared")->places().inputs.size(), std::size_t(1));
}

void CanvasGroupsTest::theLibraryServesAnotherProject()
{
    groupFullyConnected();
    view().actions().action("keepGroupAction")->trigger();
    QCOMPARE(m_store->library().groups.size(), std::size_t(1));

    m_project->open(); // another project, without groups
    QVERIFY(whole().definitions().empty());
    NodePalette palette(m_project->theme, m_build->shelf());
    m_build->usePalette(palette);
    palette.show();
    QTreeWidgetItem* item = paletteItem(palette, QStringLiteral("Block"));
    QVERIFY(item);
    auto* tree = palette.findChild<QTreeWidget*>();
    tree->scrollToItem(item);
    const QPoint onItem = tree->visualItemRect(item).center();
    QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, onItem);
    QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, onItem);
    QVERIFY(whole().definition("Block") && graph().find("block1"));
    QCOMPARE(m_project->document.undoStack()->count(), 1);
    // The project's own groups are offered now as well.
    QVERIFY(paletteItem(palette, QStringLiteral("Groups of this project")));
}

void CanvasGroupsTest::nudgesInsideAGroupAreOneStep()
{
    groupFullyConnected();
    key(Qt::Key_Return);
    click("fc1");
    const int steps = m_project->document.undoStack()->count();
    const double x = graph().positions().at("fc1").x;
    for (int i = 0; i < 3; ++i) {
        QTest::keyPress(&view(), Qt::Key_Right, Qt::AltModifier);
    }
    QTest::keyRelease(&view(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(m_project->document.undoStack()->count(), steps + 1);
    QVERIFY(graph().positions().at("fc1").x > x);
    QCOMPARE(scene().nodeItem("fc1")->pos().x(), graph().positions().at("fc1").x);
}

void CanvasGroupsTest::copiesGoIntoAnotherProject()
{
    groupFullyConnected();
    key(Qt::Key_C, Qt::ControlModifier);
    m_project->open();
    view().setFocus();
    key(Qt::Key_V, Qt::ControlModifier);
    QVERIFY(whole().definition("Block") && graph().find("block1"));
    key(Qt::Key_V, Qt::ControlModifier);
    QCOMPARE(whole().definitions().size(), std::size_t(1)); // the same definition is used again
    QCOMPARE(graph().nodes().size(), std::size_t(11));
}

QTEST_MAIN(CanvasGroupsTest)
#include "tst_canvas_groups.moc"
