#include "data_test.h"

#include "engine/data/preview_facts.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>

using namespace athanor;

namespace {

Value floats(const std::vector<float>& numbers)
{
    Value value;
    std::memcpy(value.write(Element::Float32, {static_cast<std::int64_t>(numbers.size())}), numbers.data(),
                numbers.size() * sizeof(float));
    return value;
}

std::vector<float> numbers(const Value& value)
{
    return {value.float32(), value.float32() + value.count()};
}

} // namespace

class PreviewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void showsEachNodeOfAChain();
    void drawsAsTheEpochDoes();
    void showsWhatIsAboveAMistake();
    void showsAGraphThatIsNotFinished();
    void saysWhatIsWrong();
    void stops();
    void countsClasses();
    void factsOfATensor();
    void factsOfColumns();

private:
    [[nodiscard]] std::filesystem::path folder() const { return m_folder.path().toStdString(); }
    /// Four rows: x = 1, 2, missing, 6 and a label.
    [[nodiscard]] Project table(std::vector<Node> steps) const;
    QTemporaryDir m_folder;
};

Project PreviewTest::table(std::vector<Node> steps) const
{
    writeFile(folder() / "t.csv", "x,y,label\n1,10,a\n2,20,b\n3,30,a\n6,40,a\n");
    std::vector<Node> nodes{node("table", "CsvTable", {{"path", "t.csv"}, {"target", "label"}})};
    if (!steps.empty()) // what is measured on the training part stands behind the Split
        nodes.push_back(node("split", "Split", {{"train", 1.0}, {"val", 0.0}}));
    nodes.insert(nodes.end(), steps.begin(), steps.end());
    nodes.push_back(node("loader", "Loader"));
    return dataProject(folder(), nodes);
}

void PreviewTest::showsEachNodeOfAChain()
{
    const Project project = table({node("scale", "Standardize")});
    const auto preview = DataPreview::open(project, "scale");
    QVERIFY2(preview.ok(), preview ? "" : preview.error().text().c_str());
    const DataPreview& data = **preview;
    for (const char* id : {"table", "split", "scale", "loader"}) {
        QVERIFY(data.shows(id));
        QCOMPARE(data.sizes(id)[0], 4);
        QCOMPARE(data.sizes(id)[1], 0);
    }
    QVERIFY(!data.shows("nothing"));
    QVERIFY(data.isTransform("scale") && !data.isTransform("table"));

    const auto source = data.read("table", DataPart::Train, 3, 0);
    QVERIFY(source.ok());
    QVERIFY(source->before.empty() && source->picture.empty());
    QCOMPARE(numbers(source->after[0]), (std::vector<float>{6, 40}));

    // mean 3, population deviation sqrt(3.5); mean 25, deviation sqrt(125)
    const auto scaled = data.read("scale", DataPart::Train, 3, 0);
    QVERIFY(scaled.ok());
    QCOMPARE(numbers(scaled->before[0]), (std::vector<float>{6, 40}));
    QVERIFY(std::abs(scaled->after[0].float32()[0] - 3 / std::sqrt(3.5)) < 1e-5);
    QVERIFY(std::abs(scaled->after[0].float32()[1] - 15 / std::sqrt(125.0)) < 1e-5);
    QCOMPARE(numbers(scaled->picture[0]), (std::vector<float>{6, 40})); // what scaling is left out of
    QVERIFY(!data.read("scale", DataPart::Train, 4, 0).ok());
    QVERIFY(!data.read("scale", DataPart::Train, -1, 0).ok());
    QVERIFY(!data.read("scale", DataPart::Test, 0, 0).ok());
    QCOMPARE(data.positionOf("scale", DataPart::Train, 2), 2);
    QCOMPARE(data.positionOf("scale", DataPart::Train, 9), -1);
    QCOMPARE(data.layouts("table", DataPart::Train)[0].columnNames, (std::vector<std::string>{"x", "y"}));
}

void PreviewTest::drawsAsTheEpochDoes()
{
    // A 1×6 picture 0 … 5, flipped or not by (seed, epoch, index).
    std::string header("\x93NUMPY\x01\x00", 8);
    std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (8, 1, 1, 6), }";
    text.resize(118 - 1, ' ');
    text += '\n';
    header += static_cast<char>(text.size());
    header += '\0';
    header += text;
    for (int i = 0; i < 48; ++i) {
        const auto number = static_cast<float>(i % 6);
        header.append(reinterpret_cast<const char*>(&number), sizeof number);
    }
    writeFile(folder() / "p.npy", header);
    const Project project = dataProject(folder(), {node("src", "NumpyFile", {{"fields", {{"image", "p.npy"}}}}),
                                                   node("flip", "RandomHorizontalFlip"), node("loader", "Loader")});
    const auto preview = DataPreview::open(project, "flip");
    if (!preview)
        QFAIL(preview.error().text().c_str());
    int flips = 0;
    for (std::int64_t position = 0; position < 8; ++position)
        for (std::uint64_t epoch = 0; epoch < 8; ++epoch) {
            const auto once = (*preview)->read("flip", DataPart::Train, position, epoch);
            const auto again = (*preview)->read("flip", DataPart::Train, position, epoch);
            const auto loaded = (*preview)->read("loader", DataPart::Train, position, epoch);
            QVERIFY(once.ok() && again.ok() && loaded.ok());
            QCOMPARE(numbers(once->after[0]), numbers(again->after[0]));
            QCOMPARE(numbers(once->after[0]), numbers(loaded->after[0])); // what is trained on
            QCOMPARE(once->before[0].float32()[0], 0.F);
            flips += once->after[0].float32()[0] == 5.F;
        }
    QVERIFY2(flips > 16 && flips < 48, qPrintable(QString::number(flips))); // 64 draws at one half
}

void PreviewTest::showsWhatIsAboveAMistake()
{
    const Project project = table({node("scale", "Standardize"), node("crop", "CenterCrop", {{"size", 4}})});
    const auto source = DataPreview::open(project, "table");
    QVERIFY2(source.ok(), source ? "" : source.error().text().c_str());
    QCOMPARE((*source)->sizes("table")[0], 4);
    const auto crop = DataPreview::open(project, "crop");
    QVERIFY(!crop.ok());
    QVERIFY2(crop.error().where.starts_with("data/crop"), crop.error().where.c_str());
}

void PreviewTest::showsAGraphThatIsNotFinished()
{
    Project project = table({});
    project.data = std::move(buildGraph({node("table", "CsvTable", {{"path", "t.csv"}, {"target", "label"}})}, {})).value();
    const auto preview = DataPreview::open(project, "table");
    QVERIFY2(preview.ok(), preview ? "" : preview.error().text().c_str());
    QCOMPARE((*preview)->sizes("table")[0], 4);
}

void PreviewTest::saysWhatIsWrong()
{
    Project project = table({});
    std::filesystem::remove(folder() / "t.csv");
    const auto gone = DataPreview::open(project, "table");
    QVERIFY(!gone.ok());
    QCOMPARE(gone.error().where, std::string("data/table/path"));
    QVERIFY(!gone.error().hint.empty());
    const auto unknown = DataPreview::open(project, "nobody");
    QVERIFY(!unknown.ok() && unknown.error().code == ErrorCode::NotFound);
}

void PreviewTest::stops()
{
    const Project project = table({});
    std::stop_source stop;
    stop.request_stop();
    const auto preview = DataPreview::open(project, "table", stop.get_token());
    QVERIFY(!preview.ok() && preview.error().code == ErrorCode::Cancelled);
    const auto open = DataPreview::open(project, "table");
    QVERIFY(open.ok());
    QVERIFY((*open)->classCounts(stop.get_token()).error().code == ErrorCode::Cancelled);
    const auto facts = tableFacts(**open, "table", DataPart::Train, 0, 100, stop.get_token(), {});
    QVERIFY(!facts.ok() && facts.error().code == ErrorCode::Cancelled);
}

void PreviewTest::countsClasses()
{
    const auto preview = DataPreview::open(table({}), "table");
    QVERIFY(preview.ok());
    const auto classes = (*preview)->classCounts();
    QVERIFY(classes.ok());
    QCOMPARE(classes->size(), std::size_t{1});
    QCOMPARE(classes->front().names, (std::vector<std::string>{"a", "b"}));
    QCOMPARE(classes->front().counts[0], (std::vector<std::int64_t>{3, 1}));
    QVERIFY(classes->front().counts[1].empty());
}

void PreviewTest::factsOfATensor()
{
    const Value first = floats({-1, 3, NAN, INFINITY});
    const Value second = floats({1, 1});
    const TensorFacts facts = factsOf({&first, &second});
    QCOMPARE(facts.count, 6);
    QCOMPARE(facts.nans, 1);
    QCOMPARE(facts.infinities, 1);
    QCOMPARE(facts.least, -1.0);
    QCOMPARE(facts.greatest, 3.0);
    QCOMPARE(facts.mean, 1.0);
    QCOMPARE(facts.deviation, std::sqrt(2.0)); // (4 + 4 + 0 + 0) / 4
    QCOMPARE(facts.histogram.front(), 1);
    QCOMPARE(facts.histogram[TensorFacts::kBins / 2], 2);
    QCOMPARE(facts.histogram.back(), 1);
    const Value nothing = floats({NAN});
    QVERIFY(factsOf({&nothing}).histogram.empty());
    const Value constant = floats({7, 7, 7});
    QCOMPARE(factsOf({&constant}).histogram.front(), 3);
    QCOMPARE(factsOf({}).count, 0);
}

void PreviewTest::factsOfColumns()
{
    const auto preview = DataPreview::open(table({}), "table");
    QVERIFY(preview.ok());
    double last = -1;
    const auto facts = tableFacts(**preview, "table", DataPart::Train, 0, 1000, {}, [&](double share) {
        QVERIFY(share >= last && share <= 1);
        last = share;
    });
    QVERIFY(facts.ok());
    QCOMPARE(facts->rows, 4);
    QCOMPARE(facts->columns.size(), std::size_t{2});
    QCOMPARE(facts->columns[0].name, std::string("x"));
    QCOMPARE(facts->columns[0].facts.mean, 3.0);
    QCOMPARE(facts->columns[0].facts.distinct, 4);
    QCOMPARE(facts->columns[1].facts.least, 10.0);
    QCOMPARE(facts->columns[1].facts.greatest, 40.0);
    const auto fewer = tableFacts(**preview, "table", DataPart::Train, 0, 2, {}, {});
    QVERIFY(fewer.ok());
    QCOMPARE(fewer->rows, 2); // rows 0 and 2
    QCOMPARE(fewer->columns[0].facts.mean, 2.0);
}

QTEST_APPLESS_MAIN(PreviewTest)
#include "tst_preview.moc"
