#include "data_test.h"

#include "engine/data/sample_random.h"

#include <QtTest>

#include <cmath>

using namespace athanor;

namespace {

constexpr double kPi = 3.141592653589793;

OpenedDataset open(const Json& params)
{
    return openSource(sourceNode({}, "Synthetic", params));
}

/// How far a point is from the shape of its class.
double distance(const QString& kind, double x, double y, std::int64_t label, int classes)
{
    const double radius = std::hypot(x, y);
    if (kind == "blobs") // centres on a circle of radius 2, the first at the top
        return std::hypot(x - 2 * std::sin(-2 * kPi * static_cast<double>(label) / classes),
                          y - 2 * std::cos(-2 * kPi * static_cast<double>(label) / classes));
    if (kind == "moons")
        return label == 0 ? std::abs(radius - 1) + std::max(0.0, -y)
                          : std::abs(std::hypot(x - 1, y - 0.5) - 1) + std::max(0.0, y - 0.5);
    if (kind == "circles")
        return std::abs(radius - (label == 0 ? 1 : 0.5));
    if (kind == "spirals") { // one and a quarter turns from the centre to radius 1
        const double angle = 2 * kPi * (1.25 * radius + static_cast<double>(label) / classes);
        return std::hypot(x - radius * std::cos(angle), y - radius * std::sin(angle)) +
               std::max(0.0, radius - 1);
    }
    const bool inside = std::max(std::abs(x), std::abs(y)) <= 1;
    const bool differ = (x > 0) != (y > 0);
    return inside && differ == (label == 1) ? 0 : 1;
}

} // namespace

class TestSynthetic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void drawsAsSplitMix64();
    void drawsByTheKey();
    void dependsOnTheSeedAlone();
    void liesOnItsShape_data();
    void liesOnItsShape();
    void scattersByTheNoise();
    void makesARegression();
};

void TestSynthetic::drawsAsSplitMix64()
{
    // The first numbers of the reference code (Vigna, splitmix64.c) for the state 0.
    SampleRandom random({});
    QCOMPARE(random.next(), std::uint64_t{0xE220A8397B1DCDAF});
    QCOMPARE(random.next(), std::uint64_t{0x6E789E6AA1B965F4});
    QCOMPARE(random.next(), std::uint64_t{0x06C45D188009454F});
}

void TestSynthetic::drawsByTheKey()
{
    QCOMPARE(SampleRandom({1, 2, 3}).next(), SampleRandom({1, 2, 3}).next());
    QVERIFY(SampleRandom({1, 2, 3}).next() != SampleRandom({1, 3, 2}).next());
    QVERIFY(SampleRandom({0}).next() != SampleRandom({0, 0}).next());
    double mean = 0;
    double squares = 0;
    constexpr int kDraws = 20000;
    for (std::uint64_t i = 0; i < kDraws; ++i) { // first draws of neighbouring keys, as samples have them
        const double value = SampleRandom({7, 0, i}).uniform();
        QVERIFY(value >= 0 && value < 1);
        mean += value / kDraws;
        squares += value * value / kDraws;
    }
    QVERIFY(std::abs(mean - 0.5) < 0.01);
    QVERIFY(std::abs(squares - 1 / 3.0) < 0.01);
}

void TestSynthetic::dependsOnTheSeedAlone()
{
    const OpenedDataset a = open({{"kind", "moons"}, {"seed", 5}});
    const OpenedDataset b = open({{"kind", "moons"}, {"seed", 5}, {"samples", 10}});
    const OpenedDataset c = open({{"kind", "moons"}, {"seed", 6}});
    QCOMPARE((*a)->size(), 1000);
    QCOMPARE((*b)->size(), 10);
    QCOMPARE(numbersOf<float>(**a, "features", 7), numbersOf<float>(**b, "features", 7));
    QVERIFY(numbersOf<float>(**a, "features", 7) != numbersOf<float>(**c, "features", 7));
}

void TestSynthetic::liesOnItsShape_data()
{
    QTest::addColumn<QString>("kind");
    QTest::addColumn<int>("classes");
    QTest::newRow("blobs") << "blobs" << 2;
    QTest::newRow("five blobs") << "blobs" << 5;
    QTest::newRow("moons") << "moons" << 2;
    QTest::newRow("circles") << "circles" << 2;
    QTest::newRow("spirals") << "spirals" << 2;
    QTest::newRow("three spirals") << "spirals" << 3;
    QTest::newRow("xor") << "xor" << 2;
}

void TestSynthetic::liesOnItsShape()
{
    QFETCH(QString, kind);
    QFETCH(int, classes);
    const OpenedDataset data = open(
        {{"kind", kind.toStdString()}, {"classes", classes}, {"noise", 0}, {"samples", 600}, {"seed", 1}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[1].classes, classes);
    std::vector<int> counts(static_cast<std::size_t>(classes));
    for (std::int64_t i = 0; i < 600; ++i) {
        const std::vector<float> point = numbersOf<float>(**data, "features", i);
        const std::int64_t label = labelsOf(**data)[static_cast<std::size_t>(i)];
        ++counts[static_cast<std::size_t>(label)];
        QVERIFY(distance(kind, point[0], point[1], label, classes) < 1e-5);
    }
    for (const int count : counts)
        QVERIFY(std::abs(count - 600 / classes) <= (kind == "xor" ? 60 : 0));
}

void TestSynthetic::scattersByTheNoise()
{
    const OpenedDataset data = open({{"noise", 0.5}, {"samples", 8000}, {"classes", 2}});
    double x = 0;
    double y = 0;
    for (std::int64_t i = 0; i < 8000; ++i) {
        const std::vector<float> point = numbersOf<float>(**data, "features", i);
        x += point[0] * point[0] / 8000.0;
        y += (std::abs(point[1]) - 2) * (std::abs(point[1]) - 2) / 8000.0;
    }
    QVERIFY(std::abs(std::sqrt(x) - 0.5) < 0.02);
    QVERIFY(std::abs(std::sqrt(y) - 0.5) < 0.02);
}

void TestSynthetic::makesARegression()
{
    const OpenedDataset data = open({{"kind", "sine"}, {"noise", 0}, {"samples", 200}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].shape, std::vector<std::int64_t>{1});
    QCOMPARE((*data)->fields()[1].name, std::string("target"));
    for (std::int64_t i = 0; i < 200; ++i) {
        const double x = numbersOf<float>(**data, "features", i)[0];
        QVERIFY(x >= -1 && x <= 1);
        QVERIFY(std::abs(numbersOf<float>(**data, "target", i)[0] - std::sin(2 * kPi * x)) < 1e-5);
    }
}

QTEST_APPLESS_MAIN(TestSynthetic)
#include "tst_synthetic.moc"
