// The smoothed line against its definition, written out by hand.
#include "ui/plot/smoothing.h"

#include <QTest>

#include <cmath>
#include <vector>

using namespace athanor;

class TestSmoothing : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isTheDebiasedAverageOfItsDefinition()
    {
        const double span = 4;
        const double b = std::exp(-1 / span);
        const std::vector<double> values{3, -1, 4, 1, -5, 9, 2, 6};
        StepAverage average(span);
        double biased = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            biased = b * biased + (1 - b) * values[i];
            const double expected = biased / (1 - std::pow(b, static_cast<double>(i + 1)));
            const double actual = average.add(static_cast<std::int64_t>(i + 1), values[i]);
            QVERIFY2(std::abs(actual - expected) < 1e-12, qPrintable(QString::number(actual)));
        }
    }

    void theFirstValueIsItself()
    {
        StepAverage average(1000);
        QVERIFY(std::isnan(average.value()));
        QCOMPARE(average.add(1, 42), 42.0);
        // Two values far below the span weigh nearly the same.
        QVERIFY(std::abs(average.add(2, 44) - 43) < 1e-3);
    }

    void aConstantStaysAConstant()
    {
        StepAverage average(7);
        for (int step = 1; step < 100; ++step)
            QVERIFY(std::abs(average.add(step, 0.1) - 0.1) < 1e-15);
    }

    void weighsBySteps()
    {
        // Every tenth step with span 40 is smoothed like every step with span 4.
        StepAverage sparse(40, 10);
        StepAverage dense(4);
        for (int i = 1; i <= 30; ++i) {
            const double value = i % 7;
            const double difference = sparse.add(10 * i, value) - dense.add(i, value);
            QVERIFY(std::abs(difference) < 1e-12);
        }
    }

    void aMeanOfEqualSamplesCountsLikeTheSamples()
    {
        StepAverage single(10);
        StepAverage bucketed(10);
        single.add(1, 5);
        bucketed.add(1, 5);
        for (int step = 2; step <= 9; ++step)
            single.add(step, 2);
        bucketed.add(9, 2);
        QVERIFY(std::abs(single.value() - bucketed.value()) < 1e-12);
    }

    void nonFiniteValuesChangeNothing()
    {
        StepAverage average(5);
        average.add(1, 1);
        const double before = average.add(2, 3);
        QCOMPARE(average.add(3, std::numeric_limits<double>::quiet_NaN()), before);
        QCOMPARE(average.add(4, std::numeric_limits<double>::infinity()), before);
        QVERIFY(std::isfinite(average.add(5, 2)));
    }
};

QTEST_APPLESS_MAIN(TestSmoothing)
#include "tst_smoothing.moc"
