// The window driven by real mouse and key events: training, modes, docks, palette, theme, closing.
#include "tests/ui/shell/window_fixture.h"

#include "ui/graph/build_view.h"
#include "ui/plot/metric_plot.h"
#include "ui/plot/metrics_board.h"
#include "ui/shell/runs_page.h"

#include <QApplication>
#include <QClipboard>
#include <QDialog>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QScrollBar>
#include <QTableView>
#include <QTableWidget>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

using namespace athanor;

class MainWindowTest : public QObject {
    Q_OBJECT

    static SessionState state(const WindowFixture& fixture) { return fixture.window->bridge().state(); }
    static QDialog* decision(const WindowFixture& fixture) { return fixture.child<QDialog>("decision"); }

    static void startTraining(const WindowFixture& fixture)
    {
        fixture.openSample("iris");
        fixture.click("startButton");
        QTRY_COMPARE(state(fixture), SessionState::Running);
        QTRY_VERIFY(fixture.action("pauseAction")->isEnabled());
    }

    /// A short run, to its end.
    static void trainToTheEnd(const WindowFixture& fixture)
    {
        fixture.openSample("iris");
        fixture.click("startButton");
        QTRY_VERIFY(fixture.window->bridge().hasRun() && !fixture.window->bridge().isActive());
    }

private Q_SLOTS:
    void startsOnTheWelcomePage()
    {
        const WindowFixture fixture;
        QCOMPARE(fixture.window->mode(), Mode::Welcome);
        QCOMPARE(fixture.window->findChildren<QWidget*>("sampleCard").size(), 4);
        QVERIFY(!fixture.action("startAction")->isEnabled());
        QVERIFY(!fixture.child<QDockWidget>("bottomDock")->isVisible());
        QCOMPARE(fixture.child<QLabel>("statusProject")->text(), QStringLiteral("No project"));
    }

    void twoClicksFromTheStartToAMovingCurve()
    {
        const WindowFixture fixture(endlessScript());
        fixture.click(fixture.window->findChildren<QWidget*>("sampleCard").at(0)); // the first click
        QCOMPARE(fixture.window->mode(), Mode::Train);
        QVERIFY(fixture.child("startButton")->hasFocus());
        fixture.click("startButton"); // the second
        QTRY_VERIFY(fixture.window->bridge().series() != nullptr &&
                    !fixture.window->board()->plots().empty());
        const SeriesStore& series = *fixture.window->bridge().series();
        QTRY_VERIFY(series.seriesCount() > 0);
        QCOMPARE(series.infos().at(0).name, std::string("train/loss"));
        QTRY_VERIFY(series.latest(0).count > 5);
        const auto seen = series.latest(0).count;
        QTRY_VERIFY(series.latest(0).count > seen + 20);
        QVERIFY(fixture.window->board()->shows("train/loss"));
    }

    void pausesStepsResumesAndStops()
    {
        const WindowFixture fixture(endlessScript());
        startTraining(fixture);
        QTRY_VERIFY(fixture.step() > 3);
        fixture.click("pauseButton");
        QTRY_COMPARE(state(fixture), SessionState::Paused);
        const std::int64_t paused = fixture.step();
        QTest::qWait(200); // forty steps' time
        QCOMPARE(fixture.step(), paused);

        fixture.click("stepButton");
        QTRY_COMPARE(fixture.step(), paused + 1);
        QTest::qWait(200);
        QCOMPARE(fixture.step(), paused + 1);
        QCOMPARE(state(fixture), SessionState::Paused);

        fixture.click("pauseButton"); // says Resume now
        QTRY_VERIFY(fixture.step() > paused + 5);
        QCOMPARE(state(fixture), SessionState::Running);
        fixture.click("stopButton");
        QTRY_VERIFY(!fixture.window->bridge().isActive());
        QCOMPARE(fixture.window->bridge().outcome().status, RunStatus::Stopped);
        const std::int64_t stopped = fixture.step();
        QTest::qWait(100);
        QCOMPARE(fixture.step(), stopped);
        QTRY_COMPARE(fixture.child<QLabel>("statusState")->text(), QStringLiteral("Stopped"));
    }

    // The same actions are in the bar under the modes, whatever the mode.
    void runButtonsAreAlwaysThere()
    {
        const WindowFixture fixture(endlessScript());
        fixture.openSample("iris");
        QTest::keyClick(fixture.window.get(), Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(fixture.window->mode(), Mode::Build);
        QVERIFY(fixture.child("startActionButton")->isVisible());
        fixture.click("startActionButton");
        QTRY_COMPARE(state(fixture), SessionState::Running);
        fixture.click("stopActionButton");
        QTRY_VERIFY(!fixture.window->bridge().isActive());
    }

    void keysChangeTheMode()
    {
        const WindowFixture fixture;
        for (const Mode mode : kModes) {
            const auto key = static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(mode));
            QTest::keyClick(fixture.window.get(), key, Qt::ControlModifier);
            QCOMPARE(fixture.window->mode(), mode);
            QVERIFY(fixture.action(qPrintable(modeKey(mode) + "Mode"))->isChecked());
        }
        fixture.click("buildModeButton");
        QCOMPARE(fixture.window->mode(), Mode::Build);
    }

    void docksAreKeptPerModeAndReset()
    {
        WindowFixture fixture;
        const auto bottomIsVisible = [&fixture] {
            return fixture.child<QDockWidget>("bottomDock")->isVisible();
        };
        fixture.window->setMode(Mode::Train);
        QVERIFY(bottomIsVisible());
        fixture.child<QDockWidget>("bottomDock")->close();
        fixture.window->setMode(Mode::Build);
        QVERIFY(bottomIsVisible());
        QVERIFY(fixture.child<QDockWidget>("inspectorDock")->isVisible());
        fixture.window->setMode(Mode::Train);
        QVERIFY(!bottomIsVisible());
        fixture.window->close();

        fixture.restart();
        fixture.window->setMode(Mode::Train);
        QVERIFY(!bottomIsVisible());
        fixture.action("resetLayoutAction")->trigger();
        QVERIFY(bottomIsVisible());
        fixture.window->setMode(Mode::Build);
        QVERIFY(bottomIsVisible());
    }

    void paletteAndEditMenuActOnTheCanvas()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        fixture.window->setMode(Mode::Train);
        QVERIFY(!fixture.child<QDockWidget>("paletteDock")->isVisible());
        fixture.window->setMode(Mode::Build);
        QVERIFY(fixture.child<QDockWidget>("paletteDock")->isVisible());
        const Graph& network = fixture.window->document().graph(GraphPart::Network);
        const std::size_t before = network.nodes().size();
        QTest::keyClicks(fixture.child<QLineEdit>("paletteSearch"), QStringLiteral("dropout"));
        QTest::keyClick(fixture.child<QLineEdit>("paletteSearch"), Qt::Key_Return);
        QCOMPARE(network.nodes().size(), before + 1);

        auto* edit = fixture.window->menuBar()->actions().at(1)->menu();
        Q_EMIT edit->aboutToShow();
        const auto actions = edit->actions();
        const auto duplicate = std::find_if(actions.begin(), actions.end(), [](const QAction* action) {
            return action->objectName() == QStringLiteral("duplicateAction");
        });
        QVERIFY(duplicate != actions.end());
        (*duplicate)->trigger();
        QCOMPARE(network.nodes().size(), before + 2);
        fixture.window->setMode(Mode::Train);
        Q_EMIT edit->aboutToShow();
        QVERIFY(edit->actions().size() < actions.size()); // the canvas is not shown, so nothing acts on it
    }

    void dockCanFloatAndComeBack()
    {
        const WindowFixture fixture;
        fixture.window->setMode(Mode::Build);
        auto* dock = fixture.child<QDockWidget>("inspectorDock");
        dock->setFloating(true);
        fixture.window->addDockWidget(Qt::LeftDockWidgetArea, fixture.child<QDockWidget>("bottomDock"));
        fixture.window->setMode(Mode::Runs);
        fixture.window->setMode(Mode::Build);
        QVERIFY(dock->isFloating());
        QCOMPARE(fixture.window->dockWidgetArea(fixture.child<QDockWidget>("bottomDock")),
                 Qt::LeftDockWidgetArea);
        fixture.action("resetLayoutAction")->trigger();
        QVERIFY(!dock->isFloating());
        QCOMPARE(fixture.window->dockWidgetArea(fixture.child<QDockWidget>("bottomDock")),
                 Qt::BottomDockWidgetArea);
    }

    void paletteCarriesOutAnAction()
    {
        const WindowFixture fixture;
        QTest::keyClick(fixture.window.get(), Qt::Key_K, Qt::ControlModifier);
        QVERIFY(fixture.child("commandPalette")->isVisible());
        auto* input = fixture.child<QLineEdit>("paletteInput");
        QVERIFY(input->hasFocus());
        QTest::keyClicks(input, "diagn");
        QTest::keyClick(input, Qt::Key_Return);
        QCOMPARE(fixture.window->mode(), Mode::Diagnose);
        QVERIFY(!fixture.child("commandPalette")->isVisible());
    }

    void paletteFindsNodesAndSeries()
    {
        const WindowFixture fixture;
        trainToTheEnd(fixture);
        fixture.action("paletteAction")->trigger();
        auto* input = fixture.child<QLineEdit>("paletteInput");
        QTest::keyClicks(input, "hidden");
        QTest::keyClick(input, Qt::Key_Return);
        QCOMPARE(fixture.window->mode(), Mode::Build);
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"hidden"});

        fixture.action("paletteAction")->trigger();
        QTest::keyClicks(input, "val/acc");
        auto* list = fixture.child<QListView>("paletteList");
        QCOMPARE(list->currentIndex().data().toString(), QStringLiteral("val/accuracy"));
        QTest::keyClick(input, Qt::Key_Return);
        QCOMPARE(fixture.window->mode(), Mode::Train);
        QVERIFY(fixture.window->board()->shows("val/accuracy"));
    }

    void paletteMovesByKeysAndClosesByEscape()
    {
        const WindowFixture fixture;
        fixture.action("paletteAction")->trigger();
        auto* input = fixture.child<QLineEdit>("paletteInput");
        auto* list = fixture.child<QListView>("paletteList");
        QCOMPARE(list->currentIndex().row(), 0);
        QTest::keyClick(input, Qt::Key_Down);
        QTest::keyClick(input, Qt::Key_Down);
        QTest::keyClick(input, Qt::Key_Up);
        QCOMPARE(list->currentIndex().row(), 1);
        QTest::keyClicks(input, "qqqqqqq");
        QVERIFY(!list->isVisible());
        QTest::keyClick(input, Qt::Key_Return); // nothing is chosen, nothing happens
        QVERIFY(fixture.child("commandPalette")->isVisible());
        QTest::keyClick(input, Qt::Key_Escape);
        QVERIFY(!fixture.child("commandPalette")->isVisible());
        QCOMPARE(fixture.window->mode(), Mode::Welcome);
    }

    void themeSwitchesAndIsKept()
    {
        WindowFixture fixture;
        const QColor light = fixture.theme.color(ColorRole::Surface);
        fixture.action("themeAction2")->trigger(); // dark
        QVERIFY(fixture.theme.isDark());
        QVERIFY(QApplication::palette().color(QPalette::Window) != light);
        QCOMPARE(fixture.window->grab().toImage().pixelColor(4, 400),
                 fixture.theme.color(ColorRole::Surface));
        fixture.window->close();
        fixture.restart();
        QCOMPARE(fixture.settings->colorScheme(), ColorScheme::Dark);
    }

    void closingAsksWhileTraining()
    {
        const WindowFixture fixture(endlessScript());
        startTraining(fixture);
        fixture.window->close();
        QVERIFY(fixture.window->isVisible());
        QVERIFY(decision(fixture) != nullptr);
        QTRY_VERIFY(fixture.child("choice1")->hasFocus()); // keep training is the safe one
        fixture.click("choice1");
        QTRY_VERIFY(decision(fixture) == nullptr);
        QVERIFY(fixture.window->isVisible());
        QVERIFY(fixture.window->bridge().isActive());

        fixture.window->close();
        QElapsedTimer clock;
        clock.start();
        fixture.click("choice0");
        QVERIFY(!fixture.window->isVisible());
        QVERIFY(!fixture.window->bridge().isActive());
        QVERIFY2(clock.elapsed() < 1000, "the joining of a run took longer than a second");
        RunStore store = RunStore::open(fixture.storeFile()).value();
        QCOMPARE(store.runs().value().at(0).status, RunStatus::Stopped);
    }

    void escapeKeepsTraining()
    {
        const WindowFixture fixture(endlessScript());
        startTraining(fixture);
        fixture.window->close();
        QTest::keyClick(decision(fixture), Qt::Key_Escape);
        QTRY_VERIFY(decision(fixture) == nullptr);
        QVERIFY(fixture.window->isVisible());
        QVERIFY(fixture.window->bridge().isActive());
    }

    void closesAtOnceWhenNothingIsAtStake()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        fixture.window->close();
        QVERIFY(!fixture.window->isVisible());
    }

    void storeThatCannotBeWrittenIsSaidInABar()
    {
        const WindowFixture fixture;
        fixture.window->bridge().setStoreFile(fixture.folder.path().toStdString()); // a folder is no store
        fixture.openSample("iris");
        fixture.click("startButton");
        QTRY_VERIFY(fixture.child("trainingNotice")->isVisible());
        QVERIFY(!fixture.window->bridge().isActive());
        QVERIFY(QApplication::activeModalWidget() == nullptr);
    }

    void projectWithErrorsCannotStart()
    {
        const WindowFixture fixture;
        fixture.window->document().setCheckFunction([](const Project&, const auto&) {
            ProjectCheck check;
            check.problems.push_back(
                {"network/hidden/out_features", Severity::Error, "must be positive", "Use 16."});
            return check;
        });
        fixture.openSample("iris");
        QTRY_COMPARE(fixture.window->findings().rowCount(), 1);
        QVERIFY(!fixture.action("startAction")->isEnabled());
        QCOMPARE(fixture.child<QToolButton>("statusFindings")->text(), QStringLiteral("1 error"));
        QCOMPARE(fixture.child<QTabWidget>("bottomTabs")->tabText(0), QStringLiteral("Findings (1)"));

        // The finding's link leads to the node.
        fixture.window->setMode(Mode::Diagnose);
        fixture.click("findingPlace");
        QCOMPARE(fixture.window->mode(), Mode::Build);
        QCOMPARE(fixture.window->selection().nodes(), std::set<std::string>{"hidden"});
    }

    void findingsOfARunShowUpWithTheirFix()
    {
        FakeScript script;
        script.bursts = {{"train/loss", 20, 200, std::numeric_limits<double>::quiet_NaN()}};
        const WindowFixture fixture(script);
        fixture.openSample("iris");
        fixture.click("startButton");
        QTRY_VERIFY(fixture.window->findings().count(Severity::Error) > 0);
        fixture.window->setMode(Mode::Diagnose);
        const int row = fixture.child<QTreeView>("diagnoseList")->currentIndex().row();
        QCOMPARE(fixture.child<QLabel>("findingMessage")->text(),
                 QString::fromStdString(fixture.window->findings().finding(row).message));
        auto* apply = fixture.child<QPushButton>("applyFix");
        QVERIFY(apply != nullptr);
        fixture.click(apply);
        QVERIFY(fixture.window->document().isModified());
        fixture.action("undoAction")->trigger();
        QVERIFY(!fixture.window->document().isModified());
    }

    void diagnosePageSaysWhyItIsEmpty()
    {
        const WindowFixture fixture(endlessScript());
        fixture.window->setMode(Mode::Diagnose);
        auto* button = fixture.child<QPushButton>("diagnoseEmptyButton");
        QVERIFY(button->text().startsWith("Open project"));
        fixture.openSample("iris");
        fixture.window->setMode(Mode::Diagnose);
        QCOMPARE(button->text(), QStringLiteral("Start training"));
        fixture.click(button);
        QTRY_COMPARE(state(fixture), SessionState::Running);
    }

    void runsCanBeOpenedFromTheTable()
    {
        const WindowFixture fixture;
        trainToTheEnd(fixture);
        QTest::keyClick(fixture.window.get(), Qt::Key_5, Qt::ControlModifier);
        auto* table = fixture.child<QTableView>("runsTable");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        QTRY_COMPARE(table->model()->index(0, RunListModel::Status).data(RunListModel::StatusRole).toInt(),
                     int(RunStatus::Finished));
        table->setCurrentIndex(table->model()->index(0, 0));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_Return);
        QTRY_VERIFY(fixture.child("runTitle")->isVisible());
        QTRY_VERIFY(fixture.window->runsPage()->board()->shows("train/loss"));
        QTest::keyClick(fixture.window->runsPage()->board(), Qt::Key_Escape);
        QVERIFY(table->isVisible());
    }

    void openedRunStaysWhenAnotherStarts()
    {
        const WindowFixture fixture(endlessScript());
        startTraining(fixture);
        QTRY_VERIFY(fixture.step() > 60);
        fixture.click("stopButton");
        QTRY_VERIFY(!fixture.window->bridge().isActive());
        fixture.window->setMode(Mode::Runs);
        QTRY_COMPARE(fixture.window->runs().rowCount(), 1);
        fixture.window->runsPage()->openRun(fixture.window->runs().run(0)->id);
        QTRY_VERIFY(fixture.window->runsPage()->board()->shows("train/loss"));
        const QString title = fixture.child<QLabel>("runTitle")->text();
        fixture.window->startRun();
        QTRY_VERIFY(fixture.step() > 3);
        fixture.window->setMode(Mode::Runs);
        QCOMPARE(fixture.child<QLabel>("runTitle")->text(), title);
        QVERIFY(fixture.child("runTitle")->isVisible());
    }

    void tagIsEditedInPlace()
    {
        const WindowFixture fixture;
        trainToTheEnd(fixture);
        fixture.window->setMode(Mode::Runs);
        auto* table = fixture.child<QTableView>("runsTable");
        QTRY_COMPARE(table->model()->rowCount(), 1);
        table->setCurrentIndex(table->model()->index(0, RunListModel::Tags));
        table->setFocus();
        QTest::keyClick(table, Qt::Key_F2);
        auto* editor = table->findChild<QLineEdit*>();
        QVERIFY(editor != nullptr);
        QTest::keyClicks(editor, "baseline");
        QTest::keyClick(editor, Qt::Key_Return);
        RunStore store = RunStore::open(fixture.storeFile()).value();
        QTRY_COMPARE(store.runs().value().at(0).tags, std::vector<std::string>{"baseline"});
    }

    void logHasTwoLevelsAndFollows()
    {
        const WindowFixture fixture;
        fixture.window->setMode(Mode::Train);
        fixture.child<QTabWidget>("bottomTabs")->setCurrentIndex(1);
        auto* view = fixture.child<QTreeView>("logView");
        const int before = view->model()->rowCount();
        for (int i = 0; i < 200; ++i)
            fixture.window->log().addEntry(
                {0, i % 2 == 0 ? LogLevel::Info : LogLevel::Detail, QString::number(i), {}});
        QTRY_COMPARE(view->model()->rowCount(), before + 100);
        QVERIFY(view->verticalScrollBar()->maximum() > 0);
        QCOMPARE(view->verticalScrollBar()->value(), view->verticalScrollBar()->maximum());
        fixture.click("logDetail");
        QVERIFY(view->model()->rowCount() >= before + 200);

        // Scrolled up it stays where it is.
        view->scrollToTop();
        QVERIFY(!fixture.child<QToolButton>("logFollow")->isChecked());
        fixture.window->log().addEntry({0, LogLevel::Info, "one more", {}});
        const int rows = view->model()->rowCount();
        QTRY_COMPARE(view->model()->rowCount(), rows + 1);
        QCOMPARE(view->indexAt(QPoint(2, 2)).row(), 0);
        fixture.click("logFollow");
        QVERIFY(fixture.child<QToolButton>("logFollow")->isChecked());

        fixture.child<QLineEdit>("logSearch")->setText("one more");
        QTRY_COMPARE(view->model()->rowCount(), 1);
        fixture.click("logCopy");
        QVERIFY(QApplication::clipboard()->text().endsWith("\tone more"));
    }

    void eventsOfTheRunAreLogged()
    {
        const WindowFixture fixture;
        trainToTheEnd(fixture);
        QTRY_VERIFY(fixture.window->log().rowCount() >= int(fixture.window->bridge().events().size()));
        QVERIFY(!fixture.window->bridge().events().empty());
    }

    void checksEverySampleAsATask()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        fixture.action("checkDataAction")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(fixture.child("windowNotice")->isVisible(), 30'000);
        QCOMPARE(fixture.window->findings().count(Severity::Error), 0);
    }

    void helpListsTheShortcuts()
    {
        const WindowFixture fixture;
        QTest::keyClick(fixture.window.get(), Qt::Key_F1, Qt::ControlModifier);
        auto* table = fixture.child<QTableWidget>("shortcutTable");
        QVERIFY(table != nullptr && table->isVisible());
        QStringList rows;
        for (int row = 0; row < table->rowCount(); ++row)
            rows << table->item(row, 0)->text() + ": " + table->item(row, 1)->text();
        QVERIFY2(rows.contains("Build: Ctrl+2"), qPrintable(rows.join('\n')));
        QVERIFY(rows.contains("Find anything: Ctrl+K"));
    }

    void everyButtonHasANameForScreenReaders()
    {
        const WindowFixture fixture;
        fixture.openSample("iris");
        for (const Mode mode : kModes) {
            fixture.window->setMode(mode);
            for (const auto* button : fixture.window->findChildren<QAbstractButton*>()) {
                // Icons inside a line edit are part of it.
                const bool isPart = button->parentWidget()->inherits("QLineEdit") ||
                                    button->inherits("QDockWidgetTitleButton") ||
                                    button->objectName().startsWith("qt_");
                if (!button->isVisible() || isPart)
                    continue;
                QVERIFY2(!button->text().isEmpty() || !button->accessibleName().isEmpty() ||
                             !button->toolTip().isEmpty(),
                         qPrintable(modeKey(mode) + ": " + button->metaObject()->className()));
            }
        }
    }
};

QTEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
