// The board over a scripted run, driven by real events.
#include "plot_test_tools.h"

#include "engine/graph/graph_edit.h"
#include "tests/support/fake_session.h"
#include "ui/bridge/project_document.h"
#include "ui/bridge/session_bridge.h"
#include "ui/plot/history_reader.h"
#include "ui/plot/metrics_board.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/series_tree.h"

#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

#include <cmath>

using namespace athanor;
using namespace std::chrono_literals;

namespace {

FakeScript steadyScript()
{
    FakeScript script;
    script.steps = 1'000'000;
    script.stepsPerSecond = 400;
    return script;
}

Project projectWithNodes()
{
    Project project;
    project.name = "digits";
    auto network = buildGraph({Node{"conv1", "Conv2d"}, Node{"fc1", "Linear"}}, {});
    project.network = std::move(network).value();
    return project;
}

} // namespace

class TestMetricsBoard : public QObject {
    Q_OBJECT

private:
    Theme m_theme;
    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<QSettings> m_settings;
    std::unique_ptr<SessionBridge> m_bridge;
    std::unique_ptr<Selection> m_selection;
    std::unique_ptr<MetricsBoard> m_board;

    void makeBoard(FakeScript script)
    {
        m_bridge = std::make_unique<SessionBridge>(FakeSession::factory(std::move(script)));
        m_bridge->setStoreFile(m_folder->filePath(QStringLiteral("runs.sqlite")).toStdString());
        openBoard();
    }
    void openBoard()
    {
        m_board = std::make_unique<MetricsBoard>(m_theme, *m_bridge, *m_selection, *m_settings);
        m_board->resize(1200, 800);
        m_board->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_board.get()));
    }
    void startRun() { QVERIFY(m_bridge->start(projectWithNodes(), {}).ok()); }
    MetricPlot* plot(const char* id) { return m_board->findChild<MetricPlot*>(QStringLiteral("plot:") + QLatin1String(id)); }
    std::size_t drawnPoints(const char* id, const char* series)
    {
        const MetricPlot* found = plot(id);
        const CurveDrawing* drawing = found != nullptr ? found->drawing(series) : nullptr;
        return drawing != nullptr ? drawing->raw.visiblePoints : 0;
    }
    QStringList order()
    {
        QStringList ids;
        for (const MetricPlot* shown : m_board->plots())
            ids << shown->objectName().mid(5);
        return ids;
    }

private Q_SLOTS:
    void initTestCase() { m_theme.setScheme(ColorScheme::Light); }

    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_settings = std::make_unique<QSettings>(m_folder->filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
        m_selection = std::make_unique<Selection>();
    }

    void cleanup()
    {
        m_board.reset();
        m_bridge.reset();
    }

    void theEmptyBoardSaysWhatToDo()
    {
        makeBoard({});
        QSignalSpy open(m_board.get(), &MetricsBoard::openProjectRequested);
        QSignalSpy start(m_board.get(), &MetricsBoard::startRequested);
        auto* openButton = m_board->findChild<QPushButton*>(QStringLiteral("emptyOpen"));
        auto* startButton = m_board->findChild<QPushButton*>(QStringLiteral("emptyStart"));
        QVERIFY(openButton->isVisible());
        QVERIFY(!startButton->isVisible());
        QTest::mouseClick(openButton, Qt::LeftButton);
        QCOMPARE(open.size(), 1);
        m_board->setProjectOpen(true);
        QVERIFY(startButton->isVisible());
        startButton->setFocus();
        QTest::keyClick(startButton, Qt::Key_Space);
        QCOMPARE(start.size(), 1);
    }

    void aRunOpensItsBoardAndTheCurveGrows()
    {
        makeBoard(steadyScript());
        startRun();
        QTRY_VERIFY(plot("loss") != nullptr);
        QVERIFY(plot("lr") != nullptr);
        QVERIFY(plot("grad_norms") != nullptr);
        QCOMPARE(order().front(), QStringLiteral("loss"));
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > 20);
        const std::size_t before = drawnPoints("loss", "train/loss");
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > before + 20);

        // Paused: no more points. One step: exactly one. Resumed: it grows again.
        m_bridge->post(command::Pause{});
        QTRY_COMPARE(m_bridge->state(), SessionState::Paused);
        const auto steps = static_cast<std::size_t>(m_bridge->progress().step);
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), steps);
        QTest::qWait(200);
        QCOMPARE(drawnPoints("loss", "train/loss"), steps);
        m_bridge->post(command::StepOnce{});
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), steps + 1);
        QTest::qWait(200);
        QCOMPARE(drawnPoints("loss", "train/loss"), steps + 1);
        m_bridge->post(command::Resume{});
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > steps + 20);
        QVERIFY(m_bridge->stopAndWait(5s));
    }

    void plotsOutOfSightCostNothing()
    {
        makeBoard(steadyScript());
        m_board->resize(700, 330); // one plot in sight
        startRun();
        QTRY_VERIFY(m_board->plots().size() >= 4);
        QTRY_VERIFY(plot("loss")->canvas()->replotCount() > 10); // the first layout is long over
        MetricPlot* last = m_board->plots().back();
        const int before = last->canvas()->replotCount();
        const int shown = plot("loss")->canvas()->replotCount();
        QTRY_VERIFY(plot("loss")->canvas()->replotCount() > shown + 5);
        QCOMPARE(last->canvas()->replotCount(), before);
        // Scrolled to, it catches up.
        auto* grid = m_board->findChild<PlotGrid*>();
        grid->verticalScrollBar()->setValue(grid->verticalScrollBar()->maximum());
        QTRY_VERIFY(last->canvas()->replotCount() > before);
    }

    void zoomingIntoThePastShowsEveryStoredPoint()
    {
        FakeScript script;
        script.steps = 30'000;
        makeBoard(script);
        startRun();
        QTRY_VERIFY_WITH_TIMEOUT(!m_bridge->isActive(), 30'000);
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > 1000);
        plot("loss")->showSteps(5'000, 5'200);
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), std::size_t{201});
        const CurveDrawing& drawing = *plot("loss")->drawing("train/loss");
        QVERIFY(!drawing.isCoarse);
        QTest::mouseDClick(plot("loss")->canvas(), Qt::LeftButton, {}, plot("loss")->canvas()->rect().center());
        QTRY_VERIFY(plot("loss")->viewport().x().to > 29'999);
    }

    void valuesOfThePastAreExportedExactly()
    {
        FakeScript script;
        script.steps = 10'000;
        makeBoard(script);
        startRun();
        QTRY_VERIFY_WITH_TIMEOUT(!m_bridge->isActive(), 30'000);
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > 1000);
        std::optional<std::vector<NamedPoints>> values;
        plot("loss")->collectValues([&](auto result) {
            QVERIFY(result.ok());
            values = result.value();
        });
        QTRY_VERIFY(values.has_value());
        QCOMPARE(values->front().name, std::string("train/loss"));
        QCOMPARE(values->front().points.steps.size(), std::size_t{10'000});
        const auto healthy = FakeScript::healthySeries();
        for (std::size_t i = 0; i < 10'000; i += 997)
            QCOMPARE(values->front().points.values[i], healthy.front().value(static_cast<std::int64_t>(i + 1)));
    }

    void theTreeAddsAndRemovesPlots()
    {
        FakeScript script;
        script.steps = 100;
        makeBoard(script);
        startRun();
        QTRY_VERIFY(plot("lr") != nullptr);
        QTRY_VERIFY(!m_bridge->isActive());
        QVERIFY(m_board->shows(QStringLiteral("lr")));
        auto* model = m_board->tree()->model();
        QTRY_COMPARE(model->indexOf(QStringLiteral("lr")).data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
        QVERIFY(model->setData(model->indexOf(QStringLiteral("lr")), Qt::Unchecked, Qt::CheckStateRole));
        QVERIFY(!m_board->shows(QStringLiteral("lr")));
        QTRY_VERIFY(plot("lr") == nullptr);
        QVERIFY(model->setData(model->indexOf(QStringLiteral("lr")), Qt::Checked, Qt::CheckStateRole));
        QVERIFY(m_board->shows(QStringLiteral("lr")));
        QVERIFY(plot("user:lr") != nullptr);
        // A curve of a default plot is switched off in its legend, and on again there.
        model->setData(model->indexOf(QStringLiteral("val/loss")), Qt::Unchecked, Qt::CheckStateRole);
        QVERIFY(!plot("loss")->isCurveShown(QStringLiteral("val/loss")));
        const auto count = m_board->plots().size();
        model->setData(model->indexOf(QStringLiteral("val/loss")), Qt::Checked, Qt::CheckStateRole);
        QVERIFY(plot("loss")->isCurveShown(QStringLiteral("val/loss")));
        QCOMPARE(m_board->plots().size(), count);
        QVERIFY(m_board->addPlot({QStringLiteral("nothing")}) == nullptr);
    }

    void whatTheUserArrangedIsKeptForTheProject()
    {
        FakeScript script;
        script.steps = 50;
        makeBoard(script);
        startRun();
        QTRY_VERIFY(plot("lr") != nullptr);
        QTRY_VERIFY(!m_bridge->isActive());
        QTest::mouseClick(plot("lr")->findChild<QToolButton*>(QStringLiteral("closeButton")), Qt::LeftButton);
        QTest::mouseClick(plot("loss")->findChild<QToolButton*>(QStringLiteral("logButton")), Qt::LeftButton);
        m_board->addPlot({QStringLiteral("train/loss"), QStringLiteral("lr")});
        const QStringList before = order();
        QVERIFY(!before.contains(QStringLiteral("lr")));

        openBoard(); // the run is still there
        QTRY_COMPARE(order(), before);
        QVERIFY(plot("loss")->isLogarithmic());
        m_board->resetLayout();
        QVERIFY(order().contains(QStringLiteral("lr")));
        QVERIFY(!plot("loss")->isLogarithmic());
    }

    void plotsAreMovedByDragAndByMenu()
    {
        FakeScript script;
        script.steps = 50;
        makeBoard(script);
        startRun();
        QTRY_VERIFY(m_board->plots().size() >= 4);
        QTRY_VERIFY(!m_bridge->isActive());
        const QStringList before = order();
        auto* header = m_board->plots()[0]->findChild<QWidget*>(QStringLiteral("plotHeader"));
        MetricPlot* third = m_board->plots()[2];
        const QPoint target = header->mapFromGlobal(third->mapToGlobal(QPoint(10, 100)));
        drag(*header, QPoint(120, 8), target);
        QStringList expected = before;
        expected.move(0, 1); // before the third, which is behind the second
        QCOMPARE(order(), expected);
        Q_EMIT m_board->plots()[1]->moveRequested(-1);
        QCOMPARE(order(), before);
        Q_EMIT m_board->plots()[0]->moveRequested(-1); // no further
        QCOMPARE(order(), before);
        Q_EMIT m_board->plots()[0]->moveRequested(1);
        QCOMPARE(order(), expected);
    }

    void columnsFollowTheWidth()
    {
        makeBoard({});
        startRun();
        QTRY_VERIFY(m_board->plots().size() >= 4);
        auto* grid = m_board->findChild<PlotGrid*>();
        m_board->resize(700, 600);
        QTRY_COMPARE(grid->columnCount(), 1);
        m_board->resize(1200, 600);
        QTRY_COMPARE(grid->columnCount(), 2);
        m_board->resize(2400, 600);
        QTRY_COMPARE(grid->columnCount(), 3);
    }

    void liveEditsAndFindingsAreMarked()
    {
        FakeScript script = steadyScript();
        script.bursts = {{"train/loss", 30, 32, std::numeric_limits<double>::quiet_NaN()}};
        makeBoard(script);
        startRun();
        QTRY_VERIFY(drawnPoints("loss", "train/loss") > 50);
        m_bridge->post(command::SetLearningRate{0.005});
        QTRY_VERIFY(plot("loss")->nonFiniteCount() == 3);
        const auto hasMark = [&](PlotMark::Kind kind) {
            const auto& marks = plot("loss")->marks();
            return std::any_of(marks.begin(), marks.end(), [&](const PlotMark& mark) { return mark.kind == kind; });
        };
        QTRY_VERIFY(hasMark(PlotMark::Kind::Edit));
        QTRY_VERIFY(hasMark(PlotMark::Kind::Error));
    }

    void selectionGoesBothWays()
    {
        FakeScript script;
        script.steps = 50;
        makeBoard(script);
        startRun();
        QTRY_VERIFY(plot("grad_norms") != nullptr);
        QTRY_VERIFY(!m_bridge->isActive());
        const QString series = QStringLiteral("grad_norm/conv1.weight");
        m_selection->select(GraphPart::Network, {"conv1"});
        QVERIFY(plot("grad_norms")->highlighted().contains(series.toStdString()));
        auto* model = m_board->tree()->model();
        QVERIFY(model->indexOf(series).data(Qt::FontRole).value<QFont>().bold());
        QCOMPARE(m_board->tree()->view()->currentIndex().data(SeriesTreeModel::PathRole).toString(), series);
        m_selection->clear();
        QVERIFY(plot("grad_norms")->highlighted().empty());

        auto* view = m_board->tree()->view();
        view->expandAll();
        view->setCurrentIndex({});
        const QModelIndex row = view->model()->match(view->model()->index(0, 0), SeriesTreeModel::PathRole, series, 1,
                                                     Qt::MatchExactly | Qt::MatchRecursive)
                                    .constFirst();
        view->scrollTo(row);
        QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->visualRect(row).center());
        QCOMPARE(m_selection->nodes(), (std::set<std::string>{"conv1"}));

        m_selection->clear();
        MetricPlot* gradients = plot("grad_norms");
        QTRY_VERIFY(!gradients->drawing(series.toStdString())->raw.line.empty());
        const PlotPoint point = gradients->drawing(series.toStdString())->raw.line[20];
        QTest::mouseClick(gradients->canvas(), Qt::LeftButton, {}, positionOf(*gradients, point.x, point.y));
        QCOMPARE(m_selection->nodes(), (std::set<std::string>{"conv1"}));
    }

    void aNewRunTakesThePlaceOfTheLast()
    {
        FakeScript script;
        script.steps = 40;
        makeBoard(script);
        startRun();
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), std::size_t{40});
        QTRY_VERIFY(!m_bridge->isActive());
        startRun();
        QTRY_VERIFY(!m_bridge->isActive());
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), std::size_t{40});
        QCOMPARE(plot("loss")->series().size(), 2);
    }

    void aStoredRunIsShownTheSameWay()
    {
        FakeScript script;
        script.steps = 300;
        makeBoard(script);
        startRun();
        QTRY_VERIFY(!m_bridge->isActive());
        const RunId run = m_bridge->runId();
        startRun();
        QTRY_VERIFY(!m_bridge->isActive());
        m_board->showStoredRun({m_bridge->storeFile(), run}, QStringLiteral("first"), {});
        QTRY_VERIFY(plot("loss") != nullptr);
        QTRY_COMPARE(drawnPoints("loss", "train/loss"), std::size_t{300});
        startRun(); // does not push the stored one away
        QTRY_VERIFY(!m_bridge->isActive());
        QCOMPARE(drawnPoints("loss", "train/loss"), std::size_t{300});
        m_board->showStoredRun({m_bridge->storeFile(), 999}, QStringLiteral("none"), {});
        QTRY_COMPARE(m_board->historyReader()->pendingCount(), 0);
        QVERIFY(m_board->plots().empty());
        m_board->showLiveRun();
        QTRY_VERIFY(plot("loss") != nullptr);
    }
};

QTEST_MAIN(TestMetricsBoard)
#include "tst_metrics_board.moc"
