#include "data_test.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace athanor;

namespace {

constexpr std::size_t kNoLimit = 1000;

std::unique_ptr<DataPipeline> opened(const std::filesystem::path& folder, const std::vector<Node>& nodes)
{
    Result<std::unique_ptr<DataPipeline>> pipeline = openData(dataProject(folder, nodes));
    if (!pipeline)
        throw std::runtime_error(pipeline.error().text());
    return std::move(*pipeline);
}

Node loader()
{
    return node("loader", "Loader", {{"batch_size", 2}});
}

std::unique_ptr<DataPipeline> table(const QTemporaryDir& folder, const std::string& text)
{
    writeFile(folder.filePath("t.csv").toStdString(), text);
    return opened(folder.path().toStdString(),
                  {node("src", "CsvTable", {{"path", "t.csv"}, {"target", "y"}}),
                   node("split", "Split", {{"train", 0.5}, {"val", 0.5}}), loader()});
}

QStringList messages(const std::vector<Problem>& problems)
{
    QStringList list;
    for (const Problem& problem : problems)
        list.push_back(QString::fromStdString(problem.where + ": " + problem.message));
    list.sort();
    return list;
}

} // namespace

class TestSampleCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsNothingInGoodData();
    void namesRowAndColumnOfNonFiniteNumbers();
    void namesBadLabels();
    void namesUnreadableImages();
    void stopsAtTheLimit();
    void tellsProgressAndStops();
};

void TestSampleCheck::findsNothingInGoodData()
{
    const QTemporaryDir folder;
    QVERIFY(table(folder, "a,b,y\n1,2,0\n3,4,1\n5,6,0\n7,8,1\n")->checkSamples(kNoLimit, {}).empty());
}

void TestSampleCheck::namesRowAndColumnOfNonFiniteNumbers()
{
    const QTemporaryDir folder;
    const auto problems =
        table(folder, "a,b,y\n1,nan,0\n3,4,1\n-inf,6,0\n7,8,1\n")->checkSamples(kNoLimit, {});
    QCOMPARE(messages(problems),
             QStringList({"data/src: t.csv, line 2 (sample 0): 'features', column 'b' is nan",
                          "data/src: t.csv, line 4 (sample 2): 'features', column 'a' is -inf"}));
    QCOMPARE(problems.front().severity, Severity::Error);
    QVERIFY(!problems.front().hint.empty());
}

void TestSampleCheck::namesBadLabels()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const std::string header = "{'descr': '<i8', 'fortran_order': False, 'shape': (3,), }\n";
    std::string labels(24, '\0'); // 1, −1, −100
    labels[0] = 1;
    for (std::size_t i = 8; i < 24; ++i)
        labels[i] = '\xff';
    labels[16] = static_cast<char>(-100);
    writeFile(path / "y.npy", std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' +
                                  header + labels);
    const auto pipeline =
        opened(path, {node("src", "NumpyFile", {{"fields", {{"label", "y.npy"}}}}), loader()});
    // −100 is what PyTorch's losses ignore.
    QCOMPARE(messages(pipeline->checkSamples(kNoLimit, {})),
             QStringList({"data/src: y.npy, sample 1 (sample 1): 'label' is -1, below 0"}));
}

void TestSampleCheck::namesUnreadableImages()
{
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    const std::string pixel = "P6 1 1 255\nabc";
    writeFile(path / "a/1.ppm", pixel);
    writeFile(path / "a/2.ppm", "P6 nothing");
    writeFile(path / "a/3.ppm", "P6 2 1 255\nabcdef");
    const auto pipeline =
        opened(path, {node("src", "ImageFolder", {{"path", "."}}), node("tensor", "ToTensor"), loader()});
    const QStringList found = messages(pipeline->checkSamples(kNoLimit, {}));
    QCOMPARE(found.size(), 1); // a/3.ppm is wider, which is a matter of the batch
    QVERIFY(found[0].contains("a/2.ppm (sample 1)"));
}

void TestSampleCheck::stopsAtTheLimit()
{
    const QTemporaryDir folder;
    const auto pipeline = table(folder, "a,b,y\nnan,nan,0\nnan,4,1\nnan,6,0\nnan,8,1\n");
    QCOMPARE(pipeline->checkSamples(kNoLimit, {}).size(), std::size_t{4});
    QCOMPARE(pipeline->checkSamples(3, {}).size(), std::size_t{3});
}

void TestSampleCheck::tellsProgressAndStops()
{
    const auto pipeline =
        opened({}, {node("src", "Synthetic", {{"samples", 1000}}), node("split", "Split"), loader()});
    std::vector<std::int64_t> told;
    pipeline->checkSamples(kNoLimit, [&](std::int64_t done, std::int64_t all) {
        told.push_back(done);
        return all == 1000;
    });
    QVERIFY(std::is_sorted(told.begin(), told.end()));
    QCOMPARE(told.front(), 0);
    QCOMPARE(told.back(), 1000);
    int calls = 0;
    pipeline->checkSamples(kNoLimit, [&](std::int64_t, std::int64_t) { return ++calls < 3; });
    QCOMPARE(calls, 3);
}

QTEST_APPLESS_MAIN(TestSampleCheck)
#include "tst_sample_check.moc"
