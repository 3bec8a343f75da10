// The way from the table of runs to their comparison and back, by mouse and keys as a person goes it.
#include "tests/engine/exchange/event_bytes.h"
#include "tests/ui/compare/compared_runs.h"
#include "tests/ui/shell/window_fixture.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/graph_difference_view.h"
#include "ui/compare/overlay_board.h"
#include "ui/plot/overlay_plot.h"
#include "ui/shell/run_table.h"
#include "ui/shell/runs_page.h"

#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMimeData>
#include <QTabBar>
#include <QTableView>
#include <QTableWidget>
#include <QTabWidget>
#include <QTimer>

using namespace athanor;
using namespace athanor::testing;

class TestCompareRuns : public QObject {
    Q_OBJECT

    std::unique_ptr<WindowFixture> m_fixture;

    QTableView* table() const { return m_fixture->child<QTableView>("runsTable"); }
    QPoint cell(int row) const { return table()->visualRect(table()->model()->index(row, 0)).center(); }
    void clickRow(int row, Qt::KeyboardModifiers keys = {}) const
    {
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, keys, cell(row));
    }
    RunsPage* page() const { return m_fixture->window->runsPage(); }

private Q_SLOTS:
    void init()
    {
        m_fixture = std::make_unique<WindowFixture>();
        RunStore store = openStore(m_fixture->storeFile());
        makeComparedRuns(store);
        m_fixture->window->runs().refresh();
        m_fixture->window->setMode(Mode::Runs);
        QTRY_COMPARE(table()->model()->rowCount(), 6);
        QTRY_VERIFY(m_fixture->window->runs().facts(5) != nullptr);
    }
    void cleanup() { m_fixture.reset(); }

    void fiveRunsFromTheTableToTheReportAndBack()
    {
        // Filter: six runs, five of which are no "adam 1".
        auto* search = m_fixture->child<QLineEdit>("runsSearch");
        search->setFocus();
        QTest::keyClicks(search, "val/loss.min <");
        QTRY_VERIFY(m_fixture->child<QLabel>("runsFilterProblem")->isVisible()); // not done yet
        QTest::keyClicks(search, " 10 and not name = 'adam 1'");
        QVERIFY(!m_fixture->child<QLabel>("runsFilterProblem")->isVisible());
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        QVERIFY(m_fixture->child<QLabel>("runsCount")->text().contains("5"));

        // Select all five, and overlay them.
        clickRow(0);
        QVERIFY(!m_fixture->child("runsCompare")->isEnabled());
        clickRow(4, Qt::ShiftModifier);
        QCOMPARE(page()->table()->selectedRuns().size(), 5U);
        QSignalSpy shown(page()->comparePage(), &ComparePage::shown);
        m_fixture->click("runsCompare");
        QVERIFY(shown.wait());
        OverlayBoard* board = page()->comparePage()->overlay();
        QTRY_VERIFY(!board->plots().empty() && board->plots()[0]->curveCount() == 5);

        // Group by optimizer.
        auto* group = m_fixture->child<QComboBox>("overlayGroup");
        group->setFocus();
        QTest::keyClicks(group, "training.optimizer.kind");
        QCOMPARE(group->currentText(), QStringLiteral("training.optimizer.kind"));
        QTRY_COMPARE(board->plots()[0]->curveCount(), 2U);

        // Open the network difference.
        auto* tabs = m_fixture->child<QTabWidget>("compareTabs");
        QTest::mouseClick(tabs->tabBar(), Qt::LeftButton, {},
                          tabs->tabBar()->tabRect(ComparePage::NetworkTab).center());
        GraphDifferenceView* network = page()->comparePage()->networkView();
        QVERIFY(network->isVisible());
        QCOMPARE(network->difference().nodes.size(), 3U); // "sgd 3" is the newest, so it comes first

        // Export the report, through the dialog.
        const QString file = m_fixture->folder.filePath("report.html");
        QSignalSpy written(page()->comparePage(), &ComparePage::reportWritten);
        QCoreApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QTimer::singleShot(0, this, [&file] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog != nullptr);
            auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
            name->setText(file);
            QTest::keyClick(name, Qt::Key_Return);
        });
        m_fixture->click("compareReport");
        QVERIFY(written.wait());
        QVERIFY(QFile::exists(file));

        // Back, delete two, undo.
        m_fixture->window->activateWindow(); // the dialog had taken the focus
        QVERIFY(QTest::qWaitForWindowActive(m_fixture->window.get()));
        tabs->setFocus();
        QTest::keyClick(tabs, Qt::Key_Escape);
        QTRY_VERIFY(table()->isVisible());
        search->clear();
        QTRY_COMPARE(table()->model()->rowCount(), 6);
        clickRow(1);
        clickRow(3, Qt::ControlModifier);
        QTest::keyClick(table(), Qt::Key_Delete);
        QTRY_COMPARE(table()->model()->rowCount(), 4);
        QVERIFY(m_fixture->child("runsUndo")->isVisible());
        QTest::keyClick(table(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(table()->model()->rowCount(), 6);
        QTRY_COMPARE(openStore(m_fixture->storeFile()).runs().value().size(), 6U);
    }

    void aFolderOfEventFilesIsDropped()
    {
        const QString logs = m_fixture->folder.filePath("logs/night");
        QVERIFY(QDir().mkpath(logs));
        QFile file(logs + "/events.out.tfevents.1.host");
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(versionRecord(1'700'000'000) + scalarRecord("loss", 1, 1'700'000'001, 0.5F) +
                   scalarRecord("loss", 2, 1'700'000'002, 0.25F));
        file.close();
        m_fixture->window->setMode(Mode::Welcome);
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(m_fixture->folder.filePath("logs"))});
        QWidget* window = m_fixture->window.get();
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &drop);
        QTRY_COMPARE(m_fixture->window->mode(), Mode::Runs);
        QTRY_COMPARE(table()->model()->rowCount(), 7);
        QTRY_COMPARE(openStore(m_fixture->storeFile()).points(7, "loss").value().values,
                     (std::vector<double>{0.5, 0.25}));
        // What is none of ours is left to others.
        QMimeData other;
        other.setUrls({QUrl::fromLocalFile(m_fixture->samples)});
        QDragEnterEvent foreign(QPoint(300, 300), Qt::CopyAction, &other, Qt::LeftButton, Qt::NoModifier);
        foreign.ignore();
        QCoreApplication::sendEvent(window, &foreign);
        QTRY_COMPARE(table()->model()->rowCount(), 7);
    }

    void deletedRunsAreRestoredFromTheTrash()
    {
        clickRow(0);
        QTest::keyClick(table(), Qt::Key_Delete);
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        QTimer::singleShot(0, this, [] {
            auto* dialog = QApplication::activeModalWidget();
            QVERIFY(dialog != nullptr);
            auto* trash = dialog->findChild<QTableWidget*>("trashTable");
            QTRY_COMPARE(trash->rowCount(), 1);
            trash->selectRow(0);
            QTest::mouseClick(dialog->findChild<QWidget*>("trashRestore"), Qt::LeftButton);
            QTRY_COMPARE(trash->rowCount(), 0);
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        m_fixture->action("runTrash")->trigger();
        QTRY_COMPARE(table()->model()->rowCount(), 6);
    }

    void onlyADecisionDeletesForGood()
    {
        clickRow(0);
        QTest::keyClick(table(), Qt::Key_Delete);
        QTRY_COMPARE(table()->model()->rowCount(), 5);
        QTimer::singleShot(0, this, [this] {
            auto* dialog = QApplication::activeModalWidget();
            auto* trash = dialog->findChild<QTableWidget*>("trashTable");
            QTRY_COMPARE(trash->rowCount(), 1);
            for (const int choice : {1, 0}) {
                trash->selectRow(0);
                QTest::mouseClick(dialog->findChild<QWidget*>("trashPurge"), Qt::LeftButton);
                QTest::mouseClick(dialog->findChild<QWidget*>(QStringLiteral("choice%1").arg(choice)),
                                  Qt::LeftButton);
                if (choice == 1) // kept
                    QCOMPARE(openStore(m_fixture->storeFile()).run(6).value().name, std::string("sgd 3"));
            }
            QTRY_COMPARE(trash->rowCount(), 0);
            QTest::keyClick(dialog, Qt::Key_Escape);
        });
        m_fixture->action("runTrash")->trigger();
        QVERIFY(!openStore(m_fixture->storeFile()).run(6).ok());
    }

    void namesAreCompletedFromTheRuns()
    {
        auto* search = m_fixture->child<QLineEdit>("runsSearch");
        search->setFocus();
        QTest::keyClicks(search, "accura");
        QTRY_VERIFY(QApplication::activePopupWidget() != nullptr);
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Down);
        QTest::keyClick(QApplication::activePopupWidget(), Qt::Key_Return);
        QCOMPARE(search->text(), QStringLiteral("val/accuracy"));
    }

    void aMisspeltNameIsToldInPlace()
    {
        auto* search = m_fixture->child<QLineEdit>("runsSearch");
        search->setText("val/acuracy > 0.5");
        auto* problem = m_fixture->child<QLabel>("runsFilterProblem");
        QVERIFY(problem->isVisible());
        QVERIFY(problem->text().contains("val/accuracy"));
    }

    void columnsAreChosenAndRemembered()
    {
        QTimer::singleShot(0, this, [] {
            auto* dialog = QApplication::activeModalWidget();
            QVERIFY(dialog != nullptr);
            QTest::keyClicks(dialog->findChild<QLineEdit*>("columnSearch"), "optimizer.lr");
            auto* list = dialog->findChild<QListWidget*>("columnList");
            QListWidgetItem* lr = list->findItems("training.optimizer.lr", Qt::MatchExactly).value(0);
            QVERIFY(lr != nullptr && !lr->isHidden());
            list->setCurrentItem(lr);
            QTest::keyClick(list, Qt::Key_Space);
            QTest::mouseClick(dialog->findChild<QWidget*>("columnAccept"), Qt::LeftButton);
        });
        m_fixture->click("runsColumns");
        const auto hasColumn = [this] {
            for (int column = 0; column < table()->model()->columnCount(); ++column)
                if (table()->model()->headerData(column, Qt::Horizontal).toString() ==
                    u"training.optimizer.lr")
                    return table()->model()->index(0, column).data().toString() == u"0.05000";
            return false;
        };
        QVERIFY(hasColumn());
        m_fixture->restart();
        m_fixture->window->setMode(Mode::Runs);
        QTRY_VERIFY(table()->model()->rowCount() == 6 && hasColumn());
    }
};

QTEST_MAIN(TestCompareRuns)
#include "tst_compare_runs.moc"
