#include "engine/compare/curve_math.h"

#include <QTest>

#include <array>
#include <cmath>
#include <limits>

using namespace athanor;

namespace {
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
} // namespace

class TestCurveMath : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void valuesBetweenPointsLieOnTheLine()
    {
        const Curve curve{{0, 10, 20}, {1, 3, kNaN}};
        QCOMPARE(valueAt(curve, 5), 2.0);
        QCOMPARE(valueAt(curve, 10), 3.0);
        QVERIFY(std::isnan(valueAt(curve, 15)));
        QVERIFY(std::isnan(valueAt(curve, -1)));
        QVERIFY(std::isnan(valueAt(curve, 21)));
        QCOMPARE(valueAt(Curve{{5, 5}, {1, 2}}, 5), 2.0);
        QVERIFY(std::isnan(valueAt(Curve{}, 0)));
    }

    void differenceMakesUpNothingBeyondTheBaseline()
    {
        const Curve baseline{{10, 20}, {1, 2}};
        const Curve curve{{5, 10, 15, 20, 25}, {9, 4, 4, 4, 9}};
        const Curve difference = differenceTo(curve, baseline);
        QCOMPARE(difference.x, (std::vector<double>{10, 15, 20}));
        QCOMPARE(difference.y, (std::vector<double>{3, 2.5, 2}));
        const Curve broken = differenceTo(Curve{{10, 20}, {kInf, 5}}, baseline);
        QVERIFY(std::isnan(broken.y[0]));
        QCOMPARE(broken.y[1], 3.0);
        QVERIFY(differenceTo(curve, Curve{}).empty());
    }

    void bestKeepsThroughBadValues()
    {
        const Curve curve{{1, 2, 3, 4, 5}, {kNaN, 5, 7, -kInf, 3}};
        const Curve low = bestSoFar(curve, Better::Lower);
        QCOMPARE(low.x, (std::vector<double>{2, 3, 4, 5}));
        QCOMPARE(low.y, (std::vector<double>{5, 5, 5, 3}));
        const Curve high = bestSoFar(curve, Better::Higher);
        QCOMPARE(high.y, (std::vector<double>{5, 7, 7, 7}));
        QVERIFY(bestSoFar(Curve{{1}, {kNaN}}, Better::Lower).empty());
    }

    // Three seeds: mean 2, 4; deviations of 1,2,3 and 2,4,6 are 1 and 2. The third ends early, NaN is counted.
    void bandOfSeeds()
    {
        const std::array curves{Curve{{1, 2, 3}, {1, 2, 10}}, Curve{{1, 2, 3}, {2, 4, kNaN}},
                                Curve{{1, 2}, {3, 6}}};
        const Band band = bandOf(curves);
        QCOMPARE(band.x, (std::vector<double>{1, 2, 3}));
        QCOMPARE(band.mean, (std::vector<double>{2, 4, 10}));
        QCOMPARE(band.deviation, (std::vector<double>{1, 2, 0}));
        QCOMPARE(band.low, (std::vector<double>{1, 2, 10}));
        QCOMPARE(band.high, (std::vector<double>{3, 6, 10}));
        QCOMPARE(band.count, (std::vector<std::int64_t>{3, 3, 1}));
        QCOMPARE(band.nonFinite, (std::vector<std::int64_t>{0, 0, 1}));
        const std::array none{Curve{{1}, {kNaN}}};
        QVERIFY(std::isnan(bandOf(none).mean[0]));
    }

    void bandJoinsCurvesOfOtherSteps()
    {
        const std::array curves{Curve{{0, 10}, {0, 10}}, Curve{{0, 5, 10}, {2, 7, 12}}};
        const Band band = bandOf(curves);
        QCOMPARE(band.x, (std::vector<double>{0, 5, 10}));
        QCOMPARE(band.mean, (std::vector<double>{1, 6, 11}));
    }

    void outlineKeepsEverySpike()
    {
        Curve curve;
        for (int i = 0; i < 100'000; ++i) {
            curve.x.push_back(i);
            curve.y.push_back(std::sin(i * 0.001));
        }
        curve.y[41'234] = 1000;
        curve.y[77'777] = -1000;
        curve.y[12'345] = kNaN;
        const Curve drawn = outlined(curve, 1000);
        QVERIFY(drawn.x.size() <= 1251);
        QCOMPARE(*std::max_element(drawn.y.begin(), drawn.y.end(), [](double a, double b) { return a < b; }),
                 1000.0);
        QVERIFY(std::find(drawn.y.begin(), drawn.y.end(), -1000.0) != drawn.y.end());
        QVERIFY(std::any_of(drawn.y.begin(), drawn.y.end(), [](double y) { return std::isnan(y); }));
        QVERIFY(std::is_sorted(drawn.x.begin(), drawn.x.end()));
        QCOMPARE(drawn.x.front(), 0.0);
        QCOMPARE(drawn.x.back(), 99'999.0);
    }
};

QTEST_APPLESS_MAIN(TestCurveMath)
#include "tst_curve_math.moc"
