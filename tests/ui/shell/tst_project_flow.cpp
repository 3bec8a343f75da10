// Opening, saving, the guard of unsaved changes, recent files, fixes applied to the project.
#include "tests/ui/shell/window_fixture.h"

#include "ui/bridge/apply_fix.h"

#include <QDialog>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>

using namespace athanor;

class ProjectFlowTest : public QObject {
    Q_OBJECT

    static QDialog* decision(const WindowFixture& fixture) { return fixture.child<QDialog>("decision"); }

    static void modify(const WindowFixture& fixture)
    {
        QVERIFY(fixture.window->document().setValue("training.seed", 99, "Change the seed").ok());
        QVERIFY(fixture.window->isWindowModified());
    }

    /// Types a file name into the open save dialog and accepts it.
    static void saveIn(const WindowFixture& fixture, const QString& file)
    {
        auto* dialog = fixture.child<QFileDialog>("saveDialog");
        QVERIFY(dialog != nullptr);
        dialog->setDirectory(QFileInfo(file).absolutePath());
        dialog->selectFile(QFileInfo(file).fileName());
        static_cast<QDialog*>(dialog)->accept();
    }

private Q_SLOTS:
    // A sample is a template: saving asks for a place, and its data are found from there.
    void savingASampleAsksForAPlaceAndKeepsItsData()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        modify(fixture);
        fixture.action("saveAction")->trigger();
        const QString file = fixture.folder.filePath("mine.athanor");
        saveIn(fixture, file);
        QTRY_VERIFY(QFileInfo::exists(file));
        QVERIFY(!fixture.window->document().isModified());
        QCOMPARE(fixture.window->document().filePath(), file);
        const Project saved = loadProject(file.toStdString()).value().project;
        QCOMPARE(saved.training.seed, 99u);
        const std::string path = saved.data.find("flowers")->params.at("path").get<std::string>();
        QVERIFY(std::filesystem::exists(saved.folder() / path));
        fixture.window->document().undoStack()->undo(); // the new spelling is a step of its own
        QVERIFY(fixture.window->document().isModified());
    }

    void pathsWithinTheNewFolderStayRelative()
    {
        const WindowFixture fixture;
        const QString deep = fixture.folder.filePath("deep/er");
        QVERIFY(QDir().mkpath(deep + "/data"));
        QVERIFY(QFile::copy(fixture.samples + "/iris.athanor", deep + "/iris.athanor"));
        QVERIFY(QFile::copy(fixture.samples + "/data/iris.csv", deep + "/data/iris.csv"));
        fixture.window->openProject(deep + "/iris.athanor");
        fixture.action("saveAsAction")->trigger();
        const QString file = fixture.folder.filePath("up.athanor");
        saveIn(fixture, file);
        QTRY_VERIFY(QFileInfo::exists(file));
        const Project saved = loadProject(file.toStdString()).value().project;
        QCOMPARE(saved.data.find("flowers")->params.at("path").get<std::string>(),
                 std::string("deep/er/data/iris.csv"));
    }

    void savesInPlace()
    {
        const WindowFixture fixture;
        const QString file = fixture.folder.filePath("mine.athanor");
        QVERIFY(QFile::copy(fixture.samples + "/two-spirals.athanor", file));
        fixture.window->openProject(file);
        modify(fixture);
        fixture.action("saveAction")->trigger();
        QVERIFY(!fixture.window->document().isModified());
        QCOMPARE(loadProject(file.toStdString()).value().project.training.seed, 99u);
        QVERIFY(!fixture.window->isWindowModified());
    }

    void guardCancelKeepsEverything()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        modify(fixture);
        fixture.openSample("two-spirals");
        QVERIFY(decision(fixture) != nullptr);
        QTRY_VERIFY(fixture.child("choice2")->hasFocus());
        fixture.click("choice2");
        QTRY_VERIFY(decision(fixture) == nullptr);
        QCOMPARE(fixture.window->document().displayName(), QStringLiteral("Iris"));
        QVERIFY(fixture.window->document().isModified());
    }

    void guardDiscardGoesOn()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        modify(fixture);
        fixture.openSample("two-spirals");
        fixture.click("choice1");
        QTRY_COMPARE(fixture.window->document().displayName(), QStringLiteral("Two spirals"));
        QVERIFY(!fixture.window->document().isModified());
    }

    void guardSavesBeforeClosing()
    {
        const WindowFixture fixture;
        const QString file = fixture.folder.filePath("mine.athanor");
        QVERIFY(QFile::copy(fixture.samples + "/two-spirals.athanor", file));
        fixture.window->openProject(file);
        modify(fixture);
        fixture.window->close();
        QVERIFY(fixture.window->isVisible());
        fixture.click("choice0");
        QTRY_VERIFY(!fixture.window->isVisible());
        QCOMPARE(loadProject(file.toStdString()).value().project.training.seed, 99u);
    }

    void recentFilesSurviveARestart()
    {
        WindowFixture fixture;
        QStringList files;
        for (int i = 0; i < 12; ++i) {
            files << fixture.folder.filePath(QStringLiteral("p%1.athanor").arg(i));
            QVERIFY(QFile::copy(fixture.samples + "/two-spirals.athanor", files.last()));
            fixture.window->openProject(files.last());
        }
        fixture.openSample("iris"); // samples are not remembered: they are cards
        fixture.window->close();
        fixture.restart();
        QCOMPARE(fixture.settings->recentFiles().size(), Settings::kRecentFiles);
        QCOMPARE(fixture.settings->recentFiles().first(), files.last());
        const auto buttons = fixture.window->findChildren<QPushButton*>("recentFile");
        QCOMPARE(buttons.size(), Settings::kRecentFiles);
        QCOMPARE(buttons.at(1)->text(), QStringLiteral("p10"));
        fixture.click(buttons.at(1));
        QCOMPARE(fixture.window->document().filePath(), files.at(10));
        QCOMPARE(fixture.settings->recentFiles().first(), files.at(10));
    }

    void fileThatIsGoneIsSaidInABarAndForgotten()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        fixture.settings->addRecentFile(fixture.folder.filePath("gone.athanor"));
        fixture.window->openProject(fixture.folder.filePath("gone.athanor"));
        QVERIFY(fixture.child("windowNotice")->isVisible());
        QCOMPARE(fixture.window->document().displayName(), QStringLiteral("Iris"));
        QVERIFY(fixture.settings->recentFiles().isEmpty());
    }

    void brokenFileLeavesTheProjectAsItIs()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        QFile file(fixture.folder.filePath("broken.athanor"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"athanor\": 1, ");
        file.close();
        fixture.window->openProject(file.fileName());
        QVERIFY(fixture.child("windowNotice")->isVisible());
        QCOMPARE(fixture.window->document().displayName(), QStringLiteral("Iris"));
    }

    void folderThatCannotBeWrittenKeepsTheProjectUnsaved()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        modify(fixture);
        const Project before = fixture.window->document().project();
        fixture.action("saveAction")->trigger();
        auto* dialog = fixture.child<QFileDialog>("saveDialog");
        QVERIFY(dialog != nullptr);
        Q_EMIT dialog->fileSelected("/proc/nowhere/mine.athanor");
        QVERIFY(fixture.child("windowNotice")->isVisible());
        QVERIFY(fixture.window->document().isModified());
        QVERIFY(fixture.window->document().project().data == before.data);
    }

    void fixIsOneUndoStep()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        ProjectDocument& document = fixture.window->document();
        const SuggestedFix fix{
            "Smaller steps, wider layer",
            {"training.optimizer.lr=0.001", "network.hidden.out_features=32", "data.loader.batch_size=8"}};
        QVERIFY(applyFix(document, fix).ok());
        QCOMPARE(document.project().training.optimizer.params.at("lr").get<double>(), 0.001);
        QCOMPARE(document.project().network.find("hidden")->params.at("out_features").get<int>(), 32);
        QCOMPARE(document.project().data.find("loader")->params.at("batch_size").get<int>(), 8);
        document.undoStack()->undo();
        QVERIFY(!document.isModified());
        QCOMPARE(document.project().training.optimizer.params.at("lr").get<double>(), 0.01);
        QCOMPARE(document.project().network.find("hidden")->params.at("out_features").get<int>(), 16);
    }

    void fixThatDoesNotFitChangesNothing()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        ProjectDocument& document = fixture.window->document();
        QVERIFY(!applyFix(document, {"x", {"training.optimizer.lr=0.001", "network.nowhere.out_features=32"}})
                     .ok());
        QVERIFY(!applyFix(document, {"x", {"no equals sign"}}).ok());
        QVERIFY(!document.isModified());
        QCOMPARE(document.undoStack()->count(), 0);
    }
};

QTEST_MAIN(ProjectFlowTest)
#include "tst_project_flow.moc"
