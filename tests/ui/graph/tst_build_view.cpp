// The two canvases with their tools, driven by real mouse and key events.
#include "tests/ui/graph/canvas_fixture.h"

#include "ui/graph/build_view.h"
#include "ui/graph/graph_view.h"
#include "ui/graph/node_item.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTabBar>
#include <QToolButton>

using namespace athanor;
using namespace athanor::test;

class BuildViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void cleanup();
    void tabsShowOneCanvas();
    void sideBySideShowsBoth();
    void selectionBringsItsCanvasForward();
    void toolsActOnTheShownCanvas();
    void undoAndRedoButtons();
    void summaryCountsByHand();
    void startsReadable();
    void everyToolHasAName();

private:
    template <typename T> T* find(const char* name) const { return m_build->findChild<T*>(QString::fromLatin1(name)); }
    void click(const char* tool) { QTest::mouseClick(find<QToolButton>(tool), Qt::LeftButton); }
    GraphView& data() const { return m_build->view(GraphPart::Data); }
    GraphView& network() const { return m_build->view(GraphPart::Network); }

    std::unique_ptr<OpenProject> m_project;
    std::unique_ptr<BuildView> m_build;
};

void BuildViewTest::init()
{
    m_project = std::make_unique<OpenProject>();
    m_project->open();
    m_build = std::make_unique<BuildView>(m_project->document, m_project->selection, m_project->theme);
    m_build->resize(1000, 700);
    m_build->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_build.get()));
}

void BuildViewTest::cleanup()
{
    m_build.reset();
    m_project.reset();
}

void BuildViewTest::tabsShowOneCanvas()
{
    QVERIFY(network().isVisible() && !data().isVisible());
    auto* tabs = find<QTabBar>("canvasTabs");
    QTest::mouseClick(tabs, Qt::LeftButton, {}, tabs->tabRect(0).center());
    QVERIFY(data().isVisible() && !network().isVisible());
    QCOMPARE(m_build->activePart(), GraphPart::Data);
    QVERIFY(data().graphScene()->nodeItem("split"));
    QVERIFY(find<QLabel>("summary")->text().startsWith(QStringLiteral("3 nodes")));
}

void BuildViewTest::sideBySideShowsBoth()
{
    QSignalSpy changed(m_build.get(), &BuildView::sideBySideChanged);
    click("sideBySideButton");
    QVERIFY(data().isVisible() && network().isVisible());
    QCOMPARE(changed.count(), 1);
    data().setFocus();
    QCOMPARE(m_build->activePart(), GraphPart::Data);
    click("sideBySideButton");
    QVERIFY(data().isVisible() && !network().isVisible());
}

void BuildViewTest::selectionBringsItsCanvasForward()
{
    m_project->selection.select(GraphPart::Data, {"loader"});
    QVERIFY(data().isVisible());
    QVERIFY(data().graphScene()->nodeItem("loader")->isSelected());
    m_build->showNode(GraphPart::Network, "loss");
    QVERIFY(network().isVisible());
    QCOMPARE(m_project->selection.nodes(), std::set<std::string>{"loss"});
    const QPoint loss = network().mapFromScene(network().graphScene()->nodeItem("loss")->box().center());
    QVERIFY(network().viewport()->rect().contains(loss));
}

void BuildViewTest::toolsActOnTheShownCanvas()
{
    click("zoomButton");
    QCOMPARE(network().zoom(), 1.0);
    QCOMPARE(find<QToolButton>("zoomButton")->text(), QStringLiteral("100 %"));
    click("fitButton");
    QVERIFY(network().zoom() < 1);
    QVERIFY(network().mapToScene(network().viewport()->rect()).boundingRect().contains(network().graphScene()->nodesRect()));
    QCOMPARE(find<QToolButton>("zoomButton")->text(), QStringLiteral("%1 %").arg(std::lround(network().zoom() * 100)));
    QVERIFY(m_project->position("conv1").x > m_project->position("image").x);
    click("directionButton");
    QVERIFY(m_project->position("conv1").y > m_project->position("image").y);
    click("directionButton");
    QVERIFY(m_project->position("conv1").x > m_project->position("image").x);
    QCOMPARE(m_project->document.undoStack()->count(), 2);
    click("layoutButton"); // nothing is different, so there is nothing to undo
    QCOMPARE(m_project->document.undoStack()->count(), 2);
}

void BuildViewTest::undoAndRedoButtons()
{
    auto* undo = find<QToolButton>("undoButton");
    auto* redo = find<QToolButton>("redoButton");
    QVERIFY(!undo->isEnabled() && !redo->isEnabled());
    click("directionButton");
    QVERIFY(undo->isEnabled() && !redo->isEnabled());
    QVERIFY(undo->toolTip().contains(QStringLiteral("Lay out the network")));
    click("undoButton");
    QVERIFY(!undo->isEnabled() && redo->isEnabled());
    click("redoButton");
    QVERIFY(undo->isEnabled());
}

void BuildViewTest::summaryCountsByHand()
{
    // conv1 32·9 + 32 = 320; fc1 6272·128 + 128 = 802 944; fc2 128·10 + 10 = 1 290.
    const QString text = find<QLabel>("summary")->text();
    QVERIFY2(text.contains(QStringLiteral("9 nodes")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("804\u2009554 parameters")), qPrintable(text));
    // 32·28·28·9 + 6272·128 + 128·10 = 225 792 + 802 816 + 1 280
    QVERIFY2(text.contains(QStringLiteral("1.03\u2009M MACs")), qPrintable(text));
    QVERIFY2(text.contains(QStringLiteral("no problems")), qPrintable(text));
    const GraphEdit wrong{edit::SetParameter{"conv1", "out_channels", std::nullopt}};
    QVERIFY(m_project->document.push(GraphPart::Network, wrong, QStringLiteral("wrong")).ok());
    QVERIFY(find<QLabel>("summary")->text().contains(QStringLiteral("checking")));
    m_project->waitForCheck();
    QVERIFY2(find<QLabel>("summary")->text().contains(QStringLiteral("error")), qPrintable(find<QLabel>("summary")->text()));
}

void BuildViewTest::startsReadable()
{
    // Too long to be read as a whole: the beginning is shown at a size whose texts can be read.
    QVERIFY(network().zoom() >= 0.6);
    const QPoint image = network().mapFromScene(network().graphScene()->nodeItem("image")->box().center());
    QVERIFY(network().viewport()->rect().contains(image));
}

void BuildViewTest::everyToolHasAName()
{
    const auto buttons = m_build->findChildren<QToolButton*>();
    QVERIFY(buttons.size() >= 7);
    for (const QToolButton* button : buttons) {
        if (!button->objectName().startsWith(QStringLiteral("qt_"))) {
            QVERIFY2(!button->objectName().isEmpty() || button->isHidden(), "a tool without an objectName");
            QVERIFY2(!button->accessibleName().isEmpty() || !button->text().isEmpty() || button->isHidden(), qPrintable(button->objectName()));
        }
    }
}

QTEST_MAIN(BuildViewTest)
#include "tst_build_view.moc"
