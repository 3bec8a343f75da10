#include "data_test.h"

#include <QtTest>

using namespace athanor;

namespace {

OpenedDataset open(const Json& fields)
{
    return openSource(sourceNode(dataFolder() / "npy", "NumpyFile", {{"fields", fields}}));
}

template <typename T>
std::vector<T> counted(std::int64_t first, std::int64_t count)
{
    std::vector<T> numbers;
    for (std::int64_t i = 0; i < count; ++i)
        numbers.push_back(static_cast<T>(first + i));
    return numbers;
}

} // namespace

class TestNumpyFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsByteImages_data();
    void readsByteImages();
    void readsFloats();
    void readsLabels_data();
    void readsLabels();
    void readsTargets_data();
    void readsTargets();
    void readsTokens();
    void namesErrors_data();
    void namesErrors();
};

void TestNumpyFile::readsByteImages_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("channels");
    QTest::newRow("channels last") << "pixels_last.npy" << 3;
    QTest::newRow("channels first") << "pixels_first.npy" << 3;
    QTest::newRow("no channels") << "pixels_gray.npy" << 1;
}

void TestNumpyFile::readsByteImages()
{
    QFETCH(QString, file);
    QFETCH(int, channels);
    const OpenedDataset data = open({{"image", file.toStdString()}});
    VERIFY_OK(data);
    const FieldLayout& layout = (*data)->fields()[0];
    QCOMPARE(layout.element, Element::UInt8);
    QCOMPARE(layout.shape, (std::vector<std::int64_t>{2, 5, channels}));
    const std::int64_t size = 2 * 5 * channels;
    QCOMPARE(numbersOf<std::uint8_t>(**data, "image", 1), counted<std::uint8_t>(size, size));
}

void TestNumpyFile::readsFloats()
{
    const OpenedDataset data = open({{"image", "f8.npy"}});
    VERIFY_OK(data);
    QCOMPARE((*data)->size(), 2);
    QCOMPARE((*data)->fields()[0].shape, (std::vector<std::int64_t>{3, 4}));
    const std::vector<float> numbers = numbersOf<float>(**data, "image", 1);
    QCOMPARE(numbers[1], static_cast<float>(13 / 3.0));
    QCOMPARE((*data)->sampleName(1), std::string("f8.npy, sample 1"));
}

void TestNumpyFile::readsLabels_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QList<int>>("labels");
    QTest::newRow("int64") << "labels.npy" << QList<int>{3, 1};
    QTest::newRow("int32, N×1") << "labels_column.npy" << QList<int>{3, 1};
    QTest::newRow("whole floats") << "labels_float.npy" << QList<int>{3, 1};
    QTest::newRow("bool") << "labels_bool.npy" << QList<int>{1, 0};
}

void TestNumpyFile::readsLabels()
{
    QFETCH(QString, file);
    QFETCH(QList<int>, labels);
    const OpenedDataset data = open({{"label", file.toStdString()}});
    VERIFY_OK(data);
    const FieldLayout& layout = (*data)->fields()[0];
    QCOMPARE(layout.element, Element::Int64);
    QVERIFY(layout.shape.empty());
    QCOMPARE(layout.classes, labels[0] + 1); // the largest label counts
    QCOMPARE(labelsOf(**data), std::vector<std::int64_t>(labels.begin(), labels.end()));
}

void TestNumpyFile::readsTargets_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<float>("second");
    QTest::newRow("float64") << "target.npy" << -1.0F;
    QTest::newRow("int64") << "target_int.npy" << 8.0F;
}

void TestNumpyFile::readsTargets()
{
    QFETCH(QString, file);
    QFETCH(float, second);
    const OpenedDataset data = open({{"target", file.toStdString()}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].element, Element::Float32);
    QCOMPARE((*data)->fields()[0].shape, std::vector<std::int64_t>{1});
    QCOMPARE(numbersOf<float>(**data, "target", 1), std::vector<float>{second});
}

void TestNumpyFile::readsTokens()
{
    const OpenedDataset data = open({{"tokens", "tokens.npy"}});
    VERIFY_OK(data);
    QCOMPARE((*data)->fields()[0].element, Element::Int64);
    QCOMPARE((*data)->fields()[0].classes, 10);
    QCOMPARE(numbersOf<std::int64_t>(**data, "tokens", 1), (std::vector<std::int64_t>{1, 1, 9}));
}

void TestNumpyFile::namesErrors_data()
{
    QTest::addColumn<QString>("fields"); // as JSON
    QTest::addColumn<QString>("part");
    QTest::newRow("missing file") << R"({"image": "no.npy"})"
                                  << "no.npy";
    QTest::newRow("ending forgotten") << R"({"image": "f4"})"
                                      << "There is f4.npy";
    QTest::newRow("no samples") << R"({"image": "none.npy"})"
                                << "none.npy holds no samples";
    QTest::newRow("a single number") << R"({"image": "scalar.npy"})"
                                     << "scalar.npy holds no samples";
    QTest::newRow("different lengths") << R"({"image": "f4.npy", "target": "three.npy"})"
                                       << "three.npy has 3 samples, but f4.npy has 2";
    QTest::newRow("labels with fractions") << R"({"label": "labels_fraction.npy"})"
                                           << "whole numbers";
    QTest::newRow("objects") << R"({"image": "objects.npy"})"
                             << "objects.npy: it holds Python objects";
    QTest::newRow("no fields") << "{}"
                               << "missing";
    QTest::newRow("no object") << "[1]"
                               << "missing";
    QTest::newRow("no text") << R"({"image": 3})"
                             << "'image'";
}

void TestNumpyFile::namesErrors()
{
    QFETCH(QString, fields);
    QFETCH(QString, part);
    const OpenedDataset data = open(Json::parse(fields.toStdString()));
    COMPARE_ERROR(data, "data/src/fields", part);
}

QTEST_APPLESS_MAIN(TestNumpyFile)
#include "tst_numpy_file.moc"
