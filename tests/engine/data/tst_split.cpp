#include "engine/data/split.h"

#include <QtTest>

#include <algorithm>
#include <set>

using namespace athanor;

namespace {

using Parts = std::array<std::vector<std::int64_t>, 3>;

std::vector<std::int64_t> joined(const Parts& parts)
{
    std::vector<std::int64_t> all;
    for (const auto& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::int64_t countOf(const std::vector<std::int64_t>& part, const std::vector<std::int64_t>& classes,
                     std::int64_t label)
{
    return std::count_if(part.begin(), part.end(), [&](std::int64_t index) {
        return classes[static_cast<std::size_t>(index)] == label;
    });
}

} // namespace

class TestSplit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void usesEverySampleOnce_data();
    void usesEverySampleOnce();
    void leavesTheRestOut();
    void dependsOnTheSeedAlone();
    void mixesTheSamples();
    void keepsTheMixOfClasses();
    void dividesSmallClasses();
};

void TestSplit::usesEverySampleOnce_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<QList<double>>("shares");
    QTest::addColumn<QList<int>>("sizes");
    QTest::newRow("80/20") << 100 << QList<double>{0.8, 0.2, 0} << QList<int>{80, 20, 0};
    QTest::newRow("70/15/15") << 1000 << QList<double>{0.7, 0.15, 0.15} << QList<int>{700, 150, 150};
    QTest::newRow("thirds") << 10 << QList<double>{1 / 3.0, 1 / 3.0, 1 / 3.0} << QList<int>{4, 3, 3};
    QTest::newRow("all") << 7 << QList<double>{1, 0, 0} << QList<int>{7, 0, 0};
    QTest::newRow("two") << 2 << QList<double>{0.5, 0.5, 0} << QList<int>{1, 1, 0};
}

void TestSplit::usesEverySampleOnce()
{
    QFETCH(int, count);
    QFETCH(QList<double>, shares);
    QFETCH(QList<int>, sizes);
    const Parts parts = splitSamples(count, {shares[0], shares[1], shares[2]}, {}, 7);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        QCOMPARE(static_cast<int>(parts[part].size()), sizes[static_cast<qsizetype>(part)]);
        QVERIFY(std::is_sorted(parts[part].begin(), parts[part].end()));
    }
    const std::vector<std::int64_t> all = joined(parts);
    QCOMPARE(static_cast<int>(all.size()), count);
    for (int i = 0; i < count; ++i)
        QCOMPARE(all[static_cast<std::size_t>(i)], i);
}

void TestSplit::leavesTheRestOut()
{
    const Parts parts = splitSamples(100, {0.5, 0.25, 0}, {}, 7);
    QCOMPARE(parts[0].size(), std::size_t{50});
    QCOMPARE(parts[1].size(), std::size_t{25});
    QVERIFY(parts[2].empty());
    const std::vector<std::int64_t> all = joined(parts);
    QCOMPARE(std::set<std::int64_t>(all.begin(), all.end()).size(), std::size_t{75});
}

void TestSplit::dependsOnTheSeedAlone()
{
    QCOMPARE(splitSamples(50, {0.8, 0.2, 0}, {}, 3), splitSamples(50, {0.8, 0.2, 0}, {}, 3));
    QVERIFY(splitSamples(50, {0.8, 0.2, 0}, {}, 3) != splitSamples(50, {0.8, 0.2, 0}, {}, 4));
}

void TestSplit::mixesTheSamples()
{
    // The mean index of 200 of 1000 drawn at random is 499.5 ± 18.3 (one standard deviation).
    const Parts parts = splitSamples(1000, {0.8, 0.2, 0}, {}, 1);
    double mean = 0;
    for (const std::int64_t index : parts[1])
        mean += static_cast<double>(index) / static_cast<double>(parts[1].size());
    QVERIFY(std::abs(mean - 499.5) < 4 * 18.3);
    // Neither a block nor every fifth one.
    std::set<std::int64_t> steps;
    for (std::size_t i = 1; i < parts[1].size(); ++i)
        steps.insert(parts[1][i] - parts[1][i - 1]);
    QVERIFY(steps.size() > 5);
}

void TestSplit::keepsTheMixOfClasses()
{
    std::vector<std::int64_t> classes;
    for (int i = 0; i < 1000; ++i)
        classes.push_back(i < 900 ? 0 : i < 990 ? 1 : 2); // 900, 90, 10
    const Parts parts = splitSamples(1000, {0.7, 0.2, 0.1}, classes, 5);
    const std::array<std::array<std::int64_t, 3>, 3> expected = {{{630, 63, 7}, {180, 18, 2}, {90, 9, 1}}};
    for (std::size_t part = 0; part < 3; ++part)
        for (std::int64_t label = 0; label < 3; ++label)
            QVERIFY(std::abs(countOf(parts[part], classes, label) -
                             expected[part][static_cast<std::size_t>(label)]) <= 1);
    QCOMPARE(joined(parts).size(), std::size_t{1000});
}

void TestSplit::dividesSmallClasses()
{
    std::vector<std::int64_t> classes; // ten classes of five samples
    for (int i = 0; i < 50; ++i)
        classes.push_back(i % 10);
    const Parts parts = splitSamples(50, {0.8, 0.2, 0}, classes, 9);
    for (std::int64_t label = 0; label < 10; ++label)
        QCOMPARE(countOf(parts[1], classes, label), 1);
}

QTEST_APPLESS_MAIN(TestSplit)
#include "tst_split.moc"
