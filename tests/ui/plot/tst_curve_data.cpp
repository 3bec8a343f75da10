// Buckets, history and raw samples put together: nothing is lost at any zoom.
#include "ui/plot/curve_data.h"
#include "ui/plot/smoothing.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// One series with the given values at steps 1, 2, ….
SeriesView viewOf(const std::vector<double>& values)
{
    SeriesStore store;
    store.addSeries({"train/loss", "", SeriesRole::Essential});
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < values.size(); ++i)
        samples.push_back({0, static_cast<std::int64_t>(i + 1), values[i]});
    store.append(samples);
    return store.view(0);
}

HistoryWindow windowOf(const std::vector<double>& values, std::int64_t from, std::int64_t to)
{
    HistoryWindow window{from, to, {}, 0};
    for (std::int64_t step = from; step <= to; ++step) {
        window.points.steps.push_back(step);
        window.points.values.push_back(values[static_cast<std::size_t>(step - 1)]);
    }
    return window;
}

std::vector<double> noise(int count)
{
    std::mt19937 random(5);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::vector<double> values(static_cast<std::size_t>(count));
    for (double& value : values)
        value = uniform(random);
    return values;
}

bool drawsPoint(const CurveDrawing& drawing, double x, double y)
{
    return std::any_of(drawing.raw.line.begin(), drawing.raw.line.end(),
                       [&](const PlotPoint& point) { return point.x == x && point.y == y; });
}

} // namespace

class TestCurveData : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aSpikeAmongAMillionPointsIsThereAtEveryZoom()
    {
        std::vector<double> values = noise(1'000'000);
        constexpr double kSpikeStep = 345'678;
        values[static_cast<std::size_t>(kSpikeStep) - 1] = 100;
        const SeriesView view = viewOf(values);
        for (double width = 1'000'000; width > 50; width /= 3) {
            for (const int columns : {200, 640, 1500}) {
                const double from = std::max(0.0, kSpikeStep - width * 0.4);
                const CurveDrawing drawing = drawCurve(view, nullptr, {{from, from + width, columns}});
                QVERIFY2(drawsPoint(drawing, kSpikeStep, 100), qPrintable(QString::number(width)));
                QCOMPARE(drawing.raw.maximum, 100.0);
            }
        }
    }

    void tellsWhenBucketsAreTooCoarse()
    {
        const SeriesView view = viewOf(noise(1'000'000));
        QVERIFY(!drawCurve(view, nullptr, {{0, 1'000'000, 600}}).isCoarse);
        QVERIFY(drawCurve(view, nullptr, {{200'000, 201'000, 600}}).isCoarse);
        // The newest samples are raw.
        QVERIFY(!drawCurve(view, nullptr, {{999'000, 1'000'000, 600}}).isCoarse);
        // A short run is raw altogether.
        QVERIFY(!drawCurve(viewOf(noise(2'000)), nullptr, {{100, 120, 600}}).isCoarse);
    }

    void historyShowsEveryStoredPoint()
    {
        const std::vector<double> values = noise(1'000'000);
        const SeriesView view = viewOf(values);
        const HistoryWindow history = windowOf(values, 499'900, 500'200);
        const CurveDrawing drawing = drawCurve(view, &history, {{500'000, 500'100, 800}});
        QVERIFY(!drawing.isCoarse);
        QCOMPARE(drawing.raw.visiblePoints, std::size_t{101});
        for (std::int64_t step = 500'000; step <= 500'100; ++step)
            QVERIFY(drawsPoint(drawing, static_cast<double>(step), values[static_cast<std::size_t>(step - 1)]));
        QCOMPARE(drawing.raw.line.size(), std::size_t{103}); // and one beyond each edge
    }

    void historyBucketsAndRingMeetWithoutGapOrDouble()
    {
        const std::vector<double> values = noise(10'000);
        const SeriesView view = viewOf(values);
        const HistoryWindow history = windowOf(values, 3'000, 9'000); // reaches into the ring, which begins at 7 953
        const CurveDrawing drawing = drawCurve(view, &history, {{1, 10'000, 20'000}});
        double last = 0;
        int raw = 0;
        for (const PlotPoint& point : drawing.raw.line) {
            QVERIFY(point.x > last); // ascending, nothing twice
            QCOMPARE(point.y, values[static_cast<std::size_t>(point.x) - 1]);
            last = point.x;
            raw += point.x >= 3'000 ? 1 : 0;
        }
        QCOMPARE(raw, 7'001);
        QCOMPARE(drawing.raw.line.front().x, 1.0);
    }

    void thinnedHistoryIsCoarseOnlyWhenZoomedFurther()
    {
        const std::vector<double> values = noise(100'000);
        const SeriesView view = viewOf(values);
        HistoryWindow history = windowOf(values, 10'000, 20'000);
        history.stepsPerColumn = 20;
        history.points = thinned(history.points, {10'000, 20'000, 500});
        QVERIFY(!drawCurve(view, &history, {{12'000, 18'000, 300}}).isCoarse);
        QVERIFY(drawCurve(view, &history, {{12'000, 13'000, 300}}).isCoarse);
    }

    void nonFiniteValuesAreMarkedExactlyAndNeverCountForTheRange()
    {
        std::vector<double> values = noise(100'000);
        values[499] = kNaN;
        values[50'000] = std::numeric_limits<double>::infinity();
        values[99'999] = -std::numeric_limits<double>::infinity();
        const SeriesView view = viewOf(values);
        QCOMPARE(view.nonFinite, std::int64_t{3});
        const CurveDrawing drawing = drawCurve(view, nullptr, {{1, 100'000, 100'000}});
        QCOMPARE(drawing.raw.nonFinite, (std::vector<double>{500, 50'001, 100'000}));
        QVERIFY(drawing.raw.maximum <= 1);
        QVERIFY(drawing.raw.minimum >= 0);
    }

    void manyNonFiniteValuesHaveAMarkInEveryBucketThatHoldsOne()
    {
        // More than the view can list: every tenth of a hundred thousand.
        std::vector<double> values = noise(100'000);
        for (std::size_t i = 9; i < values.size(); i += 10)
            values[i] = kNaN;
        const CurveDrawing drawing = drawCurve(viewOf(values), nullptr, {{1, 100'000, 500}});
        QCOMPARE(drawing.raw.nonFinite.size(), std::size_t{500});
    }

    void smoothingEqualsTheAverageOverAllSamples()
    {
        const std::vector<double> values = noise(2'000); // fits the ring: exact
        const CurveDrawing drawing = drawCurve(viewOf(values), nullptr, {{1, 2'000, 4'000}, ValueScale::Linear, 30});
        StepAverage average(30);
        QCOMPARE(drawing.smoothed.line.size(), values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double expected = average.add(static_cast<std::int64_t>(i + 1), values[i]);
            QVERIFY(std::abs(drawing.smoothed.line[i].y - expected) < 1e-12);
        }
    }

    void smoothingOfALongRunFollowsTheExactAverage()
    {
        std::vector<double> values = noise(200'000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] += std::sin(static_cast<double>(i) / 20'000) * 5;
        const CurveDrawing drawing = drawCurve(viewOf(values), nullptr, {{1, 200'000, 500}, ValueScale::Linear, 2'000});
        StepAverage average(2'000);
        std::vector<double> exact;
        for (std::size_t i = 0; i < values.size(); ++i)
            exact.push_back(average.add(static_cast<std::int64_t>(i + 1), values[i]));
        QVERIFY(drawing.smoothed.line.size() > 400);
        for (const PlotPoint& point : drawing.smoothed.line) {
            if (point.x > 1'000) // the first bucket is its own average
                QVERIFY(std::abs(point.y - exact[static_cast<std::size_t>(point.x) - 1]) < 0.02);
        }
    }

    void smoothingDependsOnThePastOnly()
    {
        std::vector<double> values = noise(1'500);
        const auto before = drawCurve(viewOf(values), nullptr, {{1, 1'500, 3'000}, ValueScale::Linear, 50}).smoothed.line;
        values.resize(1'800, 1'000.0);
        const auto after = drawCurve(viewOf(values), nullptr, {{1, 1'500, 3'000}, ValueScale::Linear, 50}).smoothed.line;
        for (std::size_t i = 0; i < before.size(); ++i)
            QCOMPARE(after[i].y, before[i].y);
    }

    void rawPointsAreExactOrNothing()
    {
        const std::vector<double> values = noise(5'000);
        const SeriesView view = viewOf(values);
        QVERIFY(!rawPoints(view, 1, 5'000));
        const auto newest = rawPoints(view, 4'000, 4'010);
        QVERIFY(newest.has_value());
        QCOMPARE(newest->steps.size(), std::size_t{11});
        QCOMPARE(newest->values[3], values[4'002]);
        QCOMPARE(rawPoints(viewOf(noise(100)), -5, 1'000)->steps.size(), std::size_t{100});
    }
};

QTEST_APPLESS_MAIN(TestCurveData)
#include "tst_curve_data.moc"
