// The tree of series: its model's rules, search, values, and a very large run.
#include "plot_test_tools.h"

#include "ui/plot/series_tree.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTreeView>

using namespace athanor;

class TestSeriesTree : public QObject {
    Q_OBJECT

private:
    Theme m_theme;

    static QModelIndex child(const QAbstractItemModel& model, const QString& name, const QModelIndex& parent = {})
    {
        for (int row = 0; row < model.rowCount(parent); ++row) {
            if (model.index(row, 0, parent).data().toString() == name)
                return model.index(row, 0, parent);
        }
        return {};
    }
    static void addLargeRun(HandFedRun& run)
    {
        for (int layer = 0; layer < 1000; ++layer) {
            for (const char* kind : {"grad_norm", "update_ratio", "weight_norm", "weight_std"}) {
                for (const char* parameter : {"weight", "bias", "scale"})
                    run.add(std::string(kind) + "/layer" + std::to_string(layer) + '.' + parameter);
            }
        }
    }

private Q_SLOTS:
    void initTestCase() { m_theme.setScheme(ColorScheme::Light); }

    void splitsPathsAndParameterNames()
    {
        HandFedRun run;
        for (const char* name : {"train/loss", "val/loss", "grad_norm", "grad_norm/conv1.weight", "grad_norm/conv1.bias",
                                 "activation/relu1/mean"})
            run.add(name);
        SeriesTreeModel model(m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setSource(run.source());
        QCOMPARE(model.rowCount(), 4); // train, val, grad_norm, activation
        const QModelIndex norm = child(model, QStringLiteral("grad_norm"));
        QCOMPARE(model.path(norm), QStringLiteral("grad_norm")); // a series and a folder
        const QModelIndex conv = child(model, QStringLiteral("conv1"), norm);
        QVERIFY(model.path(conv).isEmpty());
        QCOMPARE(model.rowCount(conv), 2);
        QCOMPARE(model.path(child(model, QStringLiteral("bias"), conv)), QStringLiteral("grad_norm/conv1.bias"));
        QCOMPARE(model.seriesBelow(norm).size(), 3);
        QCOMPARE(model.indexOf(QStringLiteral("grad_norm/conv1.weight")).data().toString(), QStringLiteral("weight"));
        QVERIFY(!(model.flags(conv) & Qt::ItemIsUserCheckable));
        QVERIFY(model.flags(norm) & Qt::ItemIsUserCheckable);
    }

    void takesInSeriesWhileTheRunGoesOn()
    {
        HandFedRun run;
        run.add("train/loss");
        SeriesTreeModel model(m_theme);
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
        model.setSource(run.source());
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        run.add("val/loss");
        run.add("train/accuracy");
        model.addNewSeries();
        QCOMPARE(model.seriesCount(), 3);
        QCOMPARE(inserted.size(), 3); // val, val/loss, train/accuracy
        model.setSource(nullptr);
        QCOMPARE(model.rowCount(), 0);
    }

    void showsValuesCountsAndMarks()
    {
        HandFedRun run;
        const SeriesIndex loss = run.add("train/loss", "ms");
        SeriesTreeModel model(m_theme);
        model.setSource(run.source());
        const QModelIndex value =
            model.indexOf(QStringLiteral("train/loss")).siblingAtColumn(SeriesTreeModel::ValueColumn);
        QCOMPARE(value.data().toString(), QStringLiteral("–"));
        run.append(loss, 1, 12.34);
        QCOMPARE(value.data().toString(), QStringLiteral("12.34\u2009ms"));
        run.append(loss, 2, std::numeric_limits<double>::quiet_NaN());
        QVERIFY(value.data().toString().contains(QStringLiteral("NaN")));
        QVERIFY(value.data().toString().contains(QStringLiteral("▼ 1")));
        QCOMPARE(value.data(Qt::ForegroundRole).value<QColor>(), m_theme.color(ColorRole::Bad));
    }

    void checkingAsksForAPlot()
    {
        HandFedRun run;
        run.add("train/loss");
        SeriesTree tree(m_theme);
        tree.setSource(run.source());
        tree.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tree));
        QSignalSpy added(&tree, &SeriesTree::additionRequested);
        QSignalSpy removed(&tree, &SeriesTree::removalRequested);
        tree.view()->expandAll();
        const QModelIndex folder = child(*tree.view()->model(), QStringLiteral("train"));
        const QModelIndex row = child(*tree.view()->model(), QStringLiteral("loss"), folder);
        const QPoint at = tree.view()->visualRect(row).center();
        QTest::mouseClick(tree.view()->viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(tree.view()->viewport(), Qt::LeftButton, {}, at);
        QCOMPARE(added.size(), 1);
        QCOMPARE(added[0][0].toString(), QStringLiteral("train/loss"));
        tree.setPlotted({QStringLiteral("train/loss")});
        QCOMPARE(row.data(Qt::CheckStateRole).toInt(), static_cast<int>(Qt::Checked));
        tree.view()->setFocus();
        QTest::keyClick(tree.view(), Qt::Key_Return);
        QCOMPARE(removed.size(), 1);
        QTest::keyClick(tree.view(), Qt::Key_Space); // the check box by keyboard
        QCOMPARE(removed.size(), 2);
    }

    void selectingByTheUserIsToldFromHighlighting()
    {
        HandFedRun run;
        run.add("grad_norm/conv1.weight");
        run.add("grad_norm/fc.weight");
        SeriesTree tree(m_theme);
        tree.setSource(run.source());
        tree.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tree));
        QSignalSpy selected(&tree, &SeriesTree::seriesSelected);
        tree.setHighlighted({QStringLiteral("grad_norm/fc.weight")}, true);
        QCOMPARE(selected.size(), 0);
        QCOMPARE(tree.view()->currentIndex().data(SeriesTreeModel::PathRole).toString(),
                 QStringLiteral("grad_norm/fc.weight"));
        QVERIFY(tree.view()->currentIndex().data(Qt::FontRole).value<QFont>().bold());
        tree.view()->expandAll();
        const QModelIndex conv = child(*tree.view()->model(), QStringLiteral("conv1"), tree.view()->model()->index(0, 0));
        const QModelIndex weight = tree.view()->model()->index(0, 0, conv);
        QTest::mouseClick(tree.view()->viewport(), Qt::LeftButton, {}, tree.view()->visualRect(weight).center());
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected[0][0].toString(), QStringLiteral("grad_norm/conv1.weight"));
    }

    void searchFindsAllWords()
    {
        HandFedRun run;
        for (const char* name : {"grad_norm/conv1.weight", "grad_norm/conv2.weight", "update_ratio/conv1.weight"})
            run.add(name);
        SeriesTree tree(m_theme);
        tree.setSource(run.source());
        tree.show();
        auto* search = tree.findChild<QLineEdit*>(QStringLiteral("seriesSearch"));
        QTest::keyClicks(search, QStringLiteral("CONV1 grad"));
        const auto* model = tree.view()->model();
        QCOMPARE(model->rowCount(), 1);
        const QModelIndex norm = model->index(0, 0);
        QCOMPARE(norm.data().toString(), QStringLiteral("grad_norm"));
        QCOMPARE(model->rowCount(norm), 1);
        search->clear();
        QCOMPARE(model->rowCount(), 2);
        QTest::keyClicks(search, QStringLiteral("nothing like this"));
        QCOMPARE(model->rowCount(), 0);
    }

    void aLargeRunOpensAtOnceAndPaintsOnlyWhatIsSeen()
    {
        HandFedRun run;
        addLargeRun(run);
        SeriesTree tree(m_theme);
        tree.resize(280, 600);
        tree.show();
        QVERIFY(QTest::qWaitForWindowExposed(&tree));
        QElapsedTimer timer;
        timer.start();
        tree.setSource(run.source());
        tree.view()->repaint();
        const qint64 opening = timer.restart();
        QTest::keyClicks(tree.findChild<QLineEdit*>(QStringLiteral("seriesSearch")), QStringLiteral("layer77"));
        const qint64 searching = timer.elapsed();
        // The times belong to the bench; a busy machine must not fail the test, a quadratic model must.
        qInfo() << "12 000 series: opened in" << opening << "ms, 7 letters searched in" << searching << "ms";
        QVERIFY(opening < 5'000);
        QVERIFY(searching < 20'000);
        QCOMPARE(tree.model()->seriesCount(), 12'000);
        tree.view()->expandAll();
        tree.refreshValues();
        QVERIFY(tree.refreshedRows() > 5);
        QVERIFY(tree.refreshedRows() < 60);
        tree.hide();
        tree.refreshValues();
        QCOMPARE(tree.refreshedRows(), 0);
    }

    void knowsTheNodeOfASeries()
    {
        const std::vector<std::string> nodes{"conv1", "block1/conv", "block1", "fc"};
        QCOMPARE(nodeOfSeries("grad_norm/conv1.weight", nodes), std::string("conv1"));
        QCOMPARE(nodeOfSeries("grad_norm/block1.conv.weight", nodes), std::string("block1/conv"));
        QCOMPARE(nodeOfSeries("activation/block1/conv/mean", nodes), std::string("block1/conv"));
        QCOMPARE(nodeOfSeries("grad_norm/conv12.weight", nodes), std::string());
        QCOMPARE(nodeOfSeries("train/loss", nodes), std::string());
        QCOMPARE(nodeOfSeries("lr", nodes), std::string());
    }
};

QTEST_MAIN(TestSeriesTree)
#include "tst_series_tree.moc"
