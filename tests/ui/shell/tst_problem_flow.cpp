// Problems from the list to their cure, and pictures of the canvas, in the window.
#include "tests/ui/shell/window_fixture.h"

#include "engine/train/project_fixes.h"
#include "ui/graph/build_view.h"
#include "ui/graph/graph_view.h"
#include "ui/shell/findings_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QFileDialog>
#include <QImage>
#include <QMenu>
#include <QSvgRenderer>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

using namespace athanor;

namespace {

/// The iris sample's fields, without reading a file.
ProjectCheck checkIris(const Project& project, const std::function<bool()>&)
{
    FieldTypes fields;
    fields.known = true;
    fields.fields["features"] = TensorType{{kBatch, 4}};
    fields.fields["label"] = TensorType{{kBatch}, ElementType::Index, 3};
    ProjectCheck check;
    check.network = checkNetwork(project.network, fields);
    check.problems = check.network.problems;
    for (Problem& problem : checkTraining(project))
        check.problems.push_back(std::move(problem));
    suggestProjectFixes(project, fields, {}, check);
    return check;
}

} // namespace

class ProblemFlowTest : public QObject {
    Q_OBJECT

    static void open(const WindowFixture& fixture)
    {
        fixture.window->document().setCheckFunction(&checkIris);
        fixture.openSample("iris");
        fixture.window->setMode(Mode::Build);
        fixture.child<QWidget>("bottomDock")->show();
        fixture.child<QTabWidget>("bottomTabs")->setCurrentIndex(0);
        QTRY_VERIFY(!fixture.window->document().isChecking());
        QCOMPARE(fixture.window->findings().rowCount(), 0);
    }
    static void push(const WindowFixture& fixture, const GraphEdit& edit)
    {
        QVERIFY(fixture.window->document().push(GraphPart::Network, edit, QStringLiteral("a mistake")).ok());
        QTRY_VERIFY(!fixture.window->document().isChecking());
    }
    /// An error at `hidden`, and a warning at a node that leads nowhere.
    static void makeMistakes(const WindowFixture& fixture)
    {
        push(fixture, {edit::Sequence{{{edit::SetParameter{"hidden", "in_features", 7}},
                                       {edit::AddNode{Node{"stray", "ReLU"}, Position{0, 300}, {}}},
                                       {edit::Connect{{{"hidden", {}}, {"stray", {}}}, {}}}}}});
    }

private Q_SLOTS:
    void filtersBySeverity()
    {
        const WindowFixture fixture;
        open(fixture);
        makeMistakes(fixture);
        auto* view = fixture.child<QTreeView>("findingsView");
        QCOMPARE(fixture.window->findings().rowCount(), 2);
        QCOMPARE(view->model()->rowCount(), 2);
        QCOMPARE(fixture.child<QToolButton>("filter_error")->text(), QStringLiteral("1 error"));
        QCOMPARE(fixture.child<QToolButton>("filter_warning")->text(), QStringLiteral("1 warning"));
        fixture.click("filter_error");
        QCOMPARE(view->model()->rowCount(), 1);
        QVERIFY(view->model()->index(0, 0).data().toString().contains(QStringLiteral("no loss")));
        fixture.click("filter_warning");
        QCOMPARE(view->model()->rowCount(), 0);
        fixture.click("filter_error");
        QCOMPARE(view->model()->rowCount(), 1);
    }

    void jumpsToThePlaceByKeyboard()
    {
        const WindowFixture fixture;
        open(fixture);
        makeMistakes(fixture);
        auto* view = fixture.child<QTreeView>("findingsView");
        view->setFocus();
        view->setCurrentIndex(view->model()->index(0, 0));
        QTest::keyClick(view, Qt::Key_Return);
        QCOMPARE(fixture.window->mode(), Mode::Build);
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"hidden"});
        fixture.action("nextProblemAction")->trigger();
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"stray"});
        fixture.action("nextProblemAction")->trigger(); // around the end
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"hidden"});
        fixture.action("previousProblemAction")->trigger();
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"stray"});
    }

    void oneKeyCuresAndUndoBringsItBack()
    {
        const WindowFixture fixture;
        open(fixture);
        const Graph before = fixture.window->document().project().network;
        push(fixture, {edit::SetParameter{"hidden", "in_features", 7}});
        QVERIFY(!fixture.action("startAction")->isEnabled());
        auto* view = fixture.child<QTreeView>("findingsView");
        view->setFocus();
        view->setCurrentIndex(view->model()->index(0, 0));
        auto* fix = fixture.child<QToolButton>("findingFix");
        QVERIFY(fix->isEnabled());
        QCOMPARE(fix->text(), QStringLiteral("Leave in_features empty"));
        QTest::keyClick(view, Qt::Key_Return, Qt::ControlModifier);
        QVERIFY(fixture.window->document().project().network == before);
        QCOMPARE(fixture.window->document().undoStack()->undoText(), fix->text());
        QTRY_COMPARE(fixture.window->findings().rowCount(), 0);
        QVERIFY(fixture.action("startAction")->isEnabled());
        fixture.action("undoAction")->trigger();
        QTRY_COMPARE(fixture.window->findings().rowCount(), 1);
        fixture.action("redoAction")->trigger();
        QVERIFY(fixture.window->document().project().network == before);
    }

    void otherFixesAreInAMenu()
    {
        const WindowFixture fixture;
        open(fixture);
        push(fixture, {edit::SetParameter{"hidden", "bais", false}}); // rename it, or remove it
        auto* view = fixture.child<QTreeView>("findingsView");
        view->setCurrentIndex(view->model()->index(0, 0));
        auto* others = fixture.child<QToolButton>("moreFixes");
        QVERIFY(others->isVisible());
        QCOMPARE(fixture.child<QToolButton>("findingFix")->text(), QStringLiteral("Rename it to bias"));
        QCOMPARE(others->menu()->actions().size(), 1);
        QCOMPARE(others->menu()->actions().front()->text(), QStringLiteral("Remove bais"));
        others->menu()->actions().front()->trigger();
        QVERIFY(!fixture.window->document().project().network.find("hidden")->params.contains("bais"));
        QTRY_COMPARE(fixture.window->findings().rowCount(), 0);
        QVERIFY(!others->isVisible());
    }

    void trainingIsMendedToo()
    {
        const WindowFixture fixture;
        open(fixture);
        Project project = fixture.window->document().project();
        project.training.optimizer.params["lr"] = -0.5;
        fixture.window->document().setProject(project);
        QTRY_COMPARE(fixture.window->findings().rowCount(), 1);
        auto* view = fixture.child<QTreeView>("findingsView");
        view->setCurrentIndex(view->model()->index(0, 0));
        QVERIFY(fixture.child<QToolButton>("findingFix")->isEnabled());
        fixture.click("findingFix");
        QTRY_COMPARE(fixture.window->findings().rowCount(), 0);
        QVERIFY(fixture.window->document().project().training.optimizer.params.value("lr", Json(1.0)) >= 0);
        QCOMPARE(fixture.window->document().undoStack()->count(), 1);
    }

    void summaryTabSelectsNodes()
    {
        const WindowFixture fixture;
        open(fixture);
        auto* tabs = fixture.child<QTabWidget>("bottomTabs");
        tabs->setCurrentIndex(tabs->count() - 1);
        QCOMPARE(tabs->tabText(tabs->currentIndex()), QStringLiteral("Summary"));
        auto* table = fixture.child<QAbstractItemView>("summaryTable");
        QVERIFY(table->isVisible());
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(table->model()->index(1, 0)).center());
        const std::string node = *fixture.window->selection().nodes().begin();
        QVERIFY(table->model()->index(1, 0).data().toString().startsWith(QString::fromStdString(node)));
    }

    void exportsAPictureAndRemembersTheFolder()
    {
        const WindowFixture fixture;
        open(fixture);
        const QString file = fixture.folder.filePath("net.svg");
        fixture.action("exportPictureAction")->trigger();
        auto* dialog = fixture.child<QFileDialog>("pictureDialog");
        QVERIFY(dialog != nullptr);
        dialog->setDirectory(fixture.folder.path());
        dialog->selectFile("net.svg");
        static_cast<QDialog*>(dialog)->accept();
        QTRY_VERIFY(QFile::exists(file));
        QVERIFY(QSvgRenderer(file).isValid());
        QTRY_VERIFY(fixture.child<QFileDialog>("pictureDialog") == nullptr);
        fixture.action("exportPictureAction")->trigger();
        QCOMPARE(fixture.child<QFileDialog>("pictureDialog")->directory().absolutePath(),
                 QDir(fixture.folder.path()).absolutePath());
        fixture.child<QFileDialog>("pictureDialog")->reject();
    }

    void copiesInTheColoursThatWereChosen()
    {
        WindowFixture fixture;
        fixture.theme.setScheme(ColorScheme::Dark);
        open(fixture);
        fixture.action("copyPictureAction")->trigger();
        QVERIFY(QApplication::clipboard()->image().pixelColor(2, 2).lightness() > 200);
        fixture.action("pictureColorsAction")->trigger();
        fixture.action("copyPictureAction")->trigger();
        QVERIFY(QApplication::clipboard()->image().pixelColor(2, 2).lightness() < 80);
        fixture.restart();
        QVERIFY(fixture.action("pictureColorsAction")->isChecked());
        QVERIFY(!fixture.action("copyPictureAction")->isEnabled()); // no project is open
    }
};

QTEST_MAIN(ProblemFlowTest)
#include "tst_problem_flow.moc"
