#include "engine/data/split.h"

#include <QtTest>

#include <algorithm>
#include <map>
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

/// Windows of `length` rows, one beginning at each row, with a label, a patient and a day.
class Windows final : public Dataset {
public:
    Windows(std::int64_t size, std::int64_t length)
        : Dataset({FieldLayout{"label", Element::Int64, {}, 3, {}, {}}}), m_size(size), m_length(length)
    {}
    std::int64_t size() const override { return m_size; }
    Status read(std::int64_t, Sample&) const override { return Done{}; }
    std::string sampleName(std::int64_t index) const override { return std::to_string(index); }
    std::int64_t indexValue(std::size_t, std::int64_t index) const override { return index % 3; }
    RowSpan rows(std::int64_t index) const override { return {index, index + m_length}; }
    std::vector<std::string> keyColumns() const override { return {"patient", "day"}; }
    std::string keyText(std::size_t column, std::int64_t index) const override
    {
        return std::to_string(column == 0 ? index % 7 : m_size - index); // as texts 9 stands behind 10
    }

protected:
    void mapClasses(std::size_t, const std::vector<std::int64_t>&) override {}

private:
    std::int64_t m_size;
    std::int64_t m_length;
};

Json splitParams(const Json& changes)
{
    Json params = {{"train", 0.7}, {"val", 0.3}, {"test", 0.0}, {"stratify", false}, {"seed", 0},
                   {"by", "random"}, {"column", ""}, {"folds", 0}, {"fold", 0}};
    params.update(changes);
    return params;
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
    void keepsGroupsWhole();
    void dividesInOrder();
    void dealsFolds();
    void goesByKeyColumns();
    void leavesOutWindowsThatCross();
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

void TestSplit::keepsGroupsWhole()
{
    std::vector<std::int64_t> groups;
    for (std::int64_t i = 0; i < 200; ++i)
        groups.push_back((i * i) % 20);
    const std::int64_t count = *std::max_element(groups.begin(), groups.end()) + 1;
    const Parts parts = splitGroups(groups, count, {0.6, 0.2, 0.2}, 3);
    QCOMPARE(joined(parts).size(), std::size_t{200});
    std::array<std::set<std::int64_t>, 3> seen;
    for (std::size_t part = 0; part < parts.size(); ++part)
        for (const std::int64_t index : parts[part])
            seen[part].insert(groups[static_cast<std::size_t>(index)]);
    for (const auto& [a, b] : {std::pair{0, 1}, {0, 2}, {1, 2}})
        for (const std::int64_t group : seen[static_cast<std::size_t>(a)])
            QVERIFY(!seen[static_cast<std::size_t>(b)].contains(group));
    QVERIFY(!parts[1].empty() && !parts[2].empty());
}

void TestSplit::dividesInOrder()
{
    const Parts parts = splitOrdered({4, 2, 0, 1, 3, 5, 6, 7, 8, 9}, {0.5, 0.3, 0.2});
    QCOMPARE(parts[0], (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
    QCOMPARE(parts[1], (std::vector<std::int64_t>{5, 6, 7}));
    QCOMPARE(parts[2], (std::vector<std::int64_t>{8, 9}));
}

void TestSplit::dealsFolds()
{
    // sklearn's KFold: the first n % k folds have n / k + 1 samples.
    const std::vector<std::int64_t> folds = dealFolds(23, 5, {}, 1);
    for (std::int64_t fold = 0; fold < 5; ++fold)
        QCOMPARE(std::count(folds.begin(), folds.end(), fold), fold < 3 ? 5 : 4);
    std::vector<std::int64_t> classes;
    for (std::int64_t i = 0; i < 60; ++i)
        classes.push_back(i < 40 ? 0 : 1);
    const std::vector<std::int64_t> even = dealFolds(60, 4, classes, 1);
    std::map<std::pair<std::int64_t, std::int64_t>, int> counts;
    for (std::size_t i = 0; i < 60; ++i)
        ++counts[{classes[i], even[i]}];
    for (std::int64_t fold = 0; fold < 4; ++fold) {
        QCOMPARE((counts[{0, fold}]), 10);
        QCOMPARE((counts[{1, fold}]), 5);
    }
    const Windows data(23, 1);
    std::set<std::int64_t> validated;
    for (int fold = 0; fold < 5; ++fold) {
        const auto divided = divideSamples(data, splitParams({{"folds", 5}, {"fold", fold}}));
        QVERIFY(divided.ok());
        QCOMPARE(divided->parts[0].size() + divided->parts[1].size(), std::size_t{23});
        validated.insert(divided->parts[1].begin(), divided->parts[1].end());
    }
    QCOMPARE(validated.size(), std::size_t{23});
    QCOMPARE(divideSamples(data, splitParams({{"folds", 5}, {"fold", 5}})).error().where, std::string("fold"));
}

void TestSplit::goesByKeyColumns()
{
    const Windows data(30, 1);
    const auto grouped = divideSamples(data, splitParams({{"by", "group"}, {"column", "patient"}}));
    QVERIFY(grouped.ok());
    std::set<std::int64_t> train;
    for (const std::int64_t index : grouped->parts[0])
        train.insert(index % 7);
    for (const std::int64_t index : grouped->parts[1])
        QVERIFY(!train.contains(index % 7));
    const auto timed = divideSamples(data, splitParams({{"by", "time"}, {"column", "day"}}));
    QVERIFY(timed.ok());
    QCOMPARE(timed->parts[1].size(), std::size_t{9});
    QCOMPARE(timed->parts[1].back(), 8); // the days go down: the first samples are the latest
    QCOMPARE(divideSamples(data, splitParams({{"by", "group"}, {"column", "eye"}})).error().where,
             std::string("column"));
    QCOMPARE(divideSamples(data, splitParams({{"by", "folder"}})).error().where, std::string("by"));
}

void TestSplit::leavesOutWindowsThatCross()
{
    // Windows 0–69 train on rows 0–72; windows 70, 71, 72 begin in those rows.
    const auto divided = divideSamples(Windows(100, 4), splitParams({{"by", "time"}}));
    QVERIFY(divided.ok());
    QCOMPARE(divided->leftOut, 3);
    QCOMPARE(divided->parts[0].size(), std::size_t{70});
    QCOMPARE(divided->parts[1].front(), 73);
}

QTEST_APPLESS_MAIN(TestSplit)
#include "tst_split.moc"
