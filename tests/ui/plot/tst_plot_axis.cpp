// Ticks, ranges and the viewport's rules.
#include "ui/plot/plot_axis.h"
#include "ui/plot/plot_viewport.h"

#include <QTest>

#include <cmath>

using namespace athanor;

namespace {

constexpr QChar kThinSpace(0x2009);

bool isNear(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

} // namespace

class TestPlotAxis : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void linearTicksAreRound()
    {
        const AxisTicks ticks = linearTicks({0, 1}, 5, TickKind::Values);
        QCOMPARE(ticks.labels, (std::vector<QString>{"0", "0.2", "0.4", "0.6", "0.8", "1.0"}));
        const AxisTicks negative = linearTicks({-1.2, 1.2}, 3, TickKind::Values);
        QCOMPARE(negative.labels, (std::vector<QString>{QString(QChar(0x2212)) + "1", "0", "1"}));
    }

    void smallAndLargeValuesAreWrittenWithExponents()
    {
        const AxisTicks small = linearTicks({0, 4e-6}, 4, TickKind::Values);
        QCOMPARE(small.labels, (std::vector<QString>{"0", "1e-6", "2e-6", "3e-6", "4e-6"}));
        const AxisTicks large = linearTicks({0, 4e9}, 4, TickKind::Values);
        QCOMPARE(large.labels.back(), QStringLiteral("4e9"));
    }

    void stepsAreWholeNumbersWithThinSpaces()
    {
        const AxisTicks few = linearTicks({0, 3}, 10, TickKind::Steps);
        QCOMPARE(few.labels, (std::vector<QString>{"0", "1", "2", "3"}));
        const AxisTicks many = linearTicks({0, 1'000'000}, 4, TickKind::Steps);
        QCOMPARE(many.labels[1], QStringLiteral("500") + kThinSpace + "000");
    }

    void decadesAreEvenlySpaced()
    {
        const AxisTicks ticks = logTicks({1e-8, 1e-2}, 10);
        QCOMPARE(ticks.major.size(), std::size_t{7});
        for (std::size_t i = 1; i < ticks.major.size(); ++i)
            QVERIFY(isNear(std::log10(ticks.major[i]) - std::log10(ticks.major[i - 1]), 1));
        QCOMPARE(ticks.labels.front(), QStringLiteral("1e-8"));
        QCOMPARE(ticks.labels.back(), QStringLiteral("0.01"));
        QCOMPARE(ticks.minor.size(), std::size_t{6 * 8});
    }

    void manyDecadesSkipSomeAndFewAreDivided()
    {
        QVERIFY(logTicks({1e-40, 1e40}, 6).major.size() <= 7);
        const AxisTicks one = logTicks({0.5, 30}, 6);
        QCOMPARE(one.labels, (std::vector<QString>{"0.5", "1", "2", "5", "10", "20"}));
        QVERIFY(logTicks({1.0, 1.5}, 6).major.size() >= 3);
        QVERIFY(logTicks({-1, 5}, 6).major.empty());
    }

    void ticksOfSillyRangesEnd()
    {
        QVERIFY(linearTicks({5, 5}, 5, TickKind::Values).major.empty());
        QVERIFY(linearTicks({-1e308, 1e308}, 5, TickKind::Values).major.empty());
        QVERIFY(linearTicks({1e17, 1e17 + 32}, 5, TickKind::Values).major.size() < 1001);
    }

    void paddingNeverGivesAnEmptyOrInfiniteRange()
    {
        QCOMPARE(paddedRange(1, -1, ValueScale::Linear), (AxisRange{0, 1})); // nothing there
        for (const auto& [low, high] : std::vector<std::pair<double, double>>{
                 {0, 0}, {3, 3}, {-3, -3}, {1e-300, 1e-300}, {-1.7e308, 1.7e308}, {1e17, 1e17}}) {
            const AxisRange range = paddedRange(low, high, ValueScale::Linear);
            QVERIFY(std::isfinite(range.from) && std::isfinite(range.to));
            QVERIFY(range.from < range.to);
        }
        const AxisRange log = paddedRange(1e-5, 1e-5, ValueScale::Log);
        QVERIFY(log.from > 0 && log.from < 1e-5 && log.to > 1e-5);
    }

    void positiveDataHasNoNegativeAxis()
    {
        const AxisRange range = paddedRange(0.001, 10, ValueScale::Linear);
        QVERIFY(range.from > -0.3);
        QVERIFY(range.to > 10);
    }

    void zoomKeepsTheAnchor()
    {
        const AxisRange linear = zoomedRange({0, 100}, 0.5, 25, ValueScale::Linear);
        QCOMPARE(linear, (AxisRange{12.5, 62.5}));
        const AxisRange log = zoomedRange({1, 10'000}, 0.5, 100, ValueScale::Log);
        QVERIFY(isNear(log.from, 10) && isNear(log.to, 1000));
    }

    void followsUntilTheUserZooms()
    {
        PlotViewport viewport;
        viewport.setDataSteps(1, 100);
        viewport.setVisibleValues(0, 10);
        QCOMPARE(viewport.mode(), RangeMode::Follow);
        QVERIFY(viewport.x().from <= 1 && viewport.x().to >= 100);
        viewport.setDataSteps(1, 200);
        QVERIFY(viewport.x().to >= 200);

        viewport.zoomX(0.5, 100);
        QCOMPARE(viewport.mode(), RangeMode::Zoomed);
        const AxisRange zoomed = viewport.x();
        viewport.setDataSteps(1, 1000);
        QCOMPARE(viewport.x(), zoomed);
        viewport.setVisibleValues(5, 6); // y still fits what is visible
        QVERIFY(viewport.y().to < 7);

        viewport.follow();
        QCOMPARE(viewport.mode(), RangeMode::Follow);
        QVERIFY(viewport.x().to >= 1000);
    }

    void aChosenValueRangeStays()
    {
        PlotViewport viewport;
        viewport.setDataSteps(1, 100);
        viewport.setVisibleValues(0, 10);
        viewport.showY({2, 3});
        viewport.setVisibleValues(0, 1000);
        QCOMPARE(viewport.y(), (AxisRange{2, 3}));
        viewport.setScale(ValueScale::Log); // another scale starts anew
        viewport.setVisibleValues(1, 1000);
        QVERIFY(viewport.y().to >= 1000);
        const AxisRange before = viewport.y();
        viewport.showY({-1, 5}); // not on a log scale
        QCOMPARE(viewport.y(), before);
    }

    void aFixedRangeIgnoresGestures()
    {
        PlotViewport viewport;
        viewport.setDataSteps(1, 100);
        viewport.fix();
        const AxisRange x = viewport.x();
        viewport.zoomX(0.5, 50);
        viewport.panX(0.3);
        viewport.setDataSteps(1, 500);
        QCOMPARE(viewport.x(), x);
        QCOMPARE(viewport.mode(), RangeMode::Fixed);
        viewport.follow();
        QVERIFY(viewport.x().to >= 500);
    }

    void zoomStaysWithinTheData()
    {
        PlotViewport viewport;
        viewport.setDataSteps(1, 1000);
        viewport.zoomX(100, 500);
        QVERIFY(viewport.x().from >= -20 && viewport.x().to <= 1021);
        for (int i = 0; i < 100; ++i)
            viewport.zoomX(0.5, 500);
        QVERIFY(viewport.x().width() >= 1.99);
        viewport.panX(1e6);
        QVERIFY(viewport.x().to <= 1021);
    }
};

QTEST_APPLESS_MAIN(TestPlotAxis)
#include "tst_plot_axis.moc"
