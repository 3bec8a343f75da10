#include "engine/compare/rank_correlation.h"

#include <QTest>

#include <cmath>
#include <limits>

using namespace athanor;

class TestRankCorrelation : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void equalValuesShareRanks()
    {
        const std::vector<double> values{10, 20, 20, 5};
        QCOMPARE(ranksOf(values), (std::vector<double>{2, 3.5, 3.5, 1}));
    }

    // By hand: ranks of a are 1…5, of b 2 1 4 3 5; rho = 1 − 6 Σd² / n(n² − 1) = 1 − 6·4 / 120 = 0.8.
    void rhoByHand()
    {
        const std::vector<double> a{1, 2, 3, 4, 5};
        const std::vector<double> b{20, 10, 40, 30, 1e9};
        QVERIFY(std::abs(*rankCorrelation(a, b) - 0.8) < 1e-12);
        const std::vector<double> falling{5, 4, 3, 2, 1};
        QCOMPARE(*rankCorrelation(a, falling), -1.0);
    }

    void whatTellsNothing()
    {
        const double nan = std::numeric_limits<double>::quiet_NaN();
        QVERIFY(!rankCorrelation(std::vector<double>{1, 2, 3}, std::vector<double>{4, 4, 4}));
        QVERIFY(!rankCorrelation(std::vector<double>{1, 2, nan, 4}, std::vector<double>{1, 2, 3, nan}));
        QVERIFY(rankCorrelation(std::vector<double>{1, 2, 3, nan}, std::vector<double>{1, 2, 3, 0}));
    }

    void heaviestParameterFirst()
    {
        using Values = std::vector<std::optional<RunValue>>;
        const std::vector<std::string> names{"seed", "optimizer", "lr", "same"};
        const std::vector<Values> values{
            {RunValue(3.0), RunValue("SGD"), RunValue(1e-4), RunValue(1.0)},
            {RunValue(1.0), RunValue("Adam"), RunValue(1e-3), RunValue(1.0)},
            {RunValue(2.0), RunValue("SGD"), RunValue(1e-2), RunValue(1.0)},
            {RunValue(4.0), RunValue("Adam"), RunValue(1e-1), RunValue(1.0)},
        };
        const std::vector<double> metric{0.1, 0.2, 0.3, 0.4};
        const auto weights = parameterWeights(names, values, metric);
        QCOMPARE(weights.size(), 3U);
        QCOMPARE(weights[0].parameter, std::string("lr"));
        QCOMPARE(weights[0].rho, 1.0);
        // Ranks of the metric: SGD 1 and 3, Adam 2 and 4; between 2·0.25 + 2·0.25 = 1 of 5.
        const auto optimizer = std::find_if(weights.begin(), weights.end(),
                                            [](const auto& w) { return w.parameter == "optimizer"; });
        QVERIFY(optimizer != weights.end());
        QVERIFY(!optimizer->isNumber);
        QVERIFY(std::abs(optimizer->weight - 0.2) < 1e-12);
        // Seeds 3 1 2 4 against 1 2 3 4: Σd² = 6, rho = 1 − 36 / 60 = 0.4.
        QVERIFY(std::abs(weights[1].rho - 0.4) < 1e-12);
    }
};

QTEST_APPLESS_MAIN(TestRankCorrelation)
#include "tst_rank_correlation.moc"
