// Reduction to pixel columns, held against drawing every point.
#include "ui/plot/series_reduce.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace athanor;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Cover {
    double low = kInfinity;
    double high = -kInfinity;
};

/// What a line through the points covers in each pixel column; NaN breaks the line, a lone point covers itself.
std::vector<Cover> covered(const std::vector<PlotPoint>& points, const PixelColumns& columns)
{
    std::vector<Cover> cover(static_cast<std::size_t>(columns.count));
    const auto touch = [&](double place, double y) {
        if (place < 0 || place > columns.count)
            return;
        Cover& column = cover[static_cast<std::size_t>(std::min<double>(place, columns.count - 1))];
        column.low = std::min(column.low, y);
        column.high = std::max(column.high, y);
    };
    const auto placeOf = [&](double x) { return (x - columns.from) / (columns.to - columns.from) * columns.count; };
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!std::isfinite(points[i].y))
            continue;
        touch(placeOf(points[i].x), points[i].y);
        if (i + 1 == points.size() || !std::isfinite(points[i + 1].y))
            continue;
        const double a = placeOf(points[i].x);
        const double b = placeOf(points[i + 1].x);
        // Where the segment crosses a border between columns it touches both.
        for (double border = std::max(0.0, std::ceil(a)); border <= b && border <= columns.count; ++border) {
            if (b == a)
                break;
            const double y = points[i].y + (points[i + 1].y - points[i].y) * (border - a) / (b - a);
            touch(border, y);
            touch(border - 0.5, y);
        }
    }
    return cover;
}

ReducedCurve reduced(const std::vector<PlotPoint>& points, const PixelColumns& columns,
                     ValueScale scale = ValueScale::Linear)
{
    ColumnReducer reducer(columns, scale);
    for (const PlotPoint& point : points)
        reducer.add(point.x, point.y);
    return reducer.finish();
}

void compareCover(const std::vector<PlotPoint>& points, const PixelColumns& columns)
{
    const auto expected = covered(points, columns);
    const auto actual = covered(reduced(points, columns).line, columns);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const bool equal = std::abs(expected[i].low - actual[i].low) < 1e-9 &&
                           std::abs(expected[i].high - actual[i].high) < 1e-9;
        const bool bothEmpty = expected[i].low > expected[i].high && actual[i].low > actual[i].high;
        QVERIFY2(equal || bothEmpty, qPrintable(QStringLiteral("column %1: %2…%3, expected %4…%5")
                                                    .arg(i)
                                                    .arg(actual[i].low)
                                                    .arg(actual[i].high)
                                                    .arg(expected[i].low)
                                                    .arg(expected[i].high)));
    }
}

} // namespace

class TestSeriesReduce : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void coversTheSameAsEveryPoint_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<int>("columns");
        QTest::newRow("whole") << 20'000 << 1.0 << 20'000.0 << 300;
        QTest::newRow("part") << 20'000 << 4'000.25 << 9'000.75 << 317;
        QTest::newRow("few points in many columns") << 50 << 0.0 << 51.0 << 800;
        QTest::newRow("one column") << 5'000 << 1.0 << 5'000.0 << 1;
        QTest::newRow("a hundred steps of many") << 20'000 << 10'000.0 << 10'100.0 << 640;
    }

    void coversTheSameAsEveryPoint()
    {
        QFETCH(int, points);
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(int, columns);
        std::mt19937 random(7);
        std::normal_distribution<double> noise;
        std::vector<PlotPoint> data;
        double walk = 0;
        for (int i = 1; i <= points; ++i) {
            walk += noise(random) * 0.1;
            const double spike = random() % 1000 == 0 ? 50 : 0;
            data.push_back({static_cast<double>(i), walk + noise(random) + spike});
        }
        compareCover(data, {from, to, columns});
        const ReducedCurve curve = reduced(data, {from, to, columns});
        QVERIFY(curve.line.size() <= 4U * static_cast<std::size_t>(columns) + 2);
    }

    void keepsEveryExtremeOfARange()
    {
        std::mt19937 random(11);
        std::vector<PlotPoint> data;
        for (int i = 0; i < 100'000; ++i)
            data.push_back({static_cast<double>(i), static_cast<double>(random() % 1000)});
        data[77'777].y = 1e6;
        data[33'333].y = -1e6;
        const ReducedCurve curve = reduced(data, {0, 99'999, 500});
        QCOMPARE(curve.maximum, 1e6);
        QCOMPARE(curve.minimum, -1e6);
        QCOMPARE(curve.visiblePoints, std::size_t{100'000});
        const auto has = [&](double x, double y) {
            return std::any_of(curve.line.begin(), curve.line.end(),
                               [&](const PlotPoint& point) { return point.x == x && point.y == y; });
        };
        QVERIFY(has(77'777, 1e6));
        QVERIFY(has(33'333, -1e6));
    }

    void nonFiniteValuesBreakTheLineAndAreMarked()
    {
        const ReducedCurve curve =
            reduced({{1, 5}, {2, 6}, {3, kNaN}, {4, 7}, {5, kInfinity}, {6, -kInfinity}, {7, 8}, {8, 9}}, {0, 10, 100});
        QCOMPARE(curve.minimum, 5.0);
        QCOMPARE(curve.maximum, 9.0);
        QCOMPARE(curve.nonFinite, (std::vector<double>{3, 5, 6}));
        QCOMPARE(curve.isolated.size(), std::size_t{1});
        QCOMPARE(curve.isolated[0].x, 4.0);
        const auto gaps = std::count_if(curve.line.begin(), curve.line.end(),
                                        [](const PlotPoint& point) { return std::isnan(point.y); });
        QCOMPARE(gaps, 2); // before and after the point at 4
    }

    void aLonePointIsIsolated()
    {
        QCOMPARE(reduced({{5, 1}}, {0, 10, 100}).isolated.size(), std::size_t{1});
        QCOMPARE(reduced({{4, 1}, {5, 1}}, {0, 10, 100}).isolated.size(), std::size_t{0});
        // A neighbour outside the range makes a line.
        QCOMPARE(reduced({{4, 1}, {20, 1}}, {0, 10, 100}).isolated.size(), std::size_t{0});
        // All NaN but one.
        QCOMPARE(reduced({{1, kNaN}, {2, 3}, {3, kNaN}}, {0, 10, 100}).isolated.size(), std::size_t{1});
    }

    void theLineGoesOnBeyondBothEdges()
    {
        const ReducedCurve curve = reduced({{1, 1}, {2, 2}, {5, 3}, {8, 4}, {9, 5}}, {4, 6, 50});
        QCOMPARE(curve.line.size(), std::size_t{3});
        QCOMPARE(curve.line.front().x, 2.0);
        QCOMPARE(curve.line.back().x, 8.0);
        QCOMPARE(curve.minimum, 3.0);
        QCOMPARE(curve.maximum, 3.0);
        // A gap at the edge is a gap: no line to the point behind it.
        QCOMPARE(reduced({{1, 1}, {3, kNaN}, {5, 3}, {7, kNaN}, {8, 4}}, {4, 6, 50}).line.size(), std::size_t{1});
        QCOMPARE(reduced({{1, 1}, {4.5, kNaN}, {5, 3}}, {4, 6, 50}).line.size(), std::size_t{1});
    }

    void betweenTwoPointsTheLinePassesThrough()
    {
        const ReducedCurve curve = reduced({{0, 1}, {100, 3}}, {40, 60, 50});
        QCOMPARE(curve.line.size(), std::size_t{2});
        QCOMPARE(curve.minimum, 1.0);
        QCOMPARE(curve.maximum, 3.0);
    }

    void aLogScaleLeavesOutWhatIsNotPositive()
    {
        const ReducedCurve curve = reduced({{1, 1}, {2, 0}, {3, 100}, {4, -5}, {5, 10}}, {0, 10, 100}, ValueScale::Log);
        QCOMPARE(curve.minimum, 1.0);
        QCOMPARE(curve.maximum, 100.0);
        QCOMPARE(curve.nonPositive, (std::vector<double>{2, 4}));
        QVERIFY(curve.nonFinite.empty());
    }

    void aHundredThousandNaNMakeOneMarkPerColumn()
    {
        std::vector<PlotPoint> data;
        for (int i = 0; i < 100'000; ++i)
            data.push_back({static_cast<double>(i), kNaN});
        const ReducedCurve curve = reduced(data, {0, 99'999, 640});
        QCOMPARE(curve.nonFinite.size(), std::size_t{640});
        QVERIFY(curve.line.empty());
        QVERIFY(curve.minimum > curve.maximum);
    }

    void anEmptyOrDegenerateRangeIsHarmless()
    {
        QVERIFY(reduced({}, {0, 10, 100}).line.empty());
        QCOMPARE(reduced({{5, 1}}, {5, 5, 0}).line.size(), std::size_t{1});
    }

    void thinnedPointsAreASubsetThatDrawsTheSame()
    {
        std::mt19937 random(3);
        SeriesPoints points;
        std::vector<PlotPoint> all;
        for (int i = 0; i < 50'000; ++i) {
            const double value = random() % 500 == 0 ? kNaN : static_cast<double>(random() % 10'000);
            points.steps.push_back(i);
            points.values.push_back(value);
            all.push_back({static_cast<double>(i), value});
        }
        const PixelColumns columns{10'000, 40'000, 400};
        const SeriesPoints thin = thinned(points, columns);
        QVERIFY(thin.steps.size() <= 6U * 400 + 2);
        std::vector<PlotPoint> kept;
        for (std::size_t i = 0; i < thin.steps.size(); ++i) {
            const auto step = static_cast<std::size_t>(thin.steps[i]);
            const bool same = thin.values[i] == points.values[step] ||
                              (std::isnan(thin.values[i]) && std::isnan(points.values[step]));
            QVERIFY(same);
            QVERIFY(i == 0 || thin.steps[i] > thin.steps[i - 1]);
            kept.push_back({static_cast<double>(thin.steps[i]), thin.values[i]});
        }
        const ReducedCurve full = reduced(all, columns);
        const ReducedCurve fromThin = reduced(kept, columns);
        QCOMPARE(fromThin.line.size(), full.line.size());
        QCOMPARE(fromThin.nonFinite.size(), full.nonFinite.size());
        QCOMPARE(fromThin.minimum, full.minimum);
        QCOMPARE(fromThin.maximum, full.maximum);
        QCOMPARE(thin.steps.front(), std::int64_t{9'999});
        QCOMPARE(thin.steps.back(), std::int64_t{40'001});
    }
};

QTEST_APPLESS_MAIN(TestSeriesReduce)
#include "tst_series_reduce.moc"
