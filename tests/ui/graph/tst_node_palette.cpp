// The palette beside the canvases, driven by real mouse and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "engine/graph/groups.h"
#include "ui/graph/build_view.h"
#include "ui/graph/canvas_mime.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_palette.h"

#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QToolButton>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>
#include <QUndoView>

using namespace athanor;
using namespace athanor::test;

class NodePaletteTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void hasEveryKindOfTheCanvas_data();
    void hasEveryKindOfTheCanvas();
    void everyKindHasIconAndHelp();
    void typingFilters();
    void keysChooseAndAdd();
    void doubleClickAddsBehindTheSelectedNode();
    void favouritesAndRecentAreOnTop();
    void dragsTheKind();
    void followsTheCanvas();
    void historyGoesBackToAnyStep();

private:
    [[nodiscard]] QTreeWidget* tree() const { return m_palette->findChild<QTreeWidget*>(QStringLiteral("paletteTree")); }
    [[nodiscard]] QLineEdit* search() const { return m_palette->findChild<QLineEdit*>(QStringLiteral("paletteSearch")); }
    [[nodiscard]] QStringList kinds(const QTreeWidgetItem* section = nullptr) const;
    [[nodiscard]] QTreeWidgetItem* item(const QString& kind) const;
    [[nodiscard]] const Graph& network() const { return m_project->document.graph(GraphPart::Network); }

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<BuildView> m_build;
    std::unique_ptr<NodePalette> m_palette;
};

void NodePaletteTest::init()
{
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_build = std::make_unique<BuildView>(m_project->document, m_project->selection, m_project->theme);
    m_palette = std::make_unique<NodePalette>(m_project->theme, m_build->shelf());
    m_build->usePalette(*m_palette);
    m_build->resize(1000, 600);
    m_build->show();
    m_palette->resize(200, 700);
    m_palette->show();
    QVERIFY(QTest::qWaitForWindowActive(m_palette.get()));
}

void NodePaletteTest::cleanup()
{
    m_palette.reset();
    m_build.reset();
    m_project.reset();
}

QStringList NodePaletteTest::kinds(const QTreeWidgetItem* section) const
{
    QStringList list;
    for (QTreeWidgetItemIterator it(tree()); *it; ++it) {
        const QString kind = (*it)->data(0, Qt::UserRole).toString();
        if (!kind.isEmpty() && (!section || (*it)->parent() == section)) {
            list << kind;
        }
    }
    return list;
}

/// The last of that kind: the one in its family.
QTreeWidgetItem* NodePaletteTest::item(const QString& kind) const
{
    QTreeWidgetItem* found = nullptr;
    for (QTreeWidgetItemIterator it(tree()); *it; ++it) {
        if ((*it)->data(0, Qt::UserRole).toString() == kind) {
            found = *it;
        }
    }
    return found;
}

void NodePaletteTest::hasEveryKindOfTheCanvas_data()
{
    QTest::addColumn<bool>("data");
    QTest::newRow("network") << false;
    QTest::newRow("data") << true;
}

void NodePaletteTest::hasEveryKindOfTheCanvas()
{
    QFETCH(bool, data);
    m_palette->setPart(data ? GraphPart::Data : GraphPart::Network);
    const NodeCatalog& catalog = data ? dataCatalog() : layerCatalog();
    QStringList shown = kinds();
    for (const NodeKind& kind : catalog.kinds()) {
        // Groups are placed by the names of their definitions.
        QVERIFY2(shown.removeOne(QString::fromStdString(kind.kind)) || kind.kind == kGroupKind, kind.kind.c_str());
    }
    QVERIFY2(shown.isEmpty(), qPrintable(shown.join(u' ')));
}

void NodePaletteTest::everyKindHasIconAndHelp()
{
    for (const GraphPart part : {GraphPart::Data, GraphPart::Network}) {
        m_palette->setPart(part);
        for (QTreeWidgetItemIterator it(tree()); *it; ++it) {
            if (!(*it)->data(0, Qt::UserRole).toString().isEmpty()) {
                QVERIFY2(!(*it)->icon(0).isNull(), qPrintable((*it)->text(0)));
                QVERIFY2((*it)->toolTip(0).contains((*it)->text(0)), qPrintable((*it)->text(0)));
            }
        }
    }
}

void NodePaletteTest::typingFilters()
{
    QTest::keyClicks(search(), QStringLiteral("maxpool"));
    QVERIFY(kinds().contains(QStringLiteral("MaxPool2d")) && !kinds().contains(QStringLiteral("ReLU")));
    QCOMPARE(tree()->currentItem()->data(0, Qt::UserRole).toString().left(7), QStringLiteral("MaxPool"));
    QTest::keyClicks(search(), QStringLiteral("zzz"));
    QVERIFY(kinds().isEmpty() && !tree()->isVisible());
    QTest::keyClick(search(), Qt::Key_Escape);
    QVERIFY(search()->text().isEmpty() && tree()->isVisible());
    QVERIFY(kinds().contains(QStringLiteral("ReLU")));
}

void NodePaletteTest::keysChooseAndAdd()
{
    m_project->selection.select(GraphPart::Network, {"fc1"});
    QTest::keyClicks(search(), QStringLiteral("dropout"));
    QTest::keyClick(search(), Qt::Key_Down);
    QTest::keyClick(search(), Qt::Key_Up);
    QTest::keyClick(search(), Qt::Key_Return);
    QVERIFY(network().find("dropout1"));
    QCOMPARE(network().incoming("dropout1").front().from.node, std::string("fc1"));
    QCOMPARE(network().incoming("fc2").front().from.node, std::string("dropout1"));
}

void NodePaletteTest::doubleClickAddsBehindTheSelectedNode()
{
    m_project->selection.select(GraphPart::Network, {"conv1"});
    QTreeWidgetItem* kind = item(QStringLiteral("Identity"));
    tree()->scrollToItem(kind);
    const QPoint at = tree()->visualItemRect(kind).center();
    QTest::mouseClick(tree()->viewport(), Qt::LeftButton, {}, at);
    QTest::mouseDClick(tree()->viewport(), Qt::LeftButton, {}, at);
    QVERIFY(network().find("identity1"));
    QCOMPARE(network().incoming("identity1").front().from.node, std::string("conv1"));
    QCOMPARE(m_project->document.undoStack()->count(), 1);
}

void NodePaletteTest::favouritesAndRecentAreOnTop()
{
    const auto section = [&](const QString& title) -> QTreeWidgetItem* {
        for (int row = 0; row < tree()->topLevelItemCount(); ++row) {
            if (tree()->topLevelItem(row)->text(0) == title) {
                return tree()->topLevelItem(row);
            }
        }
        return nullptr;
    };
    QVERIFY(!section(QStringLiteral("Favourites")) && !section(QStringLiteral("Recent")));
    tree()->setCurrentItem(item(QStringLiteral("Tanh")));
    QTest::keyClick(tree(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(section(QStringLiteral("Favourites")));
    QCOMPARE(kinds(section(QStringLiteral("Favourites"))), QStringList{"Tanh"});
    QCOMPARE(tree()->topLevelItem(0), section(QStringLiteral("Favourites")));
    m_project->selection.clear();
    m_build->view(GraphPart::Network).addKind(QStringLiteral("ReLU"));
    m_build->view(GraphPart::Network).addKind(QStringLiteral("Flatten"));
    QCOMPARE(kinds(section(QStringLiteral("Recent"))), (QStringList{"Flatten", "ReLU"}));
    tree()->setCurrentItem(item(QStringLiteral("Tanh")));
    QTest::keyClick(tree(), Qt::Key_B, Qt::ControlModifier);
    QVERIFY(!section(QStringLiteral("Favourites")));
}

void NodePaletteTest::dragsTheKind()
{
    QTreeWidgetItem* kind = item(QStringLiteral("Conv2d"));
    QVERIFY(kind->flags().testFlag(Qt::ItemIsDragEnabled));
    QVERIFY(tree()->dragEnabled());
    const std::unique_ptr<QMimeData> mime(tree()->model()->mimeData({tree()->model()->index(0, 0)}));
    QVERIFY(!mime); // a heading is no kind
    const QModelIndex index = tree()->model()->index(kind->parent()->indexOfChild(kind), 0,
                                                     tree()->model()->index(tree()->indexOfTopLevelItem(kind->parent()), 0));
    const std::unique_ptr<QMimeData> dragged(tree()->model()->mimeData({index}));
    QVERIFY(dragged);
    QCOMPARE(dragged->data(QString::fromLatin1(kKindMime)), QByteArray("Conv2d"));
}

void NodePaletteTest::followsTheCanvas()
{
    QVERIFY(kinds().contains(QStringLiteral("Conv2d")));
    m_build->showPart(GraphPart::Data);
    QVERIFY(kinds().contains(QStringLiteral("MnistIdx")) && !kinds().contains(QStringLiteral("Conv2d")));
}

void NodePaletteTest::historyGoesBackToAnyStep()
{
    m_project->selection.clear();
    for (const char* kind : {"ReLU", "Tanh", "Identity"}) {
        m_build->view(GraphPart::Network).addKind(QString::fromLatin1(kind));
    }
    QTest::mouseClick(m_build->findChild<QToolButton*>(QStringLiteral("historyButton")), Qt::LeftButton);
    auto* list = m_build->findChild<QUndoView*>(QStringLiteral("historyList"));
    QVERIFY(list && list->isVisible());
    QCOMPARE(list->model()->rowCount(), 4); // and the state as opened
    QCOMPARE(list->model()->index(1, 0).data().toString(), QStringLiteral("Add ReLU relu2"));
    const QRect first = list->visualRect(list->model()->index(1, 0));
    QTest::mouseClick(list->viewport(), Qt::LeftButton, {}, first.center());
    QVERIFY(network().find("relu2") && !network().find("tanh1") && !network().find("identity1"));
    m_build->findChild<QMenu*>(QStringLiteral("historyMenu"))->close();
}

QTEST_MAIN(NodePaletteTest)
#include "tst_node_palette.moc"
