#include "ui/compare/parallel_axes.h"
#include "ui/theme/theme.h"

#include <QSignalSpy>
#include <QTest>

#include <limits>

using namespace athanor;

class TestParallelAxes : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbersArePlacedByTheirSize()
    {
        const ParallelAxis axis =
            numberAxis(QStringLiteral("batch"),
                       {10.0, 20.0, std::nullopt, 15.0, std::numeric_limits<double>::quiet_NaN()});
        QVERIFY(!axis.isLogarithmic);
        QCOMPARE(*axis.places[0], 0.0);
        QCOMPARE(*axis.places[1], 1.0);
        QVERIFY(!axis.places[2] && !axis.places[4]);
        QCOMPARE(*axis.places[3], 0.5);
        QCOMPARE(*numberAxis(QStringLiteral("one"), {3.0}).places[0], 0.5);
    }

    void learningRatesAreLogarithmic()
    {
        const ParallelAxis axis = numberAxis(QStringLiteral("lr"), {1e-4, 1e-3, 1e-1});
        QVERIFY(axis.isLogarithmic);
        QVERIFY(qAbs(*axis.places[1] - 1.0 / 3) < 1e-9);
        QVERIFY(!numberAxis(QStringLiteral("x"), {0.0, 1000.0}).isLogarithmic);
    }

    void choicesStandInTheirOrder()
    {
        const ParallelAxis axis =
            choiceAxis(QStringLiteral("kind"), {QStringLiteral("SGD"), QStringLiteral("Adam"), std::nullopt,
                                                QStringLiteral("RMSprop")});
        QCOMPARE(*axis.places[1], 0.0);
        QCOMPARE(*axis.places[3], 0.5);
        QCOMPARE(*axis.places[0], 1.0);
        QCOMPARE(axis.marks.size(), 3U);
    }

    void aClickChoosesALine()
    {
        Theme theme;
        ParallelAxes view(theme);
        view.resize(600, 300);
        view.setRuns({"a", "b"}, {Qt::red, Qt::blue});
        view.setAxes(
            {numberAxis(QStringLiteral("x"), {0.0, 1.0}), numberAxis(QStringLiteral("y"), {0.0, 1.0})});
        view.show();
        QSignalSpy chosen(&view, &ParallelAxes::currentChanged);
        const QPointF middle = (view.pointOf(0, 1) + view.pointOf(1, 1)) / 2;
        QTest::mouseClick(&view, Qt::LeftButton, {}, middle.toPoint());
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(view.current(), 1);
        QTest::keyClick(&view, Qt::Key_Down);
        QCOMPARE(view.current(), 0);
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          (view.pointOf(0, 0) + view.pointOf(0, 1)).toPoint() / 2 + QPoint(60, 0));
        QCOMPARE(view.current(), -1);
    }
};

QTEST_MAIN(TestParallelAxes)
#include "tst_parallel_axes.moc"
